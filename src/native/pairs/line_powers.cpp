// Each power is the last one times the values.
#include "pairs/line_powers.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace bychance {
namespace {

constexpr std::size_t kCenterSample = 1000;
constexpr std::size_t kBlockRows =
    256;  // added up on their own, so that rounding does not grow with the rows

// The power of two that brings a size to [1/2, 1), as far as there is one.
double to_unit(double size) {
  int exponent = 0;
  std::frexp(size, &exponent);
  return std::ldexp(1.0, std::min(1000, -exponent));
}

double scaled(double value, LineScaling s) { return (value * s.before - s.center) * s.after; }

}  // namespace

LineScaling scaling_of(const double* values, std::size_t n) {
  if (n == 0) return {1, 0, 1};
  const auto [smallest, largest] = std::minmax_element(values, values + n);
  const double before = to_unit(std::max(std::abs(*smallest), std::abs(*largest)));
  std::vector<double> sample;
  for (std::size_t k = 0, step = std::max<std::size_t>(1, n / kCenterSample); k < n; k += step) {
    sample.push_back(values[k]);
  }
  const auto middle = sample.begin() + static_cast<std::ptrdiff_t>(sample.size() / 2);
  std::nth_element(sample.begin(), middle, sample.end());
  const double center = *middle * before;
  return {before, center, to_unit(std::max(*largest * before - center, center - *smallest * before))};
}

void power_sums(const double* values, std::size_t n, LineScaling scaling, double* sums) {
  std::fill(sums, sums + kPowers, 0.0);
  double z[kBlockRows], power[kBlockRows];
  for (std::size_t start = 0; start < n; start += kBlockRows) {
    const std::size_t count = std::min(kBlockRows, n - start);
    for (std::size_t k = 0; k < count; ++k) power[k] = z[k] = scaled(values[start + k], scaling);
    for (std::size_t p = 0; p < kPowers; ++p) {
      double part[4] = {0, 0, 0, 0};
      for (std::size_t k = 0; k < count; ++k) part[k % 4] += power[k];
      sums[p] += (part[0] + part[1]) + (part[2] + part[3]);
      for (std::size_t k = 0; k < count; ++k) power[k] *= z[k];
    }
  }
}

void line_powers(const double* values, const bool* is_missing, std::size_t n, LineScaling scaling,
                 std::size_t n_powers, std::size_t stride, double* out) {
  for (std::size_t k = 0; k < n; ++k) {
    const double z = scaled(values[k], scaling);
    out[k] = is_missing[k] ? 0.0 : z;
  }
  for (std::size_t p = 1; p < n_powers; ++p) {
    const double* previous = out + (p - 1) * stride;
    double* power = out + p * stride;
    for (std::size_t k = 0; k < n; ++k) power[k] = previous[k] * out[k];
  }
}

}  // namespace bychance
