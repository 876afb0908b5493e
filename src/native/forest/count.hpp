// How often each of a few numbers occurs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace bychance {

constexpr std::size_t kByteCells = 8;

// Adds to `table` (n_cells, and room for kByteCells at least) the cells key_of(0) … key_of(n-1). Up to eight
// are counted as the bytes of one number and emptied into the table before one can overflow: a cell in memory
// would have to be stored before it can be read again.
template <class KeyOf>
void count_cells(std::size_t n, std::size_t n_cells, std::int32_t* table, KeyOf key_of) {
  if (n_cells > kByteCells) {
    for (std::size_t k = 0; k < n; ++k) ++table[key_of(k)];
    return;
  }
  for (std::size_t start = 0; start < n; start += 255) {
    const std::size_t end = std::min(n, start + 255);
    std::uint64_t bytes = 0;
    for (std::size_t k = start; k < end; ++k) bytes += std::uint64_t{1} << (8 * key_of(k));
    for (std::size_t cell = 0; cell < kByteCells; ++cell) {
      table[cell] += static_cast<std::int32_t>(bytes >> (8 * cell) & 255);
    }
  }
}

}  // namespace bychance
