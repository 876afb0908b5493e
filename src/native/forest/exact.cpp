// Sums over hypergeometric numbers, and walks that leave a band: what leaves is added up, so that small
// shares keep their digits.
#include "forest/exact.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "forest/ways.hpp"
#include "wide.hpp"

namespace bychance {
namespace {

constexpr double kEqual = 1e-6;      // of a row
constexpr double kFewDigits = 1e-9;  // a share below is what rounding leaves of 1
constexpr double kNearlyOne = 1 - 1e-12;

// Beyond, hardly a law of categories is asked for twice.
constexpr double kMostRowsOfSingle = 16;

struct Row {
  double n, b, number;
};

BYCHANCE_WIDE void add_row(Row row, const double* __restrict chances, double* __restrict next,
                           std::int32_t low, std::int32_t high) {
  const double rest = 1 / (row.n - row.number), others = row.n - row.number - row.b;
  for (std::int32_t x = low; x <= high; ++x) {
    const double ones = x;
    next[x + 1] = chances[x + 1] * (others + ones) * rest + chances[x] * (row.b - ones + 1) * rest;
  }
}

// Where groups end, one bit each, in a node of at most 64 rows.
std::uint64_t ends_of(const double* left, std::size_t first, std::size_t last) {
  std::uint64_t ends = 0;
  for (std::size_t g = first; g < last; ++g) ends |= std::uint64_t{1} << (static_cast<unsigned>(left[g]) - 1);
  return ends;
}

}  // namespace

TwoClasses& TwoClasses::of_this_thread() {
  thread_local TwoClasses classes;
  return classes;
}

void TwoClasses::set(double n, double b) {
  if (n == n_ && b == b_) return;
  n_ = n, b_ = b;
  n_orders_ = 0;
  hypergeometric_.set(n, b);
}

Law& TwoClasses::of_fixed(double gain, double m, double enough) {
  const double distance = std::sqrt(gain * m * (n_ - m) / 2), center = m * b_ / n_;
  if (n_ <= KnownSplits::kMostRows) {
    const auto whole = [](double x) { return static_cast<std::ptrdiff_t>(x + 0.5); };
    const auto is_whole = [&](double x) { return std::abs(x - static_cast<double>(whole(x))) < kEqual; };
    const double above = center + distance, below = center - distance;
    const bool is_above = is_whole(above) && above < std::min(m, b_) + 0.5;
    // Where weights are fractions, it is neither, and no other split has the same law.
    if (is_above || (below > -kEqual && is_whole(below))) {
      const auto size = [&](double x) { return static_cast<std::size_t>(whole(x)); };
      Law& law = splits_.at(size(n_), size(b_), size(m), size(is_above ? above : below));
      if (!law.is_known()) law = {fixed(distance, m, std::numeric_limits<double>::infinity())};
      return law;
    }
  }
  own_ = {fixed(distance, m, enough)};
  return own_;
}

// Those that leave x farther from its mean.
Shares TwoClasses::fixed(double distance, double m, double enough) {
  const double center = m * b_ / n_;
  const auto excess = [=](std::size_t x) { return std::abs(static_cast<double>(x) - center) - distance; };
  Hypergeometric::Chances& chances = hypergeometric_.of(m);
  const std::size_t most = chances.most();
  Shares shares{0, 0};
  std::size_t x = 0;
  for (; x <= most && excess(x) > -kEqual; ++x) {
    (excess(x) > kEqual ? shares.larger : shares.equal) += chances.at(x);
    if (shares.larger > enough) return shares;
  }
  x = std::max(x, static_cast<std::size_t>(std::max(0.0, center + distance - 1)));
  while (x <= most && excess(x) <= -kEqual) ++x;
  for (; x <= most; ++x) {
    const double chance = chances.at(x);
    if (excess(x) <= kEqual) {
      shares.equal += chance;
      continue;
    }
    // From its mode on, chances fall: what adds nothing is followed by what adds nothing.
    if (shares.larger + chance == shares.larger && static_cast<double>(x) > center + 1) break;
    shares.larger += chance;
    if (shares.larger > enough) break;
  }
  return shares;
}

Law& TwoClasses::of_cut(double gain, const double* left, std::size_t first, std::size_t last) {
  // Cuts between all rows are those of every column of numbers without ties.
  if (n_ <= KnownSearches::kMostRows && static_cast<double>(last - first) == n_ - 1) {
    return searches_.at({true, n_, b_, ends_of(left, first, last), gain},
                        [&] { return cut(gain, left, first, last); });
  }
  own_ = {cut(gain, left, first, last)};
  return own_;
}

Shares TwoClasses::cut(double gain, const double* left, std::size_t first, std::size_t last) {
  const WalkCounts below = walk_.kept(n_, b_, gain * n_ * n_ / 2, left, first, last);
  if (n_orders_ == 0) n_orders_ = chosen(n_, b_);
  double larger = 1 - below.in / n_orders_, both = 1 - below.out / n_orders_;
  if (larger <= kFewDigits) larger = reaching_cut(gain, left, first, last, false);
  if (both <= kFewDigits) both = reaching_cut(gain, left, first, last, true);
  return {larger, both - larger};
}

double TwoClasses::radius_of(double gain, double m, bool is_equal_in) const {
  return std::sqrt(gain * m * (n_ - m) / 2) + (is_equal_in ? -kEqual : kEqual);
}

// Whether a walk can be so far from the line at some cut: often none can, as where a cut parts the classes.
bool TwoClasses::can_reach_cut(double gain, const double* left, std::size_t first, std::size_t last,
                               bool is_equal_in) const {
  for (std::size_t cut = first; cut < last; ++cut) {
    const double m = left[cut], center = m * b_ / n_, radius = radius_of(gain, m, is_equal_in);
    const double least = std::max(0.0, m + b_ - n_), most = std::min(m, b_);
    if (center - least > radius || most - center > radius) return true;
  }
  return false;
}

// Of the walks, those that some cut finds as far from the line to (n, b) as this gain, or farther only. Row
// by row, x becomes x + 1 with probability (b - x)/(rows left).
double TwoClasses::reaching_cut(double gain, const double* left, std::size_t first, std::size_t last,
                                bool is_equal_in) {
  if (!can_reach_cut(gain, left, first, last, is_equal_in)) return 0;
  const auto most = static_cast<std::size_t>(b_);
  chances_.assign(most + 2, 0.0);
  next_.assign(most + 2, 0.0);
  double *chances = chances_.data(), *next = next_.data();
  chances[1] = 1;  // of x at x + 1, so that x - 1 is there for x = 0
  std::size_t low = 0, high = 0;
  double share = 0, row = 0;
  for (std::size_t cut = first; cut < last; ++cut) {
    const double m = left[cut], center = m * b_ / n_;
    const double radius = radius_of(gain, m, is_equal_in);
    for (; row < m; row += 1) {
      high = std::min(high + 1, most);
      add_row({n_, b_, row}, chances, next, static_cast<std::int32_t>(low), static_cast<std::int32_t>(high));
      next[low] = 0;
      std::swap(chances, next);
    }
    for (; low <= high && center - static_cast<double>(low) > radius; ++low) share += chances[low + 1];
    if (low > high) return share;
    chances[low] = 0;
    for (; high > low && static_cast<double>(high) - center > radius; --high) {
      share += chances[high + 1];
      chances[high + 1] = 0;
    }
    if (static_cast<double>(high) - center > radius) return share + chances[high + 1];
  }
  return share;
}

// Of the orders, those that leave so many rows of the rarer class in a category of m that its share of larger
// gains is below this one, or the same: from the farthest numbers inwards. `within` has the numbers that are
// neither, `not_below` those and the same.
Shares TwoClasses::of_share(double share, double m, Range& within, Range& not_below) {
  constexpr double kRounding = 1e-9;
  Hypergeometric::Chances& chances = hypergeometric_.of(m);
  const double center = m * b_ / n_;
  Shares shares{0, 0};
  std::size_t low = chances.least(), high = chances.most() + 1;
  while (low < high) {
    const double below = center - static_cast<double>(low), above = static_cast<double>(high - 1) - center;
    const double farthest = std::max(below, above);
    const bool is_low = below > farthest - kEqual, is_high = above > farthest - kEqual && high - low > is_low;
    const double mass = (is_low ? chances.at(low) : 0) + (is_high ? chances.at(high - 1) : 0);
    const double own = shares.larger + mass / 2;
    // A category that every order treats alike is no better than another.
    if (own > share * (1 + kRounding) || mass > kNearlyOne) break;
    not_below = {low, high};
    low += is_low, high -= is_high;
    if (own > share * (1 - kRounding)) {
      within = {low, high};
      shares.equal = mass;
      return shares;
    }
    shares.larger += mass;
  }
  within = not_below = {low, high};
  return shares;
}

// Those of a category, by their number, are multiplied; of numbers below `least` nobody will ask.
void TwoClasses::Ways::multiply(const double* own, const Range& range, std::size_t least) {
  double next[kMost + 1];
  const std::size_t high = std::min(range.high, b + 1);
  for (std::size_t k = least; k <= b; ++k) {
    next[k] = 0;
    for (std::size_t x = std::max(range.low, k > most ? k - most : 0); x < high && x <= k; ++x) {
      next[k] += own[x] * by_number[k - x];
    }
  }
  most = high > 0 ? std::min(b, most + high - 1) : 0;
  std::copy(next + least, next + b + 1, by_number + least);
}

Law& TwoClasses::of_single(double share, const double* left, std::size_t count) {
  if (n_ <= kMostRowsOfSingle) {
    return searches_.at({false, n_, b_, ends_of(left, 0, count), share},
                        [&] { return single(share, left, count); });
  }
  own_ = {single(share, left, count)};
  return own_;
}

Shares TwoClasses::single(double share, const double* left, std::size_t count) {
  const bool is_rare = b_ <= Ways::kMost;
  const std::size_t b = is_rare ? static_cast<std::size_t>(b_) : 0;
  Ways ways[2] = {{b}, {b}};
  Range within{0, 0}, not_below{0, 0};
  better_.resize(std::max(better_.size(), count));
  double before = 0;
  for (std::size_t g = 0; g < count; before = left[g++]) {
    const double m = left[g] - before;
    const bool is_few = is_rare || std::min(m, b_) <= kFewRows;
    better_[g] = is_few ? of_share(share, m, within, not_below) : Shares{share, 0};
    if (!is_rare) continue;
    const std::size_t least = g + 1 < count ? 0 : b;
    double own[Ways::kMost + 1];  // what is within is not below
    chosen_each(m, not_below.low, std::min(not_below.high, b + 1), own);
    ways[0].multiply(own, not_below, least), ways[1].multiply(own, within, least);
  }
  double shares[2];
  for (std::size_t k = 0; k < 2; ++k) {
    const double none = is_rare ? ways[k].by_number[b] / chosen(n_, b_) : 1;
    shares[k] = 1 - none > kFewDigits ? 1 - none : of_independent(count, k > 0);
  }
  return {shares[0], std::max(0.0, shares[1] - shares[0])};
}

// Those in which some category is better, were they independent.
double TwoClasses::of_independent(std::size_t count, bool is_equal_in) const {
  const auto all = static_cast<double>(count);
  double log_none = 0;
  for (std::size_t g = 0; g < count; ++g) {
    const double share = better_[g].larger + (is_equal_in ? better_[g].equal : 0);
    if (share > 0) log_none += std::log1p(-std::min(share, kNearlyOne));
  }
  return -std::expm1(log_none * independent(all) / all);
}

}  // namespace bychance
