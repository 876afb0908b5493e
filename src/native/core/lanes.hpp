// Sums in four lanes: no addition waits for the last one.
#pragma once

#include <cstddef>

namespace bychance {

// The sum of term(k) for k below n.
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

}  // namespace bychance
