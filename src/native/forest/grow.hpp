// Trees grown depth first, with the best split of a few random columns at each node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "forest/columns.hpp"
#include "forest/criterion.hpp"
#include "forest/out_of_bag.hpp"
#include "forest/tree.hpp"

namespace bychance::forest {

enum class MissingRows { majority, best };

struct GrowRules {
  SplitRules split;
  CategoricalSplit categorical = CategoricalSplit::ordered;
  MissingRows missing = MissingRows::majority;
  std::size_t max_features = 1;
  std::size_t max_depth = 0;  // 0: no limit
  std::size_t min_samples_split = 2;
  double min_score = -std::numeric_limits<double>::infinity();
};

// Settings of all trees of a forest.
struct TreeSettings {
  GrowRules rules;
  std::size_t n_grow, n_order;
  bool bootstrap;
};

// Grows a tree for each of the keys, and adds the votes of their out-of-bag rows if they have layers.
std::vector<Tree> grow_trees(const FeatureTable& table, const Target& target, const TreeSettings& settings,
                             const std::vector<PhiloxKey>& keys, const Votes& votes, Watch& watch);

}  // namespace bychance::forest
