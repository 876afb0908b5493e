// Exact mean and variance of mutual information -> the law that fits them, and what there is to doubt.
//
// The pair is not degenerate by its columns alone (constant, all distinct, under three rows). In whole
// tables `others` are only known to be at least so many: there a pair that may have rare values is undecided.
#pragma once

#include "nulls/information_moments.hpp"
#include "nulls/trace_law.hpp"

namespace bychance {

// Gamma from zero, exact for 2 x 2 tables; the smallest groups of x and of y have so many rows. The variance
// is NaN where it is unknown, and the pair then undecided; `upper` is the end of the support.
TraceLaw match_information(const InformationMoments& moments, const PairCounts& counts, double x_smallest,
                           double y_smallest, double upper, bool is_whole_table);

}  // namespace bychance
