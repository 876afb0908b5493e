// The bits of a double, with the sign turned around, order as the doubles do: halves of them are sorted.
#include "forest/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "forest/sort.hpp"

namespace bychance {
namespace {

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

std::uint64_t key_of(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits ^ ((std::uint64_t{0} - (bits >> 63)) | kSign);  // signs are random: nothing to foresee
}

// Half of a number's key, above its row.
using Item = std::uint64_t;

constexpr unsigned kHalf = 32;
constexpr std::size_t kFew = 1024;

std::uint32_t row_of(Item item) { return static_cast<std::uint32_t>(item); }

void sort_items(Item* items, Item* scratch, std::size_t n) {
  n < kFew ? std::sort(items, items + n) : radix_sort(items, scratch, n, kHalf, 2 * kHalf);
}

// By the first halves, as most numbers that differ do so there; then the last halves of equal ones.
void sort_rows(Item* items, std::size_t n, const double* numbers) {
  std::vector<Item> scratch(n);
  sort_items(items, scratch.data(), n);
  const auto is_less = [numbers](Item a, Item b) { return numbers[row_of(a)] < numbers[row_of(b)]; };
  for (std::size_t first = 0, last = 0; first < n; first = last) {
    for (last = first + 1; last < n && (items[first] ^ items[last]) >> kHalf == 0;) ++last;
    if (last - first == 1 || std::is_sorted(items + first, items + last, is_less)) continue;
    for (std::size_t k = first; k < last; ++k) {
      items[k] = key_of(numbers[row_of(items[k])] + 0) << kHalf | row_of(items[k]);
    }
    sort_items(items + first, scratch.data(), last - first);
  }
}

}  // namespace

Ranks rank_numbers(const double* numbers, std::size_t n) {
  std::vector<Item> items(n);
  std::size_t count = 0;
  for (std::size_t row = 0; row < n; ++row) {
    // Adding 0 makes 0 of -0.
    items[count] = key_of(numbers[row] + 0) >> kHalf << kHalf | row;
    count += !std::isnan(numbers[row]);
  }
  items.resize(count);
  sort_rows(items.data(), count, numbers);
  Ranks out{std::vector<std::int32_t>(n, -1), std::vector<double>(count)};
  std::size_t n_values = 0;
  double last = 0;
  for (const Item item : items) {
    const double number = numbers[row_of(item)] + 0;
    n_values += n_values == 0 || number != last;
    out.values[n_values - 1] = last = number;
    out.codes[row_of(item)] = static_cast<std::int32_t>(n_values - 1);
  }
  out.values.resize(n_values);
  return out;
}

}  // namespace bychance
