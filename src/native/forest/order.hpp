// The order of a column's categories by class or by mean, learned on rows that the tree is not grown on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bychance::forest {

// Position of each category, from its class weights (one row of n_classes per category). Two classes are
// ordered by the share of the second, more classes by the first principal component of the shares. Each
// category counts one additional row with the overall shares, which is the share of a category without rows.
// Categories with equal shares share a position. Positions are 0, 1, … without gaps.
std::vector<std::int32_t> category_positions(const std::vector<double>& cells, std::size_t n_classes);

// Positions for numbers: by the mean, from the weight and the weighted sum of each category's rows.
std::vector<std::int32_t> positions_by_mean(const std::vector<double>& weights,
                                            const std::vector<double>& sums);

}  // namespace bychance::forest
