// Both sides of pairs, from rows of invariants: one row per matrix, whatever pairs it is in.
#pragma once

#include <vector>

#include "bindings/arrays.hpp"
#include "nulls/trace_moments.hpp"

namespace bychance {

inline void require_invariants(const InRows<double>& rows) {
  require(rows.shape(1) == kInvariants, "eight invariants a variable");
}

template <class Side>
std::vector<Side> sides_of(const InRows<double>& invariants) {
  std::vector<Side> sides;
  sides.reserve(invariants.shape(0));
  for (std::size_t i = 0; i < invariants.shape(0); ++i) {
    sides.emplace_back(invariants.data() + i * kInvariants);
  }
  return sides;
}

// Calls use(k, a, b) with both sides of each pair; they are made once if most are in several pairs.
template <class Side, class Use>
void over_sides(const InRows<double>& x, const InRows<double>& y, const PairIndices& pairs, Use use) {
  if (x.shape(0) + y.shape(0) > pairs.count) {
    const auto side = [](const InRows<double>& rows, std::int64_t i) {
      return Side(rows.data() + static_cast<std::size_t>(i) * kInvariants);
    };
    for (std::size_t k = 0; k < pairs.count; ++k) use(k, side(x, pairs.first[k]), side(y, pairs.second[k]));
    return;
  }
  const auto a = sides_of<Side>(x), b = sides_of<Side>(y);
  for (std::size_t k = 0; k < pairs.count; ++k) {
    use(k, a[static_cast<std::size_t>(pairs.first[k])], b[static_cast<std::size_t>(pairs.second[k])]);
  }
}

}  // namespace bychance
