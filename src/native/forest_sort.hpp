// Ascending order of unsigned numbers of which many are sorted, few at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

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

// By eight bits at a time from bit `first_bit` up to `last_bit`; the result is in `values`.
template <class T>
void radix_sort(T* values, T* scratch, std::size_t n, unsigned first_bit, unsigned last_bit) {
  T *from = values, *to = scratch;
  for (unsigned shift = first_bit; shift < last_bit; shift += 8) {
    std::size_t starts[256] = {};
    for (std::size_t k = 0; k < n; ++k) ++starts[(from[k] >> shift) & 255];
    std::size_t sum = 0;
    for (std::size_t& start : starts) {
      const std::size_t count = start;
      start = sum;
      sum += count;
    }
    for (std::size_t k = 0; k < n; ++k) to[starts[(from[k] >> shift) & 255]++] = from[k];
    std::swap(from, to);
  }
  if (from != values) std::copy(from, from + n, values);
}

constexpr std::size_t kInsertionRows = 32, kComparisonRows = 256;

template <class T>
void sort_by_bits(T* values, T* scratch, std::size_t n, unsigned first_bit, unsigned last_bit) {
  if (n <= kInsertionRows) {
    insertion_sort(values, n);
  } else if (n <= kComparisonRows) {
    std::sort(values, values + n);
  } else {
    radix_sort(values, scratch, n, first_bit, last_bit);
  }
}

}  // namespace bychance
