// Standardized sums left of a cut are an Ornstein-Uhlenbeck process in half the logarithm of the odds of
// being left: two cuts whose odds have the ratio q correlate by 1/sqrt(q), whatever the responses are. Where
// gains are as large as beta^2, another cut at that distance counts for x^2/2 v(x) independent ones, with
// x^2 = 2 beta^2 (1 - 1/sqrt(q)) and v the correction of discrete steps (Siegmund 1985; here Siegmund and
// Yakir 2007, as a ratio of polynomials that is within .0014 of it).
#include "forest/cuts.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "wide.hpp"

namespace bychance {
namespace {

constexpr double kBeta = 2.7;  // the root of the gains between which columns are chosen
constexpr double kRootTwo = 1.41421356237309504880;

// For how many independent cuts the second of two counts, which have p and q to the left out of n and are
// q - p apart. u is 1 - 1/sqrt(ratio of odds), without loss of digits.
inline double added(double n, double p, double q, double apart) {
  constexpr double kStep = kBeta * kRootTwo, kScale = kStep * kStep;
  constexpr double c0 = 2 / kScale, c1 = 1.2673 * kStep / kScale, c2 = .2972, c3 = .0783 * kStep;
  const double odds_before = p * (n - q), odds = q * (n - p);
  const double u = n * apart / (odds + std::sqrt(odds_before * odds)), root = std::sqrt(u);
  return u / (c0 + root * (c1 + root * (c2 + root * c3)));
}

constexpr std::size_t kLanes = 4;

// Of kLanes cuts beside the ones before: left[-1] is read.
inline void add_lanes(double n, const double* left, double* sums) {
  for (std::size_t i = 0; i < kLanes; ++i) sums[i] += added(n, left[i - 1], left[i], left[i] - left[i - 1]);
}

// The cuts of d values of equal size, for few d each, for many d at every doubling.
struct Independent {
  double log_of_values, cuts;
};

struct EqualValues {
  static constexpr double kPerCut = 16;  // places in `above`, finer than steps between few values

  std::vector<Independent> of;
  std::vector<std::size_t> above;  // the first of them with as many cuts as 1 + k/kPerCut, or more

  EqualValues() {
    constexpr std::size_t kEach = 64, kMost = 8192;
    std::vector<double> left(kMost);
    for (std::size_t k = 0; k < kMost; ++k) left[k] = static_cast<double>(k + 1);
    for (std::size_t d = 2; d <= kMost; d = d < kEach ? d + 1 : 2 * d) {
      const auto n = static_cast<double>(d);
      of.push_back({std::log(n / 2), bychance::independent_cuts(n, left.data(), 0, d - 1)});
      while (1 + static_cast<double>(above.size()) / kPerCut <= of.back().cuts)
        above.push_back(of.size() - 1);
    }
  }
};

}  // namespace

double independent_part(double n, double left_of_other, double left) {
  return added(n, left_of_other, left, left - left_of_other);
}

BYCHANCE_WIDE double independent_cuts(double n, const double* left, std::size_t first, std::size_t last) {
  double sums[kLanes] = {};
  std::size_t cut = first + 1;
  for (; cut + kLanes <= last; cut += kLanes) add_lanes(n, left + cut, sums);
  if (cut < last) {
    double rest[kLanes + 1];  // the last cut again and again adds nothing
    for (std::size_t i = 0; i <= kLanes; ++i) rest[i] = left[std::min(cut - 1 + i, last - 1)];
    add_lanes(n, rest + 1, sums);
  }
  return 1 + (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

double log_of_values(double cuts) {
  static const EqualValues equal;
  const auto place = static_cast<std::size_t>((cuts - 1) * EqualValues::kPerCut);
  std::size_t above = std::max(equal.above[std::min(place, equal.above.size() - 1)], std::size_t{1});
  while (equal.of[above].cuts < cuts && above + 1 < equal.of.size()) ++above;
  const Independent &low = equal.of[above - 1], &high = equal.of[above];
  const double slope = (high.log_of_values - low.log_of_values) / (high.cuts - low.cuts);
  return low.log_of_values + slope * (cuts - low.cuts);
}

}  // namespace bychance
