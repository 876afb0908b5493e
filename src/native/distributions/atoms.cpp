// Steps from the first four moments, patterns from counts.
#include "distributions/atoms.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "distributions/trust.hpp"

namespace bychance {
namespace {

constexpr double kTooSmall = 2;      // by how much a law may understate a tail
constexpr double kLump = 0.3;        // standard deviations
constexpr double kEvenSpread = 0.8;  // kurtosis - squared skewness - 1 of a uniform law; 0 of two values
constexpr double kSqrt2 = 1.4142135623730951;

// Two values are 1/sqrt(q (1 - q)) = sqrt(squared skewness + 4) of their deviations apart. Evenly spaced ones
// are nearer, the more there are: kurtosis - squared skewness - 1 tells how near.
double step_of(const GroupSum& s) {
  const double spread = (s.kurtosis - s.squared_skew - 1) / kEvenSpread;
  const double rest = s.n - s.group_rows;
  return std::sqrt(std::max(0.0, 1 - spread) * (s.squared_skew + 4) * (s.n - 1) / (s.group_rows * rest));
}

// C(n, k); up to kFewRows it is far from the largest double.
double choose(double n, double k) {
  double product = 1;
  for (double i = 1; i <= k; i += 1) product *= (n - k + i) / i;
  return product;
}

// C(l, r)/C(n, k) for a lump of l rows of which r are in the group of k: largest where r is near l/2.
double pattern_chance(const GroupSum& s) {
  const double lump = s.n - s.apart, k = s.group_rows;
  const double in_group = std::clamp(std::floor(lump / 2), std::max(0.0, k - s.apart), std::min(k, lump));
  return choose(lump, in_group) / choose(s.n, k);
}

}  // namespace

double finest_p(const GroupSum& s) {
  const double step = step_of(s);
  const double by_steps = step > 0 ? std::erfc(kSqrt2 * std::log(kTooSmall) / step) : 0;
  // Beyond kFewRows rows apart are counted by has_few_others alone.
  return s.n > kFewRows ? by_steps : std::max(by_steps, kTooSmall * pattern_chance(s));
}

std::size_t largest_lump(const double* values, std::size_t n) {
  std::vector<double> ordered(values, values + n);
  std::sort(ordered.begin(), ordered.end());
  const double size = std::max(std::abs(ordered.front()), std::abs(ordered.back()));
  if (!(size > 0)) return n;
  for (double& v : ordered) v /= size;  // no magnitude overflows
  double mean = 0, squares = 0;
  for (double v : ordered) mean += v / static_cast<double>(n);
  for (double v : ordered) squares += (v - mean) * (v - mean) / static_cast<double>(n);
  // Values on a grid stay together whatever their unit.
  const double width = kLump * std::sqrt(squares) * (1 + 1e-9);
  std::size_t most = 0, first = 0;
  for (std::size_t last = 0; last < n; ++last) {
    while (ordered[last] - ordered[first] > width) ++first;
    most = std::max(most, last - first + 1);
  }
  return most;
}

}  // namespace bychance
