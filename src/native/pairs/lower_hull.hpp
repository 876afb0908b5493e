// The lower convex hull of the points (rank, p) of very many p-values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bychance {

struct LowerHull {
  std::size_t n_tests = 0;  // p-values that are not NaN
  std::vector<std::int64_t> ranks;
  std::vector<double> values;
};

// Corners of the hull, ranks counted from 1 over ascending p-values in [0, 1]; NaN is no test.
LowerHull lower_hull(const double* p, std::size_t n, std::size_t n_threads);

}  // namespace bychance
