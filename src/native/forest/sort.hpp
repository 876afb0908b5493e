// Ascending order of unsigned numbers of which many are sorted, few at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "forest/few.hpp"

namespace bychance {

template <class T>
void insertion_sort(T* values, std::size_t n) {
  for (std::size_t k = 1; k < n; ++k) {
    const T value = values[k];
    std::size_t place = k;
    for (; place > 0 && values[place - 1] > value; --place) values[place] = values[place - 1];
    values[place] = value;
  }
}

// Least digit first, over bits first_bit … last_bit-1 in passes of equal digits; the result is in `values`.
template <class T>
void radix_sort(T* values, T* scratch, std::size_t n, unsigned first_bit, unsigned last_bit) {
  constexpr unsigned kMostDigits = 11;
  const unsigned wished = n < 384 ? 7 : kMostDigits;
  const unsigned n_passes = (last_bit - first_bit + wished - 1) / wished;
  const unsigned digits = n_passes ? (last_bit - first_bit + n_passes - 1) / n_passes : 0;
  const std::size_t n_starts = std::size_t{1} << digits, mask = n_starts - 1;
  std::uint32_t memory[2][std::size_t{1} << kMostDigits];
  std::uint32_t *starts = memory[0], *next = memory[1];
  T *from = values, *to = scratch;
  std::fill(starts, starts + n_starts, 0u);
  for (std::size_t k = 0; k < n; ++k) ++starts[(from[k] >> first_bit) & mask];
  for (unsigned pass = 1, shift = first_bit; pass <= n_passes; ++pass, shift += digits) {
    std::uint32_t sum = 0;
    for (std::size_t digit = 0; digit < n_starts; ++digit) {
      const std::uint32_t count = starts[digit];
      starts[digit] = sum;
      sum += count;
    }
    if (pass == n_passes) {
      for (std::size_t k = 0; k < n; ++k) to[starts[(from[k] >> shift) & mask]++] = from[k];
    } else {  // the digits of the next pass are counted on the way
      std::fill(next, next + n_starts, 0u);
      for (std::size_t k = 0; k < n; ++k) {
        const T value = from[k];
        to[starts[(value >> shift) & mask]++] = value;
        ++next[(value >> (shift + digits)) & mask];
      }
      std::swap(starts, next);
    }
    std::swap(from, to);
  }
  if (from != values) std::copy(from, from + n, values);
}

constexpr std::size_t kInsertionRows = 40, kFewestInOrder = 5;
constexpr unsigned kMostOrderedBits = 24;

// By bits first_bit … last_bit-1, above which there are none; few values by all of their bits.
template <class T>
void sort_by_bits(T* values, T* scratch, std::size_t n, unsigned first_bit, unsigned last_bit) {
  if constexpr (sizeof(T) == sizeof(std::uint32_t)) {
    const unsigned sorted_from = n <= kInsertionRows ? 0 : first_bit;
    if (n >= kFewestInOrder && n <= kFewInOrder && last_bit - sorted_from <= kMostOrderedBits) {
      return order_few(values, scratch, n, sorted_from);
    }
  }
  if (n <= kInsertionRows) {
    insertion_sort(values, n);
  } else {
    radix_sort(values, scratch, n, first_bit, last_bit);
  }
}

}  // namespace bychance
