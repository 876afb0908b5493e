// Keys are the bits of doubles, which are ordered as unsigned numbers once negative ones are turned around.
#include "core/column_order.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/arithmetic.hpp"

namespace bychance {
namespace {

std::uint64_t bits_of(double value) {
  return bits_as<std::uint64_t>(value + 0.0);  // -0 becomes 0
}

std::uint64_t key_of(double value) {
  const std::uint64_t bits = bits_of(value);
  return bits >> 63 ? ~bits : bits | std::uint64_t{1} << 63;
}

// Least significant byte first; bytes that all keys share are skipped.
void radix_sort(std::vector<KeyedRow>& keyed) {
  std::vector<KeyedRow> other(keyed.size());
  std::array<std::array<std::uint32_t, 256>, 8> counts{};
  for (const KeyedRow& k : keyed)
    for (int byte = 0; byte < 8; ++byte) ++counts[byte][k.key >> 8 * byte & 255];
  for (int byte = 0; byte < 8; ++byte) {
    std::array<std::uint32_t, 256>& start = counts[byte];
    if (start[keyed[0].key >> 8 * byte & 255] == keyed.size()) continue;
    std::uint32_t before = 0;
    for (std::uint32_t& count : start) before += std::exchange(count, before);
    for (const KeyedRow& k : keyed) other[start[k.key >> 8 * byte & 255]++] = k;
    keyed.swap(other);
  }
}

}  // namespace

std::vector<KeyedRow> ascending_rows(const double* values, std::size_t n) {
  constexpr std::size_t kFewRows = 256;  // for which counting bytes costs more than comparing
  std::vector<KeyedRow> keyed(n);
  for (std::size_t k = 0; k < n; ++k) keyed[k] = {key_of(values[k]), static_cast<std::int32_t>(k)};
  if (n >= kFewRows) {
    radix_sort(keyed);
  } else {
    std::sort(keyed.begin(), keyed.end(), [](const KeyedRow& a, const KeyedRow& b) {
      return a.key < b.key || (a.key == b.key && a.row < b.row);
    });
  }
  return keyed;
}

bool are_distinct(const double* values, std::size_t n) {
  constexpr std::uint64_t kEmpty = ~std::uint64_t{0};     // the bits of a NaN
  constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15u;  // Fibonacci hashing: the high bits of a product
  int digits = 2;
  while ((std::size_t{1} << digits) < 2 * n) ++digits;
  const std::size_t mask = (std::size_t{1} << digits) - 1;
  std::vector<std::uint64_t> slots(mask + 1, kEmpty);
  for (std::size_t k = 0; k < n; ++k) {
    const std::uint64_t bits = bits_of(values[k]);
    std::size_t slot = static_cast<std::size_t>((bits ^ bits >> 32) * kGolden >> (64 - digits));
    for (; slots[slot] != kEmpty; slot = (slot + 1) & mask) {
      if (slots[slot] == bits) return false;
    }
    slots[slot] = bits;
  }
  return true;
}

}  // namespace bychance
