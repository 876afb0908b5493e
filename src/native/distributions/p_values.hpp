// False discovery rates, ranks and the convex hull of very many p-values, in few bytes per p-value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bychance {

// Positions 0..n-1 of the values `first` from the largest to the smallest, NaN last. Equal values are sorted
// by `second` in the same way (unless it is null), then by position.
std::vector<std::uint32_t> descending_order(const double* first, const float* second, std::size_t n);

// Converts p-values to q-values in place: the k-th smallest of m becomes the minimum of p_j·m·factor/j over
// j >= k, at most 1. `factor` is 1 for Benjamini-Hochberg, sum 1/k for Benjamini-Yekutieli. NaN is no test.
void false_discovery_rates(double* p, std::size_t n, double factor);

// Number and range of the p-values that are tests.
struct Tests {
  std::size_t count = 0;          // p-values that are not NaN
  double least = 0, largest = 0;  // infinities if there is none
};
Tests tests_of(const double* p, std::size_t n, std::size_t n_threads);

// Converts some of the p-values, wanted[0..n_wanted), to the q-values that they have among all n p-values, to
// the last digit. p-values are counted in narrow ranges, and only ranges that could hold the least p·m/k are
// sorted. Returns how many of all q-values are below `level`.
std::size_t some_false_discovery_rates(const double* p, std::size_t n, const Tests& tests, double factor,
                                       double level, std::size_t n_threads, double* wanted,
                                       std::size_t n_wanted);

// The lower convex hull of the points (rank, p).
struct LowerHull {
  std::vector<std::int64_t> ranks;
  std::vector<double> values;
};

// Corners of the lower convex hull. Ranks count ascending p-values in [0, 1] from 1, and NaN is no test.
LowerHull lower_hull(const double* p, std::size_t n, const Tests& tests, std::size_t n_threads);

}  // namespace bychance
