// Gathers the rows that share a leaf, sorts them by their numbers and adds up their weights.
#include "forest/quantiles.hpp"

#include <algorithm>
#include <utility>

namespace bychance {
namespace {

using Weighed = std::pair<std::uint32_t, double>;  // rank, weight

void add_rows(const Tree& tree, std::size_t node, const RankedNumbers& numbers, std::vector<Weighed>& out) {
  const std::uint32_t* first = tree.rows.data() + tree.first_row[node];
  for (const std::uint32_t* row = first; row < first + tree.n_rows_of[node]; ++row) {
    const double weight = numbers.weights.empty() ? 1 : numbers.weights[*row];
    out.emplace_back(numbers.ranks[*row], weight / tree.size_of[node]);
  }
}

}  // namespace

void leaf_quantiles(const std::vector<const Tree*>& trees, const FeatureRows& rows,
                    const RankedNumbers& numbers, const std::vector<double>& levels, double* out,
                    Watch& watch) {
  // Sums of shares that should reach a level may stop short of it by a rounding.
  constexpr double kRounding = 1e-12;
  std::vector<std::int32_t> nodes(trees.size() * rows.n_rows);
  for (std::size_t k = 0; k < trees.size(); ++k)
    apply(*trees[k], rows, nodes.data() + k * rows.n_rows, watch);
  std::vector<Weighed> weighed;
  for (std::size_t row = 0; row < rows.n_rows; ++row) {
    weighed.clear();
    for (std::size_t k = 0; k < trees.size(); ++k) {
      add_rows(*trees[k], static_cast<std::size_t>(nodes[k * rows.n_rows + row]), numbers, weighed);
    }
    watch.done(weighed.size());
    std::sort(weighed.begin(), weighed.end());
    double total = 0;
    for (const Weighed& each : weighed) total += each.second;
    for (std::size_t q = 0; q < levels.size(); ++q) {
      const double wanted = levels[q] * total - kRounding * total;
      double sum = 0;
      std::size_t k = 0;
      while (k + 1 < weighed.size() && (sum += weighed[k].second) < wanted) ++k;
      out[row * levels.size() + q] = numbers.sorted[weighed[k].first];
    }
  }
}

}  // namespace bychance
