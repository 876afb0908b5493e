// Sorts numbers of pairs, not their values, and steps up from the largest p-value.
#include "pairs/ordering.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace bychance {
namespace {

// -1 where a comes first, 1 where b does, 0 where they are equal; larger first, NaN last.
int compare(double a, double b) {
  if (a > b) return -1;
  if (a < b) return 1;
  return static_cast<int>(std::isnan(a)) - static_cast<int>(std::isnan(b));
}

// Numbers of [0, 1] by exponent and first twelve binary digits, in their order: IEEE 754 doubles of one sign
// are ordered as their bits are.
constexpr int kDroppedBits = 40;
constexpr std::size_t kRanges = (std::size_t{1023} << (52 - kDroppedBits)) + 1;

std::size_t range_of(double value) {
  value += 0.0;  // -0 becomes 0
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<std::size_t>(bits >> kDroppedBits);
}

double start_of(std::size_t range) {
  const std::uint64_t bits = static_cast<std::uint64_t>(range) << kDroppedBits;
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace

std::vector<std::uint32_t> descending_order(const double* first, const float* second, std::size_t n) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [first, second](std::uint32_t i, std::uint32_t j) {
    int by = compare(first[i], first[j]);
    if (by == 0 && second != nullptr) by = compare(second[i], second[j]);
    return by != 0 ? by < 0 : i < j;
  });
  return order;
}

void false_discovery_rates(double* p, std::size_t n, double factor) {
  std::vector<std::uint32_t> order;
  order.reserve(n);
  for (std::size_t k = 0; k < n; ++k) {
    if (!std::isnan(p[k])) order.push_back(static_cast<std::uint32_t>(k));
  }
  std::sort(order.begin(), order.end(), [p](std::uint32_t i, std::uint32_t j) { return p[i] < p[j]; });
  const auto count = static_cast<double>(order.size());
  double least = 1;
  for (std::size_t k = order.size(); k-- > 0;) {
    least = std::min(least, p[order[k]] * factor * count / static_cast<double>(k + 1));
    p[order[k]] = least;
  }
}

void some_false_discovery_rates(const double* p, std::size_t n, double factor, double* wanted,
                                std::size_t n_wanted) {
  std::vector<std::uint32_t> below(kRanges + 1, 0);  // p-values in ranges before this one
  for (std::size_t k = 0; k < n; ++k) {
    if (!std::isnan(p[k])) ++below[range_of(p[k]) + 1];
  }
  std::partial_sum(below.begin(), below.end(), below.begin());
  const auto count = static_cast<double>(below[kRanges]);
  std::vector<bool> is_asked(kRanges, false);
  for (std::size_t i = 0; i < n_wanted; ++i) {
    if (!std::isnan(wanted[i])) is_asked[range_of(wanted[i])] = true;
  }
  // The last p-value of a range has the most before it: at_most[r] bounds what comes of r and all after it.
  std::vector<double> at_most(kRanges + 1, 1.0);
  for (std::size_t r = kRanges; r-- > 0;) {
    at_most[r] = at_most[r + 1];
    if (below[r + 1] > below[r]) {
      at_most[r] = std::min(at_most[r], start_of(r + 1) * factor * count / below[r + 1]);
    }
  }
  std::vector<bool> matters(kRanges, false);
  double limit = 0;
  for (std::size_t r = 0; r < kRanges; ++r) {
    if (below[r + 1] == below[r]) continue;
    if (is_asked[r]) limit = at_most[r];
    matters[r] = is_asked[r] || start_of(r) * factor * count / below[r + 1] <= limit;
  }
  std::vector<double> sorted;
  for (std::size_t k = 0; k < n; ++k) {
    if (!std::isnan(p[k]) && matters[range_of(p[k])]) sorted.push_back(p[k]);
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> rates(sorted.size());
  double least = 1;
  for (std::size_t end = sorted.size(); end > 0;) {
    const std::size_t r = range_of(sorted[end - 1]);
    const std::size_t start = end - (below[r + 1] - below[r]);
    for (std::size_t k = end; k-- > start;) {
      const double rank = static_cast<double>(below[r] + (k - start) + 1);
      least = std::min(least, sorted[k] * factor * count / rank);
      rates[k] = least;
    }
    end = start;
  }
  for (std::size_t i = 0; i < n_wanted; ++i) {
    if (std::isnan(wanted[i])) continue;
    const auto found = std::lower_bound(sorted.begin(), sorted.end(), wanted[i]);
    wanted[i] = rates[static_cast<std::size_t>(found - sorted.begin())];
  }
}

}  // namespace bychance
