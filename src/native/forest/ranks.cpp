// The bits of a double, with the sign turned around, order as the doubles do: digits of them are sorted,
// least first.
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

void sort_items(std::vector<Item>& items) {
  constexpr unsigned kDigitBits = 11, kKeyBits = 64;
  constexpr std::size_t kDigits = std::size_t{1} << kDigitBits, kFew = 1024;
  if (items.size() < kFew) {
    std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.key < b.key; });
    return;
  }
  std::vector<Item> scratch(items.size());
  std::vector<std::uint32_t> starts(kDigits);
  for (unsigned shift = 0; shift < kKeyBits; shift += kDigitBits) {
    std::fill(starts.begin(), starts.end(), 0u);
    for (const Item& item : items) ++starts[item.key >> shift & (kDigits - 1)];
    // Whole numbers end in zeros, and most columns keep to a few signs and exponents.
    if (starts[items[0].key >> shift & (kDigits - 1)] == items.size()) continue;
    std::uint32_t sum = 0;
    for (std::uint32_t& start : starts) {
      const std::uint32_t count = start;
      start = sum;
      sum += count;
    }
    for (const Item& item : items) scratch[starts[item.key >> shift & (kDigits - 1)]++] = item;
    items.swap(scratch);
  }
}

}  // namespace

Ranks rank_numbers(const double* numbers, std::size_t n) {
  std::vector<Item> items;
  items.reserve(n);
  for (std::size_t row = 0; row < n; ++row) {
    // Adding 0 makes 0 of -0.
    if (!std::isnan(numbers[row]))
      items.push_back({key_of(numbers[row] + 0), static_cast<std::uint32_t>(row)});
  }
  sort_items(items);
  Ranks out{std::vector<std::int32_t>(n, -1), {}};
  for (std::size_t k = 0; k < items.size(); ++k) {
    if (k == 0 || items[k].key != items[k - 1].key) out.values.push_back(number_of(items[k].key));
    out.codes[items[k].row] = static_cast<std::int32_t>(out.values.size() - 1);
  }
  return out;
}

}  // namespace bychance
