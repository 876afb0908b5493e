// Shrinkage: a node's class shares, or its mean, drawn towards those of the nodes above it, the more so the
// less its rows say.
#pragma once

#include <vector>

#include "forest/tree.hpp"

namespace bychance {

// What the nodes then answer, n_outputs numbers each, given their `own_answers`; none for `none`. With p the
// class shares of a node's own rows, s its answer, n and r the rows and the children of the parent, from the
// root down:
//   rows: s_child = s_parent + n / (n + 4) (p_child - p_parent)
//     (hierarchical shrinkage: Agarwal et al., ICML 2022);
//   chance: s_child = s_parent + (1 - q / 2) (p_child - s_parent), where q, at most 2, is what chance alone
//   gains over what the split gains: (r - 1) / (n - 1) (1 - sum p_j^2), or with numbers their variance
//   instead of the last factor. Rows drawn twice count as different ones;
//   leaf5, leaf10: as rows, but a split with a child of fewer rows is undone, and all below it: the nodes
//   there answer as its own does.
// All are averages of the class shares, or means, of the nodes on the way.
std::vector<double> shrunk_answers(const Tree& tree, Shrinkage shrinkage, const std::vector<double>& own);

// Of every node's own rows.
std::vector<double> own_answers(const Tree& tree);

}  // namespace bychance
