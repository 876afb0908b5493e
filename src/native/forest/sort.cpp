// Loops without branches over blocks of fixed size.
#include "forest/sort.hpp"

#include <limits>

#include "core/arithmetic.hpp"

namespace bychance::forest {
namespace {

constexpr unsigned kPlaceBits = 7;  // bits of a place among kFewInOrder

}  // namespace

BYCHANCE_WIDE void order_few(std::uint32_t* values, std::uint32_t* scratch, std::size_t n,
                             unsigned first_bit) {
  constexpr std::size_t kLanes = 8;
  std::int32_t items[kFewInOrder], n_less[kFewInOrder];
  const std::size_t end = (n + kLanes - 1) / kLanes * kLanes;
  for (std::size_t k = 0; k < n; ++k) {
    scratch[k] = values[k];
    items[k] = static_cast<std::int32_t>(values[k] >> first_bit << kPlaceBits | k);
  }
  for (std::size_t k = n; k < end; ++k) items[k] = std::numeric_limits<std::int32_t>::max();
  for (std::size_t k = 0; k < end; ++k) n_less[k] = 0;
  for (std::size_t k = 0; k < n; k += 4) {  // four at a time: counts are read and written less often
    const std::int32_t a = items[k], b = items[k + 1], c = items[k + 2], d = items[k + 3];
    for (std::size_t i = 0; i < end; ++i) {
      n_less[i] += (a < items[i]) + (b < items[i]) + (c < items[i]) + (d < items[i]);
    }
  }
  for (std::size_t k = 0; k < n; ++k) values[n_less[k]] = scratch[k];
}

}  // namespace bychance::forest
