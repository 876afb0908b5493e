// Deviations as whole numbers, divided last.
#include "moments/cells.hpp"

#include <cmath>
#include <numeric>
#include <utility>

namespace bychance {

CellStatistic::CellStatistic(CellFunction of_cells, std::vector<std::int64_t> row_totals,
                             std::vector<std::int64_t> column_totals)
    : function(of_cells),
      rows(std::move(row_totals)),
      columns(std::move(column_totals)),
      n(std::accumulate(rows.begin(), rows.end(), std::int64_t{0})) {
  for (std::size_t j = 0; j < columns.size(); ++j) total_empty_weight += empty_weight(j);
}

double CellStatistic::cell(std::size_t i, std::size_t j, std::int64_t m) const {
  if (function == CellFunction::diagonal) return i == j ? static_cast<double>(m) : 0.0;
  const auto count = static_cast<double>(m);
  if (function == CellFunction::together) return count * count;
  const std::int64_t product = rows[i] * columns[j];
  if (product == 0) return 0.0;
  const auto deviation = static_cast<double>(n * m - product);
  if (function == CellFunction::information) {
    return m == 0 ? 0.0 : count * std::log1p(deviation / static_cast<double>(product));
  }
  const double above = deviation / static_cast<double>(n);
  const std::int64_t weight = function == CellFunction::gain ? rows[i] : product;
  return above * above / static_cast<double>(weight);
}

std::int64_t CellStatistic::empty_weight(std::size_t j) const {
  if (function == CellFunction::gain) return columns[j] * columns[j];
  return function == CellFunction::contingency ? columns[j] : 0;
}

double CellStatistic::empty_cells(std::size_t i, std::int64_t weight) const {
  if (weight == 0) return 0.0;
  const auto n_rows = static_cast<double>(n);
  return static_cast<double>(rows[i]) / n_rows * (static_cast<double>(weight) / n_rows);
}

RowsByLabel::RowsByLabel(const std::int32_t* codes, std::size_t n, std::size_t n_labels)
    : order(n), starts(n_labels + 1, 0) {
  for (std::size_t k = 0; k < n; ++k) ++starts[static_cast<std::size_t>(codes[k]) + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
  for (std::size_t k = 0; k < n; ++k) {
    order[next[static_cast<std::size_t>(codes[k])]++] = static_cast<std::int32_t>(k);
  }
}

}  // namespace bychance
