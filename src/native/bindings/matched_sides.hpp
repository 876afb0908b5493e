// What laws need of one column, from its invariants.
#pragma once

#include <vector>

#include "bindings/arrays.hpp"
#include "nulls/trace_law.hpp"

namespace bychance {

inline std::vector<MatchedSide> matched_sides(const InRows<double>& invariants) {
  require(invariants.shape(1) == kInvariants, "eight invariants per variable");
  std::vector<MatchedSide> sides;
  sides.reserve(invariants.shape(0));
  for (std::size_t i = 0; i < invariants.shape(0); ++i) {
    sides.emplace_back(invariants.data() + i * kInvariants);
  }
  return sides;
}

}  // namespace bychance
