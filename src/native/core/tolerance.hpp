// The distance below an observed value that still counts as equal to it.
//
// The same pairing summed in another order differs in its last digits. Many measures are squares of sums, so
// that a small value has the rounding of its root. `tolerance` of src/bychance/nulls/base.py says the same.
#pragma once

#include <cmath>

namespace bychance {

inline double tolerance(double observed, double std) {
  const double size = std::abs(observed);
  return 1e-10 * std + 1e-12 * size + 1e-13 * std::sqrt(size);
}

}  // namespace bychance
