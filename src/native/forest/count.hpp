// How often each of a few numbers occurs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace bychance {

constexpr std::size_t kByteCells = 16;

// Rows take turns with two tables where that is worth a second one.
template <class KeyOf>
void count_in_memory(std::size_t n, std::size_t n_cells, std::int32_t* table, KeyOf key_of) {
  constexpr std::size_t kMostCells = 64;
  std::size_t k = 0;
  if (n_cells <= kMostCells && n >= 2 * n_cells) {
    std::int32_t others[kMostCells] = {};
    for (; k + 2 <= n; k += 2) {
      const std::size_t own = key_of(k), other = key_of(k + 1);
      ++table[own];
      ++others[other];
    }
    for (std::size_t cell = 0; cell < n_cells; ++cell) table[cell] += others[cell];
  }
  for (; k < n; ++k) ++table[key_of(k)];
}

// Adds to `table` (n_cells, and room for kByteCells at least) the cells key_of(0) … key_of(n-1). Up to eight
// are counted as the bytes of one number, up to sixteen of two, and emptied into the table before one can
// overflow: a cell in memory would have to be stored before it can be read again.
template <class KeyOf>
void count_cells(std::size_t n, std::size_t n_cells, std::int32_t* table, KeyOf key_of) {
  if (n_cells > kByteCells) return count_in_memory(n, n_cells, table, key_of);
  const auto add = [=](std::uint64_t bytes, std::size_t first) {
    for (std::size_t cell = 0; cell < 8; ++cell) {
      table[first + cell] += static_cast<std::int32_t>(bytes >> (8 * cell) & 255);
    }
  };
  for (std::size_t start = 0; start < n; start += 255) {
    const std::size_t end = std::min(n, start + 255);
    std::uint64_t bytes = 0, others = 0;
    if (n_cells <= 8) {
      for (std::size_t k = start; k < end; ++k) bytes += std::uint64_t{1} << (8 * key_of(k));
    } else {
      for (std::size_t k = start; k < end; ++k) {
        const std::uint64_t key = key_of(k), one = std::uint64_t{1} << (8 * (key & 7)), is_other = key >> 3;
        bytes += one & (is_other - 1);
        others += one & -is_other;
      }
      add(others, 8);
    }
    add(bytes, 0);
  }
}

}  // namespace bychance
