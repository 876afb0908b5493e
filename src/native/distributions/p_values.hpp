// Very many p-values, and orders of other values, in few bytes: ranks, false discovery rates and the convex
// hull of the p-values of a whole table of pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bychance {

// Numbers 0..n-1 from the largest value to the smallest, NaN last; equal values by `second` in the same way
// (unless it is null), then by number.
std::vector<std::uint32_t> descending_order(const double* first, const float* second, std::size_t n);

// p-values → q-values in place: the k-th smallest of m becomes the least p·m·factor/k from there on, at
// most 1. NaN is no test, and stays.
void false_discovery_rates(double* p, std::size_t n, double factor);

struct Tests {
  std::size_t count = 0;          // p-values that are not NaN
  double least = 0, largest = 0;  // infinities if there is none
};
Tests tests_of(const double* p, std::size_t n, std::size_t n_threads);

// The q-values of some of the p-values only, wanted[0..n_wanted), in the same way to the last digit: most of
// the others are counted in narrow ranges, and only ranges that could hold the least p·m/k are sorted.
// Returns how many of all q-values are below `level`.
std::size_t some_false_discovery_rates(const double* p, std::size_t n, const Tests& tests, double factor,
                                       double level, std::size_t n_threads, double* wanted,
                                       std::size_t n_wanted);

// The lower convex hull of the points (rank, p).
struct LowerHull {
  std::vector<std::int64_t> ranks;
  std::vector<double> values;
};

// Corners of the hull, ranks counted from 1 over ascending p-values in [0, 1]; NaN is no test.
LowerHull lower_hull(const double* p, std::size_t n, const Tests& tests, std::size_t n_threads);

}  // namespace bychance
