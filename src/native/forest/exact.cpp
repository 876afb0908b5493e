// Sums over hypergeometric numbers, and walks that leave a band: what leaves is added up, so that small
// shares keep their digits.
#include "forest/exact.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bychance {
namespace {

constexpr double kEqual = 1e-6;  // of a row

// Ways to choose k of n.
double chosen(double n, double k) {
  double ways = k <= n ? 1 : 0;
  for (double i = 0; i < k && ways > 0; i += 1) ways *= (n - i) / (i + 1);
  return ways;
}

}  // namespace

void TwoClasses::set(double n, double b) {
  if (n == n_ && b == b_) return;
  n_ = n, b_ = b;
  n_orders_ = chosen(n, b);
}

Shares TwoClasses::of_fixed(double gain, double m) const {
  const double few = std::min(m, b_), many = std::max(m, b_), distance = std::sqrt(gain * m * (n_ - m) / 2);
  double probability = 1;
  Shares shares{0, 0};
  for (double i = 0; i < few; i += 1) probability *= (n_ - many - i) / (n_ - i);
  for (double x = 0; x <= few; x += 1) {
    const double excess = std::abs(x - m * b_ / n_) - distance;
    if (excess > -kEqual) (excess > kEqual ? shares.larger : shares.equal) += probability;
    probability *= (m - x) * (b_ - x) / ((x + 1) * (n_ - m - b_ + x + 1));
  }
  return shares;
}

Shares TwoClasses::of_cut(double gain, const double* left, std::size_t first, std::size_t last) {
  constexpr double kFewDigits = 1e-9;  // a share below is what rounding leaves of 1
  const WalkCounts below = walk_.kept(n_, b_, gain * n_ * n_ / 2, left, first, last);
  double larger = 1 - below.in / n_orders_, both = 1 - below.out / n_orders_;
  if (larger <= kFewDigits) larger = reaching_cut(gain, left, first, last, false);
  if (both <= kFewDigits) both = reaching_cut(gain, left, first, last, true);
  return {larger, both - larger};
}

// Of the walks, those that some cut finds as far from the line to (n, b) as this gain, or farther only. Row
// by row, x becomes x + 1 with probability (b - x)/(rows left).
double TwoClasses::reaching_cut(double gain, const double* left, std::size_t first, std::size_t last,
                                bool is_equal_in) {
  const auto most = static_cast<std::size_t>(b_);
  chances_.assign(most + 2, 0.0);
  next_.assign(most + 2, 0.0);
  chances_[1] = 1;  // of x at x + 1, so that x - 1 is there for x = 0
  std::size_t low = 0, high = 0;
  double share = 0, row = 0;
  for (std::size_t cut = first; cut < last; ++cut) {
    for (; row < left[cut]; row += 1) {
      const double rest = 1 / (n_ - row);
      high = std::min(high + 1, most);
      for (std::size_t x = low; x <= high; ++x) {
        const auto ones = static_cast<double>(x);
        next_[x + 1] = chances_[x + 1] * (n_ - row - b_ + ones) * rest + chances_[x] * (b_ - ones + 1) * rest;
      }
      next_[low] = 0;
      chances_.swap(next_);
    }
    const double center = left[cut] * b_ / n_;
    const double radius =
        std::sqrt(gain * left[cut] * (n_ - left[cut]) / 2) + (is_equal_in ? -kEqual : kEqual);
    for (; low <= high && center - static_cast<double>(low) > radius; ++low) share += chances_[low + 1];
    if (low > high) return share;
    chances_[low] = 0;
    for (; high > low && static_cast<double>(high) - center > radius; --high) {
      share += chances_[high + 1];
      chances_[high + 1] = 0;
    }
    if (static_cast<double>(high) - center > radius) return share + chances_[high + 1];
  }
  return share;
}

void TwoClasses::count(double m) {
  const double few = std::min(m, b_), many = std::max(m, b_);
  double probability = 1;
  for (double i = 0; i < few; i += 1) probability *= (n_ - many - i) / (n_ - i);
  chances_.clear();
  for (double x = 0; x <= few; x += 1) {
    chances_.push_back(probability);
    probability *= (m - x) * (b_ - x) / ((x + 1) * (n_ - m - b_ + x + 1));
  }
}

// From the farthest x inwards.
Shares TwoClasses::of_share(double share, double m) {
  constexpr double kRounding = 1e-9;
  count(m);
  const double center = m * b_ / n_;
  Shares shares{0, 0};
  std::size_t low = 0, high = chances_.size();
  while (low < high) {
    const double below = center - static_cast<double>(low), above = static_cast<double>(high - 1) - center;
    const double farthest = std::max(below, above);
    double mass = 0;
    if (below > farthest - kEqual) mass += chances_[low++];
    if (high > low && above > farthest - kEqual) mass += chances_[--high];
    const double own = shares.larger + mass / 2;
    if (own > share * (1 - kRounding)) {
      if (own <= share * (1 + kRounding)) shares.equal = mass;
      break;
    }
    shares.larger += mass;
  }
  return shares;
}

}  // namespace bychance
