// Counting and sorting of codes, quick for few codes and for few rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace bychance::forest {

constexpr std::size_t kByteCells = 8;

// Adds to `table` (n_cells, and room for kByteCells at least) the cells key_of(0) … key_of(n-1). Up to eight
// are counted as the bytes of one number, added to the table before one can overflow. A cell in memory would
// wait for each store before the next read.
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

inline unsigned bits_of(std::uint32_t value) {
  unsigned bits = 0;
  while (value >> bits) ++bits;
  return bits;
}

constexpr std::size_t kFewInOrder = 88;

// Stable ascending sort of up to kFewInOrder numbers. Each goes to the place that equals the count of smaller
// numbers, without branches. Numbers have at most 24 bits from first_bit on.
void order_few(std::uint32_t* values, std::uint32_t* scratch, std::size_t n, unsigned first_bit);

// Radix sort by bits first_bit … last_bit-1, least digit first, in passes of equal digits.
template <class T>
void radix_sort(T* values, T* scratch, std::size_t n, unsigned first_bit, unsigned last_bit) {
  constexpr unsigned kMostDigits = 11;
  const unsigned wished = n < 384 ? 7 : kMostDigits;
  const unsigned n_passes = (last_bit - first_bit + wished - 1) / wished;
  const unsigned digits = n_passes ? (last_bit - first_bit + n_passes - 1) / n_passes : 0;
  const std::size_t n_starts = std::size_t{1} << digits, mask = n_starts - 1;
  std::uint32_t starts[std::size_t{1} << kMostDigits];
  T *from = values, *to = scratch;
  for (unsigned pass = 1, shift = first_bit; pass <= n_passes; ++pass, shift += digits) {
    std::fill(starts, starts + n_starts, 0u);
    for (std::size_t k = 0; k < n; ++k) ++starts[(from[k] >> shift) & mask];
    std::uint32_t sum = 0;
    for (std::size_t digit = 0; digit < n_starts; ++digit) {
      const std::uint32_t count = starts[digit];
      starts[digit] = sum;
      sum += count;
    }
    for (std::size_t k = 0; k < n; ++k) to[starts[(from[k] >> shift) & mask]++] = from[k];
    std::swap(from, to);
  }
  if (from != values) std::copy(from, from + n, values);
}

constexpr std::size_t kFewestRadixRows = 41, kFewestInOrder = 5;
constexpr unsigned kMostOrderedBits = 24;

// Sorts by bits first_bit … last_bit-1, above which all are 0. A few values are sorted by all of their bits.
template <class T>
void sort_by_bits(T* values, T* scratch, std::size_t n, unsigned first_bit, unsigned last_bit) {
  if constexpr (sizeof(T) == sizeof(std::uint32_t)) {
    const unsigned sorted_from = n < kFewestRadixRows ? 0 : first_bit;
    if (n >= kFewestInOrder && n <= kFewInOrder && last_bit - sorted_from <= kMostOrderedBits) {
      return order_few(values, scratch, n, sorted_from);
    }
  }
  if (n < kFewestRadixRows) {
    std::sort(values, values + n);
  } else {
    radix_sort(values, scratch, n, first_bit, last_bit);
  }
}

}  // namespace bychance::forest
