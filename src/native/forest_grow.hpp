// One tree, grown depth first: at each node the best split of a few columns drawn at random.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "forest_columns.hpp"
#include "forest_split.hpp"
#include "forest_tree.hpp"

namespace bychance {

enum class MissingRows { majority, best };

struct GrowRules {
  SplitRules split;
  CategoricalRules categorical;
  MissingRows missing = MissingRows::majority;
  std::size_t max_features = 1;
  std::size_t max_depth = 0;  // 0: no limit
  std::size_t min_samples_split = 2;
  double min_score = -std::numeric_limits<double>::infinity();
  double multiway_margin = 0;  // by how much a multiway split must beat a cut
};

// The rows are those that sample_rows draws for the sample.
Tree grow_tree(const FeatureTable& table, const Target& target, const GrowRules& rules, const Sample& sample,
               const SampledRows& rows);

}  // namespace bychance
