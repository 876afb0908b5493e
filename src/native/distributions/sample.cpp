// Order statistics, and their calibration to exact moments.
#include "distributions/sample.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/arithmetic.hpp"
#include "distributions/beta_distribution.hpp"
#include "distributions/matching.hpp"

namespace bychance {
namespace {

constexpr std::size_t kFewDraws = 399;  // draws from which weights serve better (fit: studies/quantiles.py)
constexpr double kMaxStretch = 2;       // ratio of exact to sampled SD up to which draws are rescaled (taste)
// Errors of the Beta distribution, in null SDs, at alpha = 0.05, and what each factor e of alpha adds: 0.09,
// 0.39 and 0.72 at alpha = 0.2, 0.05 and 0.01, on 160 pairs of WHO by r^2 that `auto` samples and
// studies/quantiles.py leaves out.
constexpr double kBetaError = 0.39, kBetaErrorPerE = 0.21, kLeastBetaError = 0.05;
constexpr int kMaxIterations = 25;         // Newton steps for the weights (taste)
constexpr double kLargestStep = 2;         // change of a log weight per Newton step (taste)
constexpr double kPrecision = 1e-9;        // error of weighted moments, in null SDs (taste)
constexpr double kRankRounding = 5e-10;    // ranks: keeps 0.95 * 1000 from being 950.0000000001 (rounding)
constexpr double kWeightRounding = 1e-12;  // relative error of a sum of weights (rounding)
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Spread {
  double mean, std;
};
template <class Value>
Spread spread_of(std::size_t count, const Value& value) {
  const double n = count, mean = sum_in_lanes(count, value) / n;
  const auto square = [&](std::size_t k) { return (value(k) - mean) * (value(k) - mean); };
  return {mean, std::sqrt(sum_in_lanes(count, square) / (n - 1))};
}

}  // namespace

SampleSummary SampledNull::load(const double* draws, const ObservedPair& pair, const NullMoments& moments) {
  const std::size_t size = z_.size();
  const double n = size, std = moments.std;
  draws_ = draws;
  null_ = moments;
  bound_ = pair.bound;
  for (std::size_t k = 0; k < size; ++k) z_[k] = (draws[k] - moments.mean) / (std > 0 ? std : 1);
  const double cubes = sum_in_lanes(size, [this](std::size_t k) { return z_[k] * z_[k] * z_[k]; });
  const double fourths =
      sum_in_lanes(size, [this](std::size_t k) { return z_[k] * z_[k] * (z_[k] * z_[k]); });
  const double skew = std > 0 ? cubes / n : 0, kurtosis = std > 0 ? fourths / n : 1;
  const auto n_below = std::lower_bound(draws, draws + size, pair.least) - draws;
  // SD sqrt((kurtosis - 1) / 4S); of z, sqrt((1 + z skew + z^2 (kurtosis - 1) / 4) / S).
  const double std_se = moments.is_std_exact ? 0 : std * std::sqrt(std::max(kurtosis - 1, 0.0) / (4 * n));
  const double z = (pair.value - moments.mean) / std;
  const double of_both = std::sqrt(std::max(1 + z * skew + z * z * (kurtosis - 1) / 4, 0.0) / n);
  const double standardized_se = moments.is_mean_exact ? std::abs(z) * std_se / std : of_both;
  return {n - n_below, std_se, std > 0 ? standardized_se : kNaN};
}

QuantileEstimate SampledNull::quantile(double p) {
  const double n = z_.size();
  const double rank = std::max(std::ceil(p * (is_paper_rule_ ? n : n + 1) - kRankRounding), 1.0);
  if (rank > n) return {bound_, kNaN};
  const double plain = draws_[static_cast<std::size_t>(rank) - 1];
  // The ends of a sample have no density.
  const bool is_exact = null_.is_mean_exact && null_.is_std_exact && null_.std > 0;
  if (is_paper_rule_ || !is_exact || p <= 0 || p >= 1) return {plain, rank_error(p, 1)};
  const double plain_se = rank_error(p, 2);
  auto found = z_.size() < kFewDraws ? rescaled(p, plain, plain_se) : reweighted(p, plain, plain_se);
  found.value = std::min(std::max(found.value, draws_[0]), bound_);
  return found;
}

// Interpolates the order statistics, counted from 1.
double SampledNull::between(double rank) const {
  const double position = std::min(std::max(rank, 1.0), static_cast<double>(z_.size())) - 1;
  const auto below = static_cast<std::size_t>(position), above = std::min(below + 1, z_.size() - 1);
  const double share = position - below;
  return (1 - share) * draws_[below] + share * draws_[above];
}

// Standard error of a quantile, from order statistics `width` standard errors of rank away on either side.
double SampledNull::rank_error(double p, double width) const {
  const double n = z_.size(), step = width * std::sqrt(n * p * (1 - p));
  return (between(p * (n + 1) + step) - between(p * (n + 1) - step)) / (2 * width);
}

QuantileEstimate SampledNull::rescaled(double p, double plain, double plain_se) const {
  const double n = z_.size(), mean = null_.mean, std = null_.std;
  QuantileEstimate found{plain, plain_se};
  const auto own = spread_of(z_.size(), [this](std::size_t k) { return z_[k]; });
  if (own.std > 1 / kMaxStretch && own.std < kMaxStretch) {
    found.value = mean + std * (((plain - mean) / std - own.mean) / own.std);
    const double at = (found.value - mean) / std;
    const double per_rank = plain_se / std * std::sqrt(n / (p * (1 - p)));  // one over the density
    const double above = plain + tolerance(plain, std);  // tied draws may differ in their last digits
    const auto error = spread_of(z_.size(), [&](std::size_t k) {
      return (draws_[k] > above ? per_rank : 0) - z_[k] - at * (z_[k] * z_[k]) / 2;
    });
    found.se = error.std / std::sqrt(n) * std;
  }
  const auto [a, b] = beta_parameters(mean / bound_, std / bound_ * (std / bound_));
  if (draws_[0] >= 0 && std::isfinite(bound_) && a > 0 && b > 0) {
    // The errors of both are nearly independent, and at 199 draws they are as large.
    const double added = std::max(kBetaError + kBetaErrorPerE * std::log(0.05 / (1 - p)), kLeastBetaError);
    found = {(found.value + bound_ * BetaDistribution(a, b).quantile(p)) / 2,
             std::hypot(found.se, added * std) / 2};
  }
  return found;
}

QuantileEstimate SampledNull::reweighted(double p, double plain, double plain_se) {
  const double n = z_.size(), se = plain_se * residual_share(plain);
  const double total = find_weights();
  if (total == 0) return {plain, se};
  const double least = (std::min(p * (n + 1) / n, 1.0) - kWeightRounding) * total;
  std::size_t at = 0;
  for (double reached = weights_[0]; reached < least && at + 1 < z_.size(); reached += weights_[at]) ++at;
  return {draws_[at], se};
}

// Newton's method for s and t, shortened so that no log weight moves by more than kLargestStep. Returns the
// sum of the weights, or 0 if there are none.
double SampledNull::find_weights() {
  double s = 0, t = 0;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const double most = peak(s, t);
    double total = 0, mean = 0, bend = 0, aa = 0, ab = 0, bb = 0;
    for (std::size_t k = 0; k < z_.size(); ++k) {
      const double z = z_[k], b = z * z - 1, weight = std::exp(s * z + t * b - most);
      weights_[k] = weight;
      total += weight;
      mean += weight * z;
      bend += weight * b;
      aa += weight * z * z;
      ab += weight * z * b;
      bb += weight * b * b;
    }
    for (double* sum : {&mean, &bend, &aa, &ab, &bb}) *sum /= total;
    if (std::max(std::abs(mean), std::abs(bend)) < kPrecision) return total;
    aa -= mean * mean;
    ab -= mean * bend;
    bb -= bend * bend;
    const double determinant = std::max(aa * bb - ab * ab, 1e-12 * aa * bb + 1e-300);
    const double ds = (bb * mean - ab * bend) / determinant, dt = (aa * bend - ab * mean) / determinant;
    const double largest = std::max(peak(ds, dt), peak(-ds, -dt));
    const double part = largest > kLargestStep ? kLargestStep / largest : 1;
    s -= ds * part;
    t -= dt * part;
  }
  return 0;
}

