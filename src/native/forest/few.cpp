// Loops without branches over blocks of fixed size.
#include "forest/few.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "forest/split.hpp"
#include "wide.hpp"

namespace bychance {
namespace {

constexpr unsigned kPlaceBits = 7;  // of one among kFewInOrder

BYCHANCE_WIDE void gains_of_cuts(double n, double total, double scale, const double* left, const double* sums,
                                 std::size_t first, std::size_t last, double* gains, double* reciprocals) {
  constexpr std::size_t kLanes = 4;
  const auto take_block = [=](std::size_t g) {
    double own[kLanes], excess[kLanes], sizes[kLanes];
    for (std::size_t i = 0; i < kLanes; ++i) excess[i] = sums[g + i] * n - left[g + i] * total;
    for (std::size_t i = 0; i < kLanes; ++i) sizes[i] = 1 / (left[g + i] * (n - left[g + i]));
    for (std::size_t i = 0; i < kLanes; ++i) own[i] = scale * (excess[i] * excess[i]) * sizes[i];
    for (std::size_t i = 0; i < kLanes; ++i) reciprocals[g + i] = sizes[i];
    for (std::size_t i = 0; i < kLanes; ++i) gains[g + i] = own[i];
  };
  if (last - first >= kLanes) {
    for (std::size_t g = first; g + kLanes < last; g += kLanes) take_block(g);
    return take_block(last - kLanes);  // some of them again, rather than one by one
  }
  for (std::size_t g = first; g < last; ++g) {
    const double excess = sums[g] * n - left[g] * total;
    reciprocals[g] = 1 / (left[g] * (n - left[g]));
    gains[g] = scale * (excess * excess) * reciprocals[g];
  }
}

}  // namespace

void CutGains::at(const double* left, const double* sums, std::size_t first, std::size_t last, double* gains,
                  double* reciprocals) const {
  gains_of_cuts(n, total, scale, left, sums, first, last, gains, reciprocals);
}

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

BYCHANCE_WIDE std::size_t first_best_of_many(const double* values, std::size_t first, std::size_t last,
                                             double floor) {
  constexpr std::size_t kLanes = 8;
  double best[kLanes];
  for (double& each : best) each = floor;
  std::size_t k = first;
  for (; k + kLanes <= last; k += kLanes) {
    for (std::size_t i = 0; i < kLanes; ++i) best[i] = values[k + i] > best[i] ? values[k + i] : best[i];
  }
  for (; k < last; ++k) best[0] = values[k] > best[0] ? values[k] : best[0];
  double most = floor;
  for (const double each : best) most = each > most ? each : most;
  if (most == floor) return last;
  constexpr std::size_t kFew = 16;
  if (last - first <= kFew) {  // without a branch that would have to be foreseen
    std::size_t found = last;
    for (k = last; k-- > first;) found = (values[k] >= most - kTie) & (values[k] > floor) ? k : found;
    return found;
  }
  const double near = most - kTie, least = near > floor ? near : std::nextafter(floor, most);
  const auto is_near = [=](std::size_t start) {
    unsigned found = 0;
    for (std::size_t i = 0; i < kLanes; ++i) found |= values[start + i] >= least;
    return found != 0;
  };
  for (k = first; k + kLanes <= last && !is_near(k);) k += kLanes;
  while (!(values[k] >= least)) ++k;
  return k;
}

}  // namespace bychance
