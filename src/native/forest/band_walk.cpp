// Where cuts lie alike from both ends, as those of numbers without ties do, half of the rows are walked: the
// other half is its mirror image.
#include "forest/band_walk.hpp"

#include <algorithm>
#include <cmath>

#include "forest/ways.hpp"

namespace bychance {
namespace {

constexpr double kRounding = 5e-10;          // of a distance
constexpr std::ptrdiff_t kFewestToPass = 3;  // rows

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
  const bool has_mirror = is_mirrored(n, left, first, last);
  const double end = has_mirror ? std::floor(n / 2) : n, slope = b / n, width = std::sqrt(scale) / n;
  most_ = static_cast<std::ptrdiff_t>(b);
  walks_.resize(std::max(walks_.size(), static_cast<std::size_t>(most_) + 2));
  double row = 0;
  for (std::size_t cut = first; cut < last && left[cut] <= end; ++cut) {
    const double m = left[cut];
    const Gate gate = gate_at(m * slope, width * std::sqrt(m * (n - m)));
    const auto n_rows = static_cast<std::ptrdiff_t>(m - row);
    if (row == 0) {
      start(n_rows, gate.open);
    } else if (m <= kMostExact && n_rows > kFewestToPass) {
      pass_rows(n_rows, gate.open);
    } else {
      add_rows(n_rows, gate.open);
    }
    if (cells_.are_none()) return {0, 0};
    leave_out(gate.inner);
    row = m;
  }
  if (!has_mirror) return all_ways_on(n - row);
  add_rows(static_cast<std::ptrdiff_t>(end - row), {0, most_});
  return met(2 * end < n);
}

inline BandWalk::Gate BandWalk::gate_at(double center, double radius) const {
  const double wide = radius * (1 + kRounding), narrow = radius * (1 - kRounding);
  const auto below = [&](double up) { return most_ - static_cast<std::ptrdiff_t>(center + up); };
  const auto above = [&](double down) { return most_ - rounded_up(std::max(0.0, center - down)); };
  return {{std::max<std::ptrdiff_t>(0, below(wide)), above(wide)}, {below(narrow), above(narrow)}};
}

// The first rows are binomial.
void BandWalk::start(std::ptrdiff_t n_rows, const Cells& open) {
  const auto n_exact = std::min<std::ptrdiff_t>(n_rows, kMostExact), rest = n_rows - n_exact;
  WalkCounts* walks = walks_.data();
  cells_.first = std::max<std::ptrdiff_t>({most_ - n_exact, open.first, 0});
  cells_.last = std::min(most_, open.last + rest);
  const double* ways = pascal_row(static_cast<std::size_t>(n_exact));
  for (std::ptrdiff_t y = cells_.first; y <= cells_.last; ++y) {
    walks[y] = {ways[most_ - y], ways[most_ - y]};
  }
  if (rest > 0) add_rows(rest, open);
}

// Cells that do not lead to an open one are left behind.
void BandWalk::add_rows(std::ptrdiff_t n_rows, const Cells& open) {
  WalkCounts* walks = walks_.data();
  for (std::ptrdiff_t rest = n_rows; rest-- > 0 && !cells_.are_none();) {
    const std::ptrdiff_t last = std::min(cells_.last, open.last + rest);
    walks[cells_.last + 1] = {0, 0};
    if (cells_.first > open.first) walks[--cells_.first] = {0, 0};
    cells_.first = std::max(cells_.first, open.first);
    WalkCounts here = walks[cells_.first];
    for (std::ptrdiff_t y = cells_.first; y <= last; ++y) {
      const WalkCounts next = walks[y + 1];
      walks[y].out = here.out + next.out, walks[y].in = here.in + next.in;
      here = next;
    }
    cells_.last = last;
  }
}

// All at once: while counts are whole numbers of 53 bits, their sums are the same in any order.
void BandWalk::pass_rows(std::ptrdiff_t n_rows, const Cells& open) {
  const Cells from = cells_;
  before_.resize(std::max(before_.size(), walks_.size()));
  walks_.swap(before_);
  const WalkCounts* before = before_.data();
  const double* ways = pascal_row(static_cast<std::size_t>(n_rows));
  cells_ = {std::max(from.first - n_rows, open.first), std::min(from.last, open.last)};
  for (std::ptrdiff_t y = cells_.first; y <= cells_.last; ++y) {
    WalkCounts sum{0, 0};
    const std::ptrdiff_t last = std::min(from.last, y + n_rows);
    for (std::ptrdiff_t k = std::max(from.first, y); k <= last; ++k) {
      sum.out += before[k].out * ways[k - y], sum.in += before[k].in * ways[k - y];
    }
    walks_[static_cast<std::size_t>(y)] = sum;
  }
}

inline void BandWalk::leave_out(const Cells& inner) {
  WalkCounts* walks = walks_.data();
  for (std::ptrdiff_t y = cells_.first; y < inner.first && y <= cells_.last; ++y) walks[y].out = 0;
  for (std::ptrdiff_t y = cells_.last; y > inner.last && y >= cells_.first; --y) walks[y].out = 0;
}

// Walks and their mirror images, which meet in the middle.
WalkCounts BandWalk::met(bool is_odd) {
  const Cells own = cells_;
  if (is_odd) {
    before_.assign(walks_.begin(), walks_.begin() + most_ + 1);
    add_rows(1, {0, most_});
  }
  const WalkCounts *walks = is_odd ? before_.data() : walks_.data(), *others = walks_.data();
  const std::ptrdiff_t low = std::max(own.first, most_ - cells_.last);
  const std::ptrdiff_t high = std::min(own.last, most_ - cells_.first);
  WalkCounts kept{0, 0};
  for (std::ptrdiff_t y = low; y <= high; ++y) {
    kept.out += walks[y].out * others[most_ - y].out;
    kept.in += walks[y].in * others[most_ - y].in;
  }
  return kept;
}

// From the last cut on all ways lead to b.
WalkCounts BandWalk::all_ways_on(double rest) const {
  const WalkCounts* walks = walks_.data();
  WalkCounts kept{0, 0};
  auto ups = static_cast<double>(cells_.first);
  double ways = chosen(rest, ups);
  for (std::ptrdiff_t y = cells_.first; y <= cells_.last && ups <= rest; ++y, ups += 1) {
    kept.out += walks[y].out * ways;
    kept.in += walks[y].in * ways;
    ways *= (rest - ups) / (ups + 1);
  }
  return kept;
}

}  // namespace bychance
