// Where cuts lie alike from both ends, as those of numbers without ties do, half of the rows are walked: the
// other half is its mirror image.
#include "forest/band_walk.hpp"

#include <algorithm>
#include <cmath>

namespace bychance {
namespace {

constexpr double kRounding = 5e-10;  // of a distance

bool is_mirrored(double n, const double* left, std::size_t first, std::size_t last) {
  for (std::size_t i = first, j = last; i < j; ++i) {
    if (left[i] + left[--j] != n) return false;
  }
  return true;
}

std::ptrdiff_t rounded_up(double x) {
  const auto below = static_cast<std::ptrdiff_t>(x);
  return below + (static_cast<double>(below) < x);
}

}  // namespace

WalkCounts BandWalk::kept(double n, double b, double scale, const double* left, std::size_t first,
                          std::size_t last) {
  const auto most = static_cast<std::ptrdiff_t>(b);
  const bool has_mirror = is_mirrored(n, left, first, last);
  const double end = has_mirror ? std::floor(n / 2) : n, slope = b / n, width = std::sqrt(scale) / n;
  cells_.resize(static_cast<std::size_t>(most) + 1);
  Band band{cells_.data(), most, most};
  band.walks[most] = {1, 1};
  double row = 0;
  for (std::size_t cut = first; cut < last && left[cut] <= end; ++cut) {
    for (; row < left[cut]; row += 1) band.add_row();
    if (!band.pass_cut(most, row * slope, width * std::sqrt(row * (n - row)))) return {0, 0};
  }
  if (!has_mirror) return all_ways_on(band, n - row);
  for (; row < end; row += 1) band.add_row();
  return met(band, 2 * row < n);
}

inline void BandWalk::Band::add_row() {
  WalkCounts here{0, 0};
  if (first > 0) {
    --first;
  } else {
    here = walks[0];
  }
  for (std::ptrdiff_t y = first; y < last; ++y) {
    const WalkCounts next = walks[y + 1];
    walks[y].out = here.out + next.out, walks[y].in = here.in + next.in;
    here = next;
  }
  walks[last] = here;
}

inline bool BandWalk::Band::pass_cut(std::ptrdiff_t most, double center, double radius) {
  const double wide = radius * (1 + kRounding), narrow = radius * (1 - kRounding);
  first = std::max(first, most - static_cast<std::ptrdiff_t>(center + wide));
  last = std::min(last, most - rounded_up(std::max(0.0, center - wide)));
  const std::ptrdiff_t first_in = most - static_cast<std::ptrdiff_t>(center + narrow);
  const std::ptrdiff_t last_in = most - rounded_up(std::max(0.0, center - narrow));
  for (std::ptrdiff_t y = first; y < first_in && y <= last; ++y) walks[y].out = 0;
  for (std::ptrdiff_t y = last; y > last_in && y >= first; --y) walks[y].out = 0;
  return first <= last;
}

// Walks and their mirror images, which meet in the middle.
WalkCounts BandWalk::met(const Band& band, bool is_odd) {
  const auto most = static_cast<std::ptrdiff_t>(cells_.size()) - 1;
  Band others = band;
  if (is_odd) {
    before_ = cells_;
    others.walks = before_.data();
    others.add_row();
  }
  const std::ptrdiff_t low = std::max(band.first, most - others.last);
  const std::ptrdiff_t high = std::min(band.last, most - others.first);
  WalkCounts kept{0, 0};
  for (std::ptrdiff_t y = low; y <= high; ++y) {
    kept.out += band.walks[y].out * others.walks[most - y].out;
    kept.in += band.walks[y].in * others.walks[most - y].in;
  }
  return kept;
}

// From the last cut on all ways lead to b.
WalkCounts BandWalk::all_ways_on(const Band& band, double rest) const {
  WalkCounts kept{0, 0};
  double ways = 1, ups = 0;
  for (; ups < static_cast<double>(band.first) && ways > 0; ups += 1) ways *= (rest - ups) / (ups + 1);
  for (std::ptrdiff_t y = band.first; y <= band.last && ups <= rest; ++y, ups += 1) {
    kept.out += band.walks[y].out * ways;
    kept.in += band.walks[y].in * ways;
    ways *= (rest - ups) / (ups + 1);
  }
  return kept;
}

}  // namespace bychance
