// How much the splits on each column tell of rows that the tree was not grown on.
//
// At a split the rows that the tree is grown on fit a function f of the column: a line in the ranks of its
// values (or in the order of its categories), or the means of the children where those explain three times as
// much and more than chance adds to the best of many cuts. Its importance is the covariance of f and the
// responses of the out-of-bag rows there, which is 0 in the mean where the column says nothing, whatever was
// searched. A node of n of N rows counts by n/N, as in any importance, and by sqrt(n/N): the fewer rows, the
// more noise for the same signal. Nodes of few rows are left out.
#pragma once

#include <cstddef>

#include "forest/tree.hpp"

namespace bychance::forest {

// Where importances are added up, one column per feature.
struct ImportanceSums {
  double* importance;
  double* weight;   // of the splits: the squared shares of their rows
  double* freedom;  // the same times the degrees of freedom of the functions fitted there
  double*
      by_block;  // one line per feature: at row % n_blocks, what the out-of-bag row adds to the importance
  std::size_t n_blocks;
};

void add_importances(const Tree& tree, const FeatureTable& rows, const Target& target,
                     const ImportanceSums& sums, Watch& watch);

}  // namespace bychance::forest
