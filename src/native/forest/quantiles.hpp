// Quantiles of a forest's prediction: training rows weigh by how often they share a leaf with the new row.
#pragma once

#include <cstdint>
#include <vector>

#include "forest/tree.hpp"

namespace bychance {

// The numbers of the training rows: ascending, the place of each row among them, and the rows' weights.
struct RankedNumbers {
  std::vector<double> sorted;
  std::vector<std::uint32_t> ranks;
  std::vector<double> weights;  // empty: all one
};

// Per new row and level, the least number with at least this share of the weight up to it. A training row
// has, in each tree, its share of the weight of the rows in the node where the new row ends (Meinshausen
// 2006).
void leaf_quantiles(const std::vector<const Tree*>& trees, const FeatureRows& rows,
                    const RankedNumbers& numbers, const std::vector<double>& levels, double* out,
                    Watch& watch);

}  // namespace bychance
