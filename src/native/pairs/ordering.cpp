// Sorts numbers of pairs, not their values, and steps up from the largest p-value.
#include "pairs/ordering.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bychance {
namespace {

// -1 where a comes first, 1 where b does, 0 where they are equal; larger first, NaN last.
int compare(double a, double b) {
  if (a > b) return -1;
  if (a < b) return 1;
  return static_cast<int>(std::isnan(a)) - static_cast<int>(std::isnan(b));
}

// From the largest p-value down: at(k) is the k-th smallest.
template <class At>
void step_up(std::size_t count, double factor, At at) {
  double least = 1;
  for (std::size_t k = count; k-- > 0;) {
    least = std::min(least, at(k) * factor * static_cast<double>(count) / static_cast<double>(k + 1));
    at(k) = least;
  }
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
  step_up(order.size(), factor, [p, &order](std::size_t k) -> double& { return p[order[k]]; });
}

void false_discovery_rates_sorted(double* p, std::size_t n, double factor) {
  while (n > 0 && std::isnan(p[n - 1])) --n;
  step_up(n, factor, [p](std::size_t k) -> double& { return p[k]; });
}

}  // namespace bychance
