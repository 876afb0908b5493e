// Importances of columns: the value of their splits for rows that the tree was not grown on.
//
// At a split the rows that the tree is grown on fit a function f of the column. f is a line in the ranks of
// its values (or in the order of its categories), or the means of the children if these explain three times
// as much, and more than chance adds to the best of many cuts. The importance of the split is the covariance
// of f and the responses of the out-of-bag rows at the node. Its mean is 0 for a column independent of the
// responses, however many cuts were searched. A node with n of N rows has weight n/N, as in any importance,
// times sqrt(n/N), since fewer rows give more noise for the same signal. Small nodes are left out.
#pragma once

#include <cstddef>

#include "forest/tree.hpp"

namespace bychance::forest {

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
