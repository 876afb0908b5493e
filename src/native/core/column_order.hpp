// The ascending order of one column without NaN, and whether it repeats a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bychance {

// A key is ordered like its value; -0.0 and 0.0 share one.
struct KeyedRow {
  std::uint64_t key;
  std::int32_t row;
};

// Returns the rows from the smallest value to the largest, equal values by row.
std::vector<KeyedRow> ascending_rows(const double* values, std::size_t n);

// Returns true if no value occurs twice. Looks values up in a table of hashes, in one pass: several times as
// quick as a sort.
bool are_distinct(const double* values, std::size_t n);

}  // namespace bychance
