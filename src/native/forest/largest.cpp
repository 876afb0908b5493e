// The i-th is the farthest of m with probability m/n (n-m)(n-m-1)…/((n-1)(n-2)…).
#include "forest/largest.hpp"

#include <algorithm>
#include <cmath>

namespace bychance {
namespace {

constexpr double kRootHalf = 0.70710678118654752440;
constexpr double kEqual = 1e-9;     // of a standard deviation
constexpr double kRest = 1e-7;      // of a probability
constexpr double kMostCopies = 16;  // of a row, on average

void add(Shares& shares, double probability, double excess) {
  if (excess > -kEqual) (excess > kEqual ? shares.larger : shares.equal) += probability;
}

double beyond(double score) { return std::erfc(score * kRootHalf) / 2; }

}  // namespace

// Whole weights are copies of a row. Other weights go with their numbers.
void LargestFirst::set(const NodeGroups& groups) {
  numbers_.clear();
  sizes_.clear();
  auto next_out = groups.left_out.begin();
  double sum = 0, weight = 0;
  counts_copies_ = !groups.sizes.empty();
  for (std::size_t k = 0; k < groups.n_numbers; ++k) {
    if (next_out != groups.left_out.end() && *next_out == k) {
      ++next_out;
      continue;
    }
    const double size = groups.sizes.empty() ? 1 : groups.sizes[k];
    counts_copies_ &= size == std::floor(size);
    numbers_.push_back(groups.numbers[k]);
    sizes_.push_back(size);
    sum += groups.numbers[k] * size;
    weight += size;
  }
  counts_copies_ &= weight <= kMostCopies * static_cast<double>(numbers_.size());
  const double mean = sum / weight;
  const std::size_t n_rows = numbers_.size();
  for (std::size_t k = 0; k < n_rows; ++k) {
    numbers_[k] -= mean;
    if (!counts_copies_) {
      numbers_[k] *= sizes_[k];
    } else {
      numbers_.insert(numbers_.end(), static_cast<std::size_t>(sizes_[k]) - 1, numbers_[k]);
    }
  }
  std::sort(numbers_.begin(), numbers_.end(), [](double a, double b) {
    return std::abs(a) != std::abs(b) ? std::abs(a) > std::abs(b) : a > b;
  });
  sums_.assign(numbers_.size() + 1, 0.0);
  squares_.assign(numbers_.size() + 1, 0.0);
  for (std::size_t k = numbers_.size(); k-- > 0;) {
    sums_[k] = sums_[k + 1] + numbers_[k];
    squares_[k] = squares_[k + 1] + numbers_[k] * numbers_[k];
  }
}

Shares LargestFirst::of_sum(double distance, double m, double enough) const {
  const auto n = static_cast<double>(numbers_.size());
  Shares shares{0, 0};
  double probability = m / n, rest = 1;
  for (std::size_t i = 0; i < numbers_.size() && rest > kRest && probability > 0; ++i) {
    if (shares.larger > enough) break;
    const double z = numbers_[i], nearer = n - static_cast<double>(i) - 1;
    double center = z, variance = 0;
    if (m == 2 && n <= kFewRows) {
      for (std::size_t j = i + 1; j < numbers_.size(); ++j) {
        add(shares, probability / nearer, std::abs(z + numbers_[j]) - distance);
      }
      probability *= (nearer - 1) / nearer;
      continue;
    }
    if (m > 1) {
      const double mean = sums_[i + 1] / nearer;
      center += (m - 1) * mean;
      variance = (m - 1) * (squares_[i + 1] / nearer - mean * mean);
      variance *= nearer > 1 ? (nearer - m + 1) / (nearer - 1) : 0;
    }
    if (variance > kEqual * kEqual) {
      const double scale = 1 / std::sqrt(variance);
      shares.larger +=
          probability * (beyond((distance - center) * scale) + beyond((distance + center) * scale));
    } else {
      add(shares, probability, std::abs(center) - distance);
    }
    rest -= probability;
    probability *= (nearer - m + 1) / nearer;
  }
  return shares;
}

}  // namespace bychance
