// Numbers → the distinct ones in order, and each number's place among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bychance {

struct Ranks {
  std::vector<std::int32_t> codes;  // -1 for NaN
  std::vector<double> values;       // ascending; 0 and -0 are one
};

Ranks rank_numbers(const double* numbers, std::size_t n);

}  // namespace bychance