// The largest s z + t (z^2 - 1) between the smallest and the largest draw.
double SampledNull::peak(double s, double t) const {
  const auto at = [s, t](double z) { return s * z + t * (z * z - 1); };
  const double vertex = -s / (2 * t), ends = std::max(at(z_.front()), at(z_.back()));
  return t < 0 && vertex > z_.front() && vertex < z_.back() ? at(vertex) : ends;
}

// sqrt(1 - R^2) of regressing 1{D > q} on z and z^2: the share of error that is left given exact moments.
double SampledNull::residual_share(double plain) const {
  const auto sum = [this](const auto& value) { return sum_in_lanes(z_.size(), value); };
  const auto centered = [&](const auto& value) {
    return [value, mean = sum(value) / z_.size()](std::size_t k) { return value(k) - mean; };
  };
  const double above = plain + tolerance(plain, null_.std);  // tied draws may differ in their last digits
  const auto y = centered([&](std::size_t k) { return draws_[k] > above ? 1.0 : 0.0; });
  const auto u = centered([&](std::size_t k) { return z_[k]; });
  const auto v = centered([&](std::size_t k) { return z_[k] * z_[k]; });
  const double total = sum([&](std::size_t k) { return y(k) * y(k); });
  const double a = sum([&](std::size_t k) { return u(k) * u(k); });
  const double b = sum([&](std::size_t k) { return u(k) * v(k); });
  const double c = sum([&](std::size_t k) { return v(k) * v(k); });
  const double d = sum([&](std::size_t k) { return y(k) * u(k); });
  const double e = sum([&](std::size_t k) { return y(k) * v(k); });
  const double explained = (c * d * d - 2 * b * d * e + a * e * e) / (a * c - b * b) / total;
  return std::isfinite(explained) ? std::sqrt(1 - std::min(std::max(explained, 0.0), 1.0)) : 1;
}

}  // namespace bychance
