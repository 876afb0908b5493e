// Both sides of pairs, from rows of invariants: one row per matrix, whatever pairs it is in.
#pragma once

#include <vector>

#include "bindings/arrays.hpp"
#include "moments/trace_moments.hpp"

namespace bychance {

inline const Invariants* invariants_of(const InRows<double>& rows) {
  require(rows.shape(1) == kInvariants, "eight invariants a variable");
  return reinterpret_cast<const Invariants*>(rows.data());
}

inline Out<double> to_numpy(const Invariants& a) {
  return to_numpy(std::vector<double>{a.T, a.T2, a.T3, a.S2, a.S3, a.B1, a.R, a.U});
}

template <class Side>
std::vector<Side> sides_of(const InRows<double>& rows) {
  const Invariants* invariants = invariants_of(rows);
  return {invariants, invariants + rows.shape(0)};
}

// Calls use(k, a, b) with both sides of each pair; they are made once if most are in several pairs.
template <class Side, class Use>
void over_sides(const InRows<double>& x, const InRows<double>& y, const PairIndices& pairs, Use use) {
  if (x.shape(0) + y.shape(0) > pairs.count) {
    const Invariants *first = invariants_of(x), *second = invariants_of(y);
    for (std::size_t k = 0; k < pairs.count; ++k) {
      use(k, Side(first[pairs.first[k]]), Side(second[pairs.second[k]]));
    }
    return;
  }
  const auto a = sides_of<Side>(x), b = sides_of<Side>(y);
  for (std::size_t k = 0; k < pairs.count; ++k) {
    use(k, a[pairs.first[k]], b[pairs.second[k]]);
  }
}

}  // namespace bychance
