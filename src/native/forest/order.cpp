// Categories in the order of their mean answers, learned on rows that the tree is not grown on.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "forest/columns.hpp"

namespace bychance::forest {
namespace {

constexpr int kIterations = 50;

// Categories with the shrunk deviation of their mean answer from the overall mean: of class shares, or of
// numbers.
struct Deviations {
  std::size_t n_outputs;
  const std::vector<double>& weights;  // per category
  std::vector<double> entries;         // n_outputs per category

  const double* row(std::size_t i) const { return entries.data() + i * n_outputs; }
};

Deviations deviations_of(const std::vector<double>& weights, const std::vector<double>& sums,
                         std::size_t n_outputs) {
  Deviations deviations{n_outputs, weights, std::vector<double>(sums.size(), 0.0)};
  std::vector<double> overall(n_outputs, 0.0);
  for (std::size_t k = 0; k < sums.size(); ++k) overall[k % n_outputs] += sums[k];
  const double n = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (n == 0) return deviations;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    const double weight = weights[k / n_outputs];
    deviations.entries[k] = (sums[k] - weight * (overall[k % n_outputs] / n)) / (weight + 1);
  }
  return deviations;
}

double dot(const double* a, const double* b, std::size_t n) {
  double sum = 0;
  for (std::size_t j = 0; j < n; ++j) sum += a[j] * b[j];
  return sum;
}

// Returns the first principal component, by power iteration from the heaviest deviation.
std::vector<double> principal_direction(const Deviations& deviations) {
  const std::size_t c = deviations.n_outputs, n = deviations.weights.size();
  const auto size_of = [&](std::size_t i) {
    return deviations.weights[i] * dot(deviations.row(i), deviations.row(i), c);
  };
  std::size_t heaviest = 0;
  for (std::size_t i = 1; i < n; ++i) heaviest = size_of(i) > size_of(heaviest) ? i : heaviest;
  std::vector<double> direction(deviations.row(heaviest), deviations.row(heaviest) + c), next(c);
  for (int step = 0; step < kIterations; ++step) {
    std::fill(next.begin(), next.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      const double along = deviations.weights[i] * dot(deviations.row(i), direction.data(), c);
      for (std::size_t j = 0; j < c; ++j) next[j] += along * deviations.row(i)[j];
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

std::vector<std::int32_t> category_positions(const std::vector<double>& weights,
                                             const std::vector<double>& sums, std::size_t n_outputs) {
  if (weights.empty()) return {};
  const Deviations deviations = deviations_of(weights, sums, n_outputs);
  std::vector<double> direction(n_outputs, 0.0);
  direction[n_outputs == 2] = 1;  // numbers, or the share of the second of two classes
  if (n_outputs > 2) direction = principal_direction(deviations);
  std::vector<double> scores(weights.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i] = dot(deviations.row(i), direction.data(), n_outputs);
  }
  return places_of(scores);
}

}  // namespace bychance::forest
