#include "moments/cells.hpp"

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

RowsByLabel::RowsByLabel(const std::int32_t* codes, std::size_t n, std::size_t n_labels)
    : order(n), starts(n_labels + 1, 0) {
  for (std::size_t k = 0; k < n; ++k) ++starts[static_cast<std::size_t>(codes[k]) + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
  for (std::size_t k = 0; k < n; ++k) {
    order[next[codes[k]]++] = static_cast<std::int32_t>(k);
  }
}

}  // namespace bychance
