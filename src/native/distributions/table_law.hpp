// The whole permutation law of a cell-additive statistic: all tables with the given totals, by dynamic
// programming over columns. The state is what remains of the row totals; equal values merge.
#pragma once

#include <cstdint>
#include <vector>

#include "moments/cells.hpp"

namespace bychance {

struct DiscreteLaw {
  std::vector<double> values, probabilities;  // values ascending
};

// Throws std::length_error where more than max_operations would be needed.
DiscreteLaw table_law(CellFunction function, const std::vector<std::int64_t>& rows,
                      const std::vector<std::int64_t>& columns, double max_operations);

}  // namespace bychance
