// Continued fractions for tails, Newton steps from a starting guess for quantiles.
#include "distributions/beta_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bychance {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kLogTwoPi = 1.8378770664093454836;  // ln(2 pi)
constexpr double kStirlingFrom = 12;         // z from which seven Stirling terms have all digits (proof)
constexpr double kCubeRootOfEpsilon = 6e-6;  // step from which a third-order step is the last (proof)
constexpr int kMaxSteps = 200;               // steps of a search, more than halvings alone take (proof)

// ln Gamma(z) - (z - 1/2) ln z + z - ln(2 pi)/2 for z >= 12 (DLMF 5.11.1).
double stirling_remainder(double z) {
  const double s = 1 / (z * z);
  return (1.0 / 12 -
          s * (1.0 / 360 - s * (1.0 / 1260 - s * (1.0 / 1680 - s * (1.0 / 1188 - s * (691.0 / 360360)))))) /
         z;
}

// ln Gamma(a) for 0 < a < 12 from that of a + 12: Gamma(a + 12)/Gamma(a) = a (a+1) ... (a+11), of which each
// two factors from both ends make t + k (11 - k) with t = a (a + 11). Several times quicker than std::tgamma,
// and without the global that std::lgamma writes to.
double log_gamma(double a) {
  const double t = a * (a + 11), z = a + kStirlingFrom;
  const double rising = (t * (t + 10)) * ((t + 18) * (t + 24)) * ((t + 28) * (t + 30));
  return (z - 0.5) * std::log(z) - std::log(rising) - z + 0.5 * kLogTwoPi + stirling_remainder(z);
}

// ln B(a, b), Stirling's large terms cancelled by hand.
double log_beta(double a, double b) {
  if (a > b) std::swap(a, b);
  if (b < kStirlingFrom) return std::log(std::tgamma(a) * std::tgamma(b) / std::tgamma(a + b));
  const double remainder = stirling_remainder(b) - stirling_remainder(a + b);
  if (a < kStirlingFrom) {
    return log_gamma(a) - a * std::log(b) - (a + b - 0.5) * std::log1p(a / b) + a + remainder;
  }
  return (a - 0.5) * std::log(a / (a + b)) - b * std::log1p(a / b) + 0.5 * (kLogTwoPi - std::log(b)) +
         stirling_remainder(a) + remainder;
}

// sum_k (a+b)_k/(a+1)_k x^k.
double lower_series(double a, double b, double x) {
  double term = 1, sum = 1;
  for (double k = 0; term > kEpsilon * sum / 4; k += 1) {
    term *= (a + b + k) * x / (a + 1 + k);
    sum += term;
  }
  return sum;
}

// The continued fraction K of I_x(a,b) = x^a y^b/B(a,b) K, y = 1 - x, by Steed's method.
double tail_fraction(double a, double b, double x, double y) {
  const double excess = a * y - b * x;
  double inverse = (a + 1) / (a * (excess + 1)), step = inverse, fraction = step;
  for (double k = 1; std::abs(step) > kEpsilon * std::abs(fraction) / 4; k += 1) {
    const double odd = a + 2 * k - 1;
    const double alpha = ((a + k - 1) * x / odd) * ((a + b + k - 1) * k * (b - k) * x / odd);
    const double beta = k + k * (b - k) * x / odd + (a + k) * (excess + 1 + k * (1 + y)) / (odd + 2);
    inverse = 1 / (beta + alpha * inverse);
    step *= beta * inverse - 1;
    fraction += step;
  }
  return fraction;
}

// The number that a normal variable falls below with probability p, to 5e-4 (Abramowitz and Stegun 26.2.23).
double rough_normal_quantile(double p) {
  const double t = std::sqrt(-2 * std::log(std::min(p, 1 - p)));
  const double z =
      t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  return p < 0.5 ? -z : z;
}

// -ln(1 - X) is nearly gamma(a)/(b + (a-1)/2) for a <= b, and a gamma's cube root nearly normal.
double rough_quantile(double a, double b, double log_beta, double p) {
  const double root = 1 - 1 / (9 * a) + rough_normal_quantile(p) / (3 * std::sqrt(a));
  if (root > 0.3) return -std::expm1(-a * root * root * root / (b + (a - 1) / 2));
  return std::exp((std::log(p * a) + log_beta) / a);  // the first term of the series
}

// Halley's step for ln tail = ln p, in the logarithm of the variable: slope is d ln tail/d ln variable, bend
// the second derivative over the first.
double halley_step(double log_excess, double slope, double bend) {
  const double newton = -log_excess / slope;
  return newton / std::clamp(1 + newton * bend / 2, 0.5, 2.0);
}

}  // namespace

BetaDistribution::BetaDistribution(double a, double b) : a_(a), b_(b), log_beta_(log_beta(a, b)) {}

BetaTails BetaDistribution::tails(double x) const {
  if (x <= 0) return {0, 1, 0};
  if (x >= 1) return {1, 0, 0};
  const double kernel = std::exp(a_ * std::log(x) + b_ * std::log1p(-x) - log_beta_);
  // Somewhat past the mean 1 - lower still keeps the digits of the upper tail, and the series is the quicker.
  if (x < 0.7 && (a_ + b_) * x < a_ + 3) {
    const double lower = kernel / a_ * lower_series(a_, b_, x);
    return {lower, 1 - lower, kernel};
  }
  if (x < (a_ + 1) / (a_ + b_ + 2)) {
    const double lower = kernel * tail_fraction(a_, b_, x, 1 - x);
    return {lower, 1 - lower, kernel};
  }
  const double upper = kernel * tail_fraction(b_, a_, 1 - x, x);
  return {1 - upper, upper, kernel};
}

double BetaDistribution::quantile(double p) const {
  if (p <= 0) return 0;
  if (p >= 1) return 1;
  double x = start(p), low = 0, high = 1;
  for (int i = 0; i < kMaxSteps && x > 0; ++i) {
    const BetaTails at = tails(x);
    const double next = p < 0.5 ? raised_to(p, x, at) : lowered_to(1 - p, x, at);
    (p < 0.5 ? at.lower < p : at.upper > 1 - p) ? low = x : high = x;
    const double close = std::max(kCubeRootOfEpsilon * std::min(x, 1 - x), kEpsilon * x);
    if (std::abs(next - x) <= close) return std::clamp(next, 0.0, 1.0);
    x = next > low && next < high ? next : (low > 0 ? std::sqrt(low * high) : high * high / 2);
  }
  return x;
}

double BetaDistribution::start(double p) const {
  const double x =
      a_ <= b_ ? rough_quantile(a_, b_, log_beta_, p) : 1 - rough_quantile(b_, a_, log_beta_, 1 - p);
  return x > 0 && x < 1 ? x : a_ / (a_ + b_);
}

double BetaDistribution::raised_to(double lower, double x, const BetaTails& at) const {
  const double y = 1 - x, slope = at.kernel / (y * at.lower);
  return x * std::exp(halley_step(std::log(at.lower / lower), slope, a_ - (b_ - 1) * x / y - slope));
}

double BetaDistribution::lowered_to(double upper, double x, const BetaTails& at) const {
  const double y = 1 - x, slope = at.kernel / (x * at.upper);
  return x - y * std::expm1(halley_step(std::log(at.upper / upper), slope, b_ - (a_ - 1) * y / x - slope));
}

}  // namespace bychance
