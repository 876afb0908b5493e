// The Beta(a, b) distribution: its tails and quantiles.
//
// Below about the mean the lower tail is the positive series (DLMF 8.17.8)
//   I_x(a,b) = x^a (1-x)^b / (a B(a,b)) sum_k (a+b)_k/(a+1)_k x^k,
// beyond it the upper tail I_{1-x}(b,a) is the even part of the continued fraction DLMF 8.17.22
// (DiDonato and Morris 1992, eq. 9), in which nothing cancels. The tail that is computed so is accurate
// however small it is; the other is one minus it, which loses digits only if that one is larger: for a
// below about 1e-3 the upper tail is small already below the mean, and its relative error reaches 2e-7.
#pragma once

#include <cstddef>

namespace bychance {

// At a point x: P(X <= x), P(X >= x), one of them as one minus the other, and kernel x^a (1-x)^b / B(a,b).
struct BetaTails {
  double lower, upper, kernel;
};

// Tails and quantiles of Beta(a, b) for a, b > 0.
class BetaDistribution {
 public:
  BetaDistribution(double a, double b);

  BetaTails tails(double x) const;  // at x in [0, 1]

  // The x with P(X <= x) = p, by Halley's method on the logarithm of the smaller tail, which is nearly a line
  // in ln x or ln(1-x), within a bracket.
  double quantile(double p) const;

 private:
  double start(double p) const;
  double raised_to(double lower, double x, const BetaTails& at) const;
  double lowered_to(double upper, double x, const BetaTails& at) const;

  double a_, b_, log_beta_;
};

}  // namespace bychance
