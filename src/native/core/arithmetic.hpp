// Arithmetic on doubles: sums in lanes, functions for wide registers, their bits, and their rounding.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>

// A function compiled twice, with and without wide registers; the processor at hand decides which is called.
// Fused operations are off, so that both versions give the same figures.
#if !defined(BYCHANCE_NO_DISPATCH) && defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && \
    !defined(__clang__)
#define BYCHANCE_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define BYCHANCE_WIDE
#endif

namespace bychance {

// The sum of term(k) for k below n, in four lanes: no addition waits for the last one.
template <class Term>
double sum_in_lanes(std::size_t n, Term term) {
  double lanes[4] = {0, 0, 0, 0};
  std::size_t k = 0;
  for (; k + 4 <= n; k += 4) {
    for (std::size_t i = 0; i < 4; ++i) lanes[i] += term(k + i);
  }
  for (; k < n; ++k) lanes[0] += term(k);
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

// Return the bits of a value as another type of the same size.
template <class To, class From>
To bits_as(From value) {
  static_assert(sizeof(To) == sizeof(From), "both types must have one size");
  To bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// The distance below an observed value that still counts as equal to it. The same pairing summed in another
// order differs in its last digits, and many measures are squares of sums, so that a small value has the
// rounding of its root. `tolerance` of src/bychance/scores.py says the same.
// Factors are rounding errors of sums with room to spare (taste).
inline double tolerance(double observed, double std) {
  const double size = std::abs(observed);
  return 1e-10 * std + 1e-12 * size + 1e-13 * std::sqrt(size);
}

}  // namespace bychance
