// Statistics of a contingency table that are sums over its cells.
//
// A cell with row total a, column total b and m of the n rows deviates from what it expects by D/n, where
// D = n m - a b is an integer: no term is a large sum less a large constant, so equal tables give equal
// values to the last few bits, however rare a label and however large n.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace bychance {

enum class CellFunction {
  gain,         // (D/n)^2 / a: tr(A B) of Gini gain
  contingency,  // (D/n)^2 / (a b): chi-squared over n
  information,  // m ln(m n / (a b)): n times mutual information in nats
  together,     // m^2: ordered pairs of rows in one cell
  diagonal      // m where i = j: agreement
};

// A statistic of tables with given totals: the sum of cell(i, j, m) over all cells.
struct CellStatistic {
  CellStatistic(CellFunction of_cells, std::vector<std::int64_t> row_totals,
                std::vector<std::int64_t> column_totals)
      : function(of_cells),
        rows(std::move(row_totals)),
        columns(std::move(column_totals)),
        n(std::accumulate(rows.begin(), rows.end(), std::int64_t{0})) {
    for (std::size_t j = 0; j < columns.size(); ++j) total_empty_weight += empty_weight(j);
  }

  // Returns the summand of cell (i, j) if m rows are in it, by the formula of CellFunction.
  double cell(std::size_t i, std::size_t j, std::int64_t m) const {
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

  // The empty cells of a row add up to its total times the sum of their weights, over n squared.
  std::int64_t empty_weight(std::size_t j) const {
    if (function == CellFunction::gain) return columns[j] * columns[j];
    return function == CellFunction::contingency ? columns[j] : 0;
  }
  double empty_cells(std::size_t i, std::int64_t weight) const {
    if (weight == 0) return 0.0;
    const auto n_rows = static_cast<double>(n);
    return static_cast<double>(rows[i]) / n_rows * (static_cast<double>(weight) / n_rows);
  }

  CellFunction function;
  std::vector<std::int64_t> rows, columns;  // totals
  std::int64_t n, total_empty_weight = 0;
};

// Rows sorted by their label, 0..n_labels-1: label g has rows order[starts[g]..starts[g + 1]).
struct RowsByLabel {
  RowsByLabel() = default;
  RowsByLabel(const std::int32_t* codes, std::size_t n, std::size_t n_labels)
      : order(n), starts(n_labels + 1, 0) {
    for (std::size_t k = 0; k < n; ++k) ++starts[static_cast<std::size_t>(codes[k]) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
    for (std::size_t k = 0; k < n; ++k) order[next[codes[k]]++] = static_cast<std::int32_t>(k);
  }

  std::vector<std::int32_t> order;
  std::vector<std::size_t> starts;
};

}  // namespace bychance
