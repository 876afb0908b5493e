// Categories are ordered by the first principal component of their class shares.
#include "forest/order.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bychance::forest {
namespace {

constexpr int kIterations = 50;

struct Shares {
  std::size_t n_categories, n_classes;
  std::vector<double> weights;     // per category
  std::vector<double> deviations;  // from the overall shares, n_classes a category
  const double* row(std::size_t i) const { return deviations.data() + i * n_classes; }
};

Shares deviations_of(const std::vector<double>& cells, std::size_t n_classes) {
  Shares shares{cells.size() / n_classes, n_classes, {}, std::vector<double>(cells.size(), 0.0)};
  shares.weights.assign(shares.n_categories, 0.0);
  std::vector<double> overall(n_classes, 0.0);
  double n = 0;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    shares.weights[k / n_classes] += cells[k];
    overall[k % n_classes] += cells[k];
    n += cells[k];
  }
  if (n == 0) return shares;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const double weight = shares.weights[k / n_classes];
    shares.deviations[k] = (cells[k] - weight * (overall[k % n_classes] / n)) / (weight + 1);
  }
  return shares;
}

double dot(const double* a, const double* b, std::size_t n) {
  double sum = 0;
  for (std::size_t j = 0; j < n; ++j) sum += a[j] * b[j];
  return sum;
}

// Power iteration from the heaviest deviation.
std::vector<double> principal_direction(const Shares& shares) {
  const std::size_t c = shares.n_classes;
  std::size_t heaviest = 0;
  double best = -1;
  for (std::size_t i = 0; i < shares.n_categories; ++i) {
    const double size = shares.weights[i] * dot(shares.row(i), shares.row(i), c);
    if (size > best) {
      best = size;
      heaviest = i;
    }
  }
  std::vector<double> direction(shares.row(heaviest), shares.row(heaviest) + c), next(c);
  for (int step = 0; step < kIterations; ++step) {
    std::fill(next.begin(), next.end(), 0.0);
    for (std::size_t i = 0; i < shares.n_categories; ++i) {
      const double along = shares.weights[i] * dot(shares.row(i), direction.data(), c);
      for (std::size_t j = 0; j < c; ++j) next[j] += along * shares.row(i)[j];
    }
    const double length = std::sqrt(dot(next.data(), next.data(), c));
    if (length == 0) break;
    for (std::size_t j = 0; j < c; ++j) direction[j] = next[j] / length;
  }
  return direction;
}

// Categories with equal scores share a position. If all scores are equal, as for rows of one class,
// categories keep their order: with one position for all, the column could not be split.
std::vector<std::int32_t> places_of(const std::vector<double>& scores) {
  std::vector<double> levels = scores;
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  std::vector<std::int32_t> positions(scores.size());
  if (levels.size() == 1) {
    std::iota(positions.begin(), positions.end(), 0);
    return positions;
  }
  for (std::size_t i = 0; i < scores.size(); ++i) {
    positions[i] =
        static_cast<std::int32_t>(std::lower_bound(levels.begin(), levels.end(), scores[i]) - levels.begin());
  }
  return positions;
}

}  // namespace

std::vector<std::int32_t> category_positions(const std::vector<double>& cells, std::size_t n_classes) {
  const Shares shares = deviations_of(cells, n_classes);
  std::vector<double> direction(n_classes, 0.0);
  if (n_classes == 2) {
    direction[1] = 1;
  } else if (shares.n_categories > 0) {
    direction = principal_direction(shares);
  }
  std::vector<double> scores(shares.n_categories);
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = dot(shares.row(i), direction.data(), n_classes);
  return places_of(scores);
}

std::vector<std::int32_t> positions_by_mean(const std::vector<double>& weights,
                                            const std::vector<double>& sums) {
  double n = 0, sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) n += weights[i], sum += sums[i];
  const double mean = n > 0 ? sum / n : 0;
  std::vector<double> scores(weights.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i] = (sums[i] - weights[i] * mean) / (weights[i] + 1);
  }
  return places_of(scores);
}

}  // namespace bychance::forest
