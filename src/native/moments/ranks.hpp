// Spearman's correlation of many pairs of columns, each re-ranked on the rows that both have.
//
// Every column is sorted once. Walking x's order and counting the rows that y has gives each row's rank among
// the shared ones; walking y's order the same way gives the other rank, and the products are summed on the
// way. Midranks are doubled, so that they and their products are integers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "moments/lines.hpp"

namespace bychance {

// One column in ascending order.
struct RankedColumn {
  const std::int32_t* order;   // the rows that have a value, from smallest to largest
  const std::int32_t* groups;  // the tie group of each, 0, 1, ... in that order
  std::size_t n;
  std::size_t n_groups;  // 0 if no values tie: then there are no groups
  const bool* is_present;
};

// Correlations and counts (shared rows, distinct values of x and of y), an entry per pair. Figures of fewer
// than three rows are NaN.
struct RankedPairs {
  std::vector<LineFigures> figures;
  std::vector<std::array<std::int64_t, 3>> counts;
};
// Returns Spearman's rho and power sums of midranks of each pair.
RankedPairs rank_pairs(const std::vector<RankedColumn>& columns, std::size_t n_rows,
                       const PairIndices& pairs);

}  // namespace bychance
