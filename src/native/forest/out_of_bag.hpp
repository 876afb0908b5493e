// Results of out-of-bag rows: votes of trees for rows that they were not grown on, with shrunk answers of
// nodes, and importances of columns, the value of their splits for these rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forest/tree.hpp"

namespace bychance::forest {

// Shrinkage moves a node's class shares, or its mean, towards those of the nodes above it, the more so the
// fewer rows it has. For the children of a split, with p the class shares of a node's own rows, s its answer,
// n and r the rows and the children of the parent, from the root down:
//   rows: s_child = s_parent + n / (n + 4) (p_child - p_parent)
//     (hierarchical shrinkage: Agarwal et al., ICML 2022);
//   chance: s_child = s_parent + (1 - q / 2) (p_child - s_parent). q, at most 2, is the gain expected by
//     chance, (r - 1) / (n - 1) (1 - sum p_j^2), over the gain of the split. For numbers the last factor is
//     their variance. Rows drawn twice count as two rows;
//   leaf5, leaf10: as rows, but a split with a child of fewer than 5 or 10 rows is undone, and all splits
//     below it: the nodes there answer as its own node does.
// All are averages of the class shares, or means, of the nodes on the way.
void shrink(Tree& tree, Shrinkage shrinkage);

// Sums of the answers of trees to out-of-bag rows: one layer for each shrinkage, and the number of trees that
// each row is out of bag for. Only each `step`th row of training has votes.
struct Votes {
  std::vector<Shrinkage> layers;
  std::size_t step;
  double* answers;
  std::int64_t* n_trees;

  std::size_t n_rows(std::size_t n_training) const { return (n_training + step - 1) / step; }
};

void add_out_of_bag(const Tree& tree, const SampledRows& sampled, const FeatureTable& table,
                    const Votes& votes, Watch& watch);

// At a split the rows that the tree is grown on fit a function f of the column. f is a line in the ranks of
// its values (or in the order of its categories), or the means of the children if these explain three times
// as much, and more than chance adds to the best of many cuts. The importance of the split is the covariance
// of f and the responses of the out-of-bag rows at the node. Its mean is 0 for a column independent of the
// responses, however many cuts were searched. A node with n of N rows has weight n/N, as in any importance,
// times sqrt(n/N), since fewer rows give more noise for the same signal. Small nodes are left out.
// Sums of importances, with one column per feature.
struct ImportanceSums {
  double* importance;
  double* weight;    // of the splits: squared shares of their rows
  double* freedom;   // these weights times the degrees of freedom of the functions
  double* by_block;  // one line per feature: the contribution of each out-of-bag row at row % n_blocks
  std::size_t n_blocks;
};

void add_importances(const Tree& tree, const FeatureTable& rows, const Target& target,
                     const ImportanceSums& sums, Watch& watch);

}  // namespace bychance::forest
