// Quantiles of the normal law.
#pragma once

#include <algorithm>
#include <cmath>

namespace bychance {

// Good to 4.5e-4 (Abramowitz and Stegun 26.2.23).
inline double rough_normal_quantile(double p) {
  const double t = std::sqrt(-2 * std::log(std::min(p, 1 - p)));
  const double z =
      t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  return p < 0.5 ? -z : z;
}

// The number that a normal variable exceeds with probability p <= 1/2.
inline double normal_upper_quantile(double p) {
  constexpr double kRootHalf = 0.70710678118654752440, kRootTwoPi = 2.5066282746310005024;
  double z = -rough_normal_quantile(p);
  for (int step = 0; step < 2; ++step) {
    const double tail = std::erfc(z * kRootHalf) / 2;
    z += std::log(tail / p) * tail * kRootTwoPi * std::exp(z * z / 2);
  }
  return z;
}

}  // namespace bychance
