// The fitted law says which gains are worth an exact one.
#include "forest/fair.hpp"

#include <algorithm>
#include <cmath>

#include "nulls/normal.hpp"

namespace bychance {
namespace {

constexpr double kRootHalf = 0.70710678118654752440, kNearlyOne = 1 - 1e-12;
constexpr double kMargin = 1;     // by how much a fitted score may be too low
constexpr double kTailStart = 2;  // of a fitted law
constexpr double kSmallestRows = 8;

double score_of_share(double share) {
  return -normal_quantile(std::clamp(share, std::numeric_limits<double>::min(), kNearlyOne));
}

double share_of_score(double score) { return std::erfc(score * kRootHalf) / 2; }

// Of n rows in two, one side times the other has this size.
double smaller_side(double n, double product) {
  return std::round((n - std::sqrt(std::max(0.0, n * n - 4 * product))) / 2);
}

}  // namespace

// That of the probability to the power of m.
double FairScores::of_best(double score, double m) {
  constexpr double kFarTail = 6;
  if (score == kMinusInfinity) return score;
  if (score > kFarTail) {
    const double square = score * score - 2 * std::log(m);
    return std::sqrt(square + std::log(score * score / square));
  }
  const double log_below = m * std::log(std::erfc(-score * kRootHalf) / 2), above = -std::expm1(log_below);
  if (above < 0.5) return -normal_quantile(above);
  return normal_quantile(std::max(std::exp(log_below), std::numeric_limits<double>::min()));
}

// A share with a part below one half of the equal gains is at least twice that part of the share with half of
// them.
void FairScores::start(const NodeGroups& groups, double reached, double part) {
  groups_ = &groups;
  part_ = part;
  if (data_.n_classes == 0) {  // gains of numbers are not counted
    reached_ = reached;
    return;
  }
  if (reached != compared_) share_ = share_of_score(reached);
  compared_ = reached_ = reached;
  if (part >= 0.5) return;
  const double share = share_ / (2 * part);
  reached_ = share < kNearlyOne ? score_of_share(share) : kMinusInfinity;
}

// Minus infinity where more gains are larger than of the best split so far.
SplitScore FairScores::of_shares(const Shares& shares) const {
  const double share = shares.larger + part_ * shares.equal;
  if (is_beaten(share)) return kMinusInfinity;
  return {score_of_share(shares.larger + shares.equal / 2), score_of_share(share)};
}

// Fitted scores below zero may be far too low in the smallest nodes.
bool FairScores::can_reach(const NodeNull& null, double gain, const CubeRootLaw& law, double margin) const {
  if (margin > 0 && reached_ <= 0 && null.n() <= kSmallestRows) return true;
  const double least = law.center + std::min(reached_ - margin - 2 * kTie, kTailStart) * law.scale;
  return !(least > 0 && null.in_units(gain) < least * least * least);
}

bool FairScores::can_pass(const NodeNull& null, double gain, double d, double reached) {
  const CubeRootLaw law = null.searched_law(d);
  const double least = law.center + std::min(reached + kTie / 2, kTailStart) * law.scale;
  return !(least > 0 && null.in_units(gain) < least * least * least);
}

// The cube root is normal where most gains lie; its own tail is not that of a gain, and would rank strong
// splits by how many cuts were searched. From kTailStart on, where the slopes are about the same, the score z
// has the tail of the gamma law: -2 ln of T^((r-1) rate/2 - 1) exp(-rate T/2) is z^2 + ln z^2 there, but for
// a constant. Minus infinity where the gain cannot be the best: most are told by a cube, without a root.
double FairScores::fitted(const NodeNull& null, double gain, double r, const CubeRootLaw& law,
                          double margin) const {
  if (!can_reach(null, gain, law, margin)) return kMinusInfinity;
  const double T = null.in_units(gain);
  const double z = (std::cbrt(T) - law.center) / law.scale;
  if (z <= kTailStart) return z;
  const double start = law.center + kTailStart * law.scale, ratio = T / (start * start * start);
  const double rate = null.tail_rate();
  const double past = rate * T * (1 - 1 / ratio) - (rate * (r - 1) - 1) * std::log(ratio);
  return std::sqrt(kTailStart * kTailStart + past);
}

// The part R of the variance that a split explains is at most 1, and of many children it comes near: a Beta
// law has its moments, and cube roots of the odds of R are normal scores of that (Paulson 1942), which for
// few children are those of the gamma law. Numbers with ties may have R = 1 by chance, hence a limit.
double FairScores::of_numbers(const NodeNull& null, double gain, double r, const CubeRootLaw& law,
                              double variance) const {
  constexpr double kMostAbove = 1, kRounding = 1e-12;
  const double score = fitted(null, gain, r, law, kMostAbove), unit = null.unit() / (null.n() - 1);
  const double mean = (r - 1) / (null.n() - 1), size = mean * (1 - mean) / (variance * unit * unit) - 1;
  if (score == kMinusInfinity || !(size > 0)) return score;
  const double explained = std::min(unit * gain / null.copies(), 1 - kRounding);
  const double above = 1 / (9 * mean * size), below = 1 / (9 * (1 - mean) * size);
  const double root = std::cbrt(explained * (1 - mean) / ((1 - explained) * mean));
  const double z = ((1 - below) * root - 1 + above) / std::sqrt(below * root * root + above);
  return std::clamp(z, score, score + kMostAbove);
}

SplitScore FairScores::of_fixed(const NodeNull& null, double gain, double r, double reciprocals,
                                double variance) {
  Shares shares{0, 0};
  const double fitted_score = fixed(null, gain, r, reciprocals, variance, shares);
  return shares.larger + shares.equal > 0 ? of_shares(shares) : fitted_score;
}

double FairScores::of_category(const NodeNull& null, double gain, double reciprocals, double variance) {
  Shares shares{0, 0};
  const double fitted_score = fixed(null, gain, 2, reciprocals, variance, shares);
  const double share = shares.larger + shares.equal / 2;
  const double score = share > 0 ? score_of_share(share) : fitted_score;
  reached_ = std::max(reached_, score);
  return score;
}

// The fitted score, or shares where the law is exact.
double FairScores::fixed(const NodeNull& null, double gain, double r, double reciprocals, double variance,
                         Shares& shares) {
  if (null.is_of_numbers()) {
    if (null.is_skewed(r, variance)) return null.skewed_score(gain, r, variance);
    return of_numbers(null, gain, r, null.fixed_law(r, variance), variance);
  }
  const double n = null.n(), m = r == 2 ? smaller_side(n, n / reciprocals) : 0;
  const bool is_exact = r == 2 && null.is_of_two() && std::min(m, null.smaller()) <= kFewRows;
  const bool is_skewed = null.is_skewed(r, variance);
  if (!is_exact && is_skewed) return null.skewed_score(gain, r, variance);
  const CubeRootLaw law = null.fixed_law(r, variance);
  if (!is_exact) return fitted(null, gain, r, law);
  if (is_skewed || can_reach(null, gain, law, kMargin)) {
    classes_.set(n, null.smaller());
    shares = classes_.of_fixed(gain, m);
  }
  return kMinusInfinity;
}

// Whether rows are of two classes, and counted.
bool FairScores::has_counts(const NodeNull& null) const {
  if (!null.is_of_two()) return false;
  const auto is_whole = [](double weight) { return weight == std::floor(weight); };
  const double* left = groups_->left.data();
  return data_.weights.empty() || std::all_of(left, left + groups_->count, is_whole);
}

// How many values of equal size the cuts first … last-1 count for. Along the logarithm of the odds of being
// left of a cut, gains are alike at any place, and correlated by distance only: d values of equal size have a
// logarithm of (d - 1)^2 from the first cut to the last. What lies between two cuts far apart is not
// searched. Cuts that are few for what they span count for less: the geometric mean with their number is
// near.
double FairScores::spread_of_cuts(const NodeNull& null, std::size_t first, std::size_t last) {
  constexpr double kFar = 0.7, kFarRatio = 4.0551999668446745;  // exp(2 kFar)
  const double n = null.n(), *left = groups_->left.data();
  const bool is_known = n == distinct_.n && first == distinct_.first && last == distinct_.last;
  if (has_distinct() && is_known) return distinct_.spread;
  double ratio = 1;
  // Of single rows, no cut is far from the next.
  for (std::size_t cut = has_distinct() ? last : first + 1; cut < last; ++cut) {
    const double odds = left[cut] * (n - left[cut - 1]), odds_before = left[cut - 1] * (n - left[cut]);
    if (odds > kFarRatio * odds_before) {
      const double beyond = std::log(odds / odds_before) / 2 - kFar;
      ratio *= std::exp(2 * (kFar * -std::expm1(-beyond / kFar) - beyond));
    }
  }
  const double odds = left[last - 1] / (n - left[last - 1]), odds_first = left[first] / (n - left[first]);
  const double spread =
      std::sqrt((1 + std::sqrt(ratio * odds / odds_first)) * static_cast<double>(last - first + 1));
  if (has_distinct()) distinct_ = {n, first, last, spread};
  return spread;
}

// Whether the gain could be the best were the cuts as few as they can count for: told without their spread.
bool FairScores::can_reach_easiest(const NodeNull& null, double gain, std::size_t n_values) const {
  constexpr double kRoom = 1e-6;  // for rounding
  if (reached_ < kRoom || has_distinct() || !null.has_easiest_law(n_values)) return true;
  return can_reach(null, gain, null.easiest_law(n_values), kRoom);
}

SplitScore FairScores::of_cut(const NodeNull& null, double gain, std::size_t first, std::size_t last) {
  const bool is_exact = !null.is_of_numbers() && null.n() * null.smaller() <= kMostSteps && has_counts(null);
  if (!is_exact) {
    if (!can_reach_easiest(null, gain, last - first + 1)) return kMinusInfinity;
    return fitted(null, gain, 2, null.searched_law(spread_of_cuts(null, first, last)));
  }
  const CubeRootLaw law = null.searched_law(static_cast<double>(groups_->count));
  if (!can_reach(null, gain, law, kMargin)) return kMinusInfinity;
  classes_.set(null.n(), null.smaller());
  const double* left = groups_->left.data();
  const Shares shares = classes_.of_cut(gain, left, first, last);
  return is_beaten(shares.larger) ? SplitScore(kMinusInfinity) : of_shares(shares);
}

SplitScore FairScores::of_single(const NodeNull& null, double score) {
  const auto count = static_cast<double>(groups_->count);
  if (!has_counts(null)) return of_best(score, independent(count));
  classes_.set(null.n(), null.smaller());
  return of_shares(classes_.of_single(share_of_score(score), groups_->left.data(), groups_->count));
}

}  // namespace bychance
