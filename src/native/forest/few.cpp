// Loops without branches over blocks of fixed size.
#include "forest/few.hpp"

#include "wide.hpp"

namespace bychance {
namespace {

constexpr unsigned kPlaceBits = 7;  // of one among kFewInOrder

BYCHANCE_WIDE void gains_of_cuts(double n, double total, double scale, const double* left, const double* sums,
                                 std::size_t first, std::size_t last, double* gains, double* reciprocals) {
  constexpr std::size_t kLanes = 4;
  const auto add_block = [=](std::size_t start, std::size_t size) {
    for (std::size_t g = start; g < start + size; ++g) {
      const double excess = sums[g] * n - left[g] * total;
      reciprocals[g] = 1 / (left[g] * (n - left[g]));
      gains[g] = scale * (excess * excess) * reciprocals[g];
    }
  };
  if (last - first < kLanes) return add_block(first, last - first);
  for (std::size_t g = first; g + kLanes < last; g += kLanes) add_block(g, kLanes);
  add_block(last - kLanes, kLanes);  // some of them again, rather than one by one
}

}  // namespace

void CutGains::at(const double* left, const double* sums, std::size_t first, std::size_t last, double* gains,
                  double* reciprocals) const {
  gains_of_cuts(n, total, scale, left, sums, first, last, gains, reciprocals);
}

BYCHANCE_WIDE void order_few(std::uint32_t* values, std::uint32_t* scratch, std::size_t n,
                             unsigned first_bit) {
  constexpr std::size_t kLanes = 16;
  std::int32_t items[kFewInOrder + kLanes];
  for (std::size_t k = 0; k < n; ++k) {
    scratch[k] = values[k];
    items[k] = static_cast<std::int32_t>(values[k] >> first_bit << kPlaceBits | k);
  }
  for (std::size_t k = n; k < n + kLanes; ++k) items[k] = 0;
  for (std::size_t start = 0; start < n; start += kLanes) {
    std::int32_t own[kLanes], n_less[kLanes];
    for (std::size_t i = 0; i < kLanes; ++i) own[i] = items[start + i], n_less[i] = 0;
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = 0; i < kLanes; ++i) n_less[i] += items[k] < own[i];
    }
    for (std::size_t i = 0; i < kLanes && start + i < n; ++i) values[n_less[i]] = scratch[start + i];
  }
}

}  // namespace bychance
