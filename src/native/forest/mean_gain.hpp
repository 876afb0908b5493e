// The mean gain of a column over its cuts, or the gain of its multiway split: tr(A B)/n, where B is the Gram
// matrix of the centered responses, and A, of the column, a weighted sum of projections. Nothing is searched:
// the null is that of a quadratic form. forest/null.hpp has its law, from what is here of A.
#pragma once

#include <cstddef>

namespace bychance {

// tr A, tr A^2, and the sum of A_ii^2.
struct Traces {
  double a1 = 0, a2 = 0, a_d = 0;

  // Of the cuts first … last-1, of weights c to the left out of n; `reciprocals` has 1/(c (n-c)). Each cut
  // weighs as much as the two groups beside it: the mean is the k-sample Anderson-Darling statistic.
  static Traces of_cuts(double n, const double* left, const double* reciprocals, std::size_t first,
                        std::size_t last);
  // Of r categories, of so much weight so far.
  static Traces of_categories(double n, const double* left, std::size_t r);
  // Out of n rows, m have no value. Having one is a split at right angles to all others: one category more.
  void add_gap(double n, double m);
};

// The mean of the gains of these cuts.
double mean_over_cuts(const double* left, const double* gains, std::size_t first, std::size_t last);

}  // namespace bychance
