// Moments of sums that are no traces -> the law that fits them, and what there is to doubt.
#pragma once

#include "nulls/trace_law.hpp"

namespace bychance {

// Beta law of Kendall's tau^2, over strata or over all rows; undecided where none has these moments.
TraceLaw match_signs(double mean, double variance, const PairCounts& counts, double upper, bool is_in_strata);

// Normal law of a sum whose skewness is not known, from `low` to `upper`.
TraceLaw match_normal(double mean, double variance, const PairCounts& counts, double low, double upper,
                      const Judgment& judgment);

// What is summed over strata: traces, traces of dense matrices, mutual information, pairs of rows (xi), or
// anything else.
enum class Summand { trace, dense, information, pairs, other };

// The law of a sum over strata of n rows; `least` is the fewest rows that a cell of mutual information
// expects, or the fewest distinct values of xi.
TraceLaw match_sum(const ScaledMoments& moments, Summand summand, double n, double least, double upper);

}  // namespace bychance
