// The bits of a double, with the sign turned around, order as the doubles do: digits of them are sorted.
#include "forest/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace bychance {
namespace {

struct Item {
  std::uint64_t key;
  std::uint32_t row;
};

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

std::uint64_t key_of(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits & kSign ? ~bits : bits | kSign;
}

double number_of(std::uint64_t key) {
  const std::uint64_t bits = key & kSign ? key & ~kSign : ~key;
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

constexpr unsigned kDigitBits = 11, kKeyBits = 64;
constexpr unsigned kLowBits = kKeyBits - 3 * kDigitBits;
constexpr std::size_t kFew = 1024;

// By the bits first_bit … last_bit-1, least digit first.
void sort_digits(Item* items, Item* scratch, std::size_t n, unsigned first_bit, unsigned last_bit) {
  constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  std::uint32_t starts[kDigits];
  Item *from = items, *to = scratch;
  for (unsigned shift = first_bit; shift < last_bit; shift += kDigitBits) {
    std::fill(starts, starts + kDigits, 0u);
    for (std::size_t k = 0; k < n; ++k) ++starts[from[k].key >> shift & (kDigits - 1)];
    // Most columns keep to a few signs and exponents.
    if (starts[from[0].key >> shift & (kDigits - 1)] == n) continue;
    std::uint32_t sum = 0;
    for (std::uint32_t& start : starts) {
      const std::uint32_t count = start;
      start = sum;
      sum += count;
    }
    for (std::size_t k = 0; k < n; ++k) to[starts[from[k].key >> shift & (kDigits - 1)]++] = from[k];
    std::swap(from, to);
  }
  if (from != items) std::copy(from, from + n, items);
}

// By the high digits first: most numbers that differ do so there.
void sort_items(std::vector<Item>& items) {
  const auto is_less = [](const Item& a, const Item& b) { return a.key < b.key; };
  if (items.size() < kFew) return std::sort(items.begin(), items.end(), is_less);
  std::vector<Item> scratch(items.size());
  sort_digits(items.data(), scratch.data(), items.size(), kLowBits, kKeyBits);
  const auto is_other = [](const Item& a, const Item& b) { return a.key >> kLowBits != b.key >> kLowBits; };
  for (auto first = items.begin(); first != items.end();) {
    auto last = first + 1;
    while (last != items.end() && !is_other(*first, *last)) ++last;
    const auto n = static_cast<std::size_t>(last - first);
    if (n > 1 && !std::is_sorted(first, last, is_less)) {
      if (n < kFew) {
        std::sort(first, last, is_less);
      } else {
        sort_digits(&*first, scratch.data(), n, 0, kLowBits);
      }
    }
    first = last;
  }
}

}  // namespace

Ranks rank_numbers(const double* numbers, std::size_t n) {
  std::vector<Item> items(n);
  std::size_t count = 0;
  for (std::size_t row = 0; row < n; ++row) {
    // Adding 0 makes 0 of -0.
    items[count] = {key_of(numbers[row] + 0), static_cast<std::uint32_t>(row)};
    count += !std::isnan(numbers[row]);
  }
  items.resize(count);
  sort_items(items);
  Ranks out{std::vector<std::int32_t>(n, -1), {}};
  for (std::size_t k = 0; k < items.size(); ++k) {
    if (k == 0 || items[k].key != items[k - 1].key) out.values.push_back(number_of(items[k].key));
    out.codes[items[k].row] = static_cast<std::int32_t>(out.values.size() - 1);
  }
  return out;
}

}  // namespace bychance
