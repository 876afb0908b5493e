// The fitted law says which gains are worth an exact one.
#include "forest/fair.hpp"

#include <algorithm>
#include <cmath>

#include "nulls/normal.hpp"
#include "wide.hpp"

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
  return std::floor((n - std::sqrt(std::max(0.0, n * n - 4 * product))) / 2 + 0.5);
}

constexpr double kFar = 0.7, kFarRatio = 4.0551999668446745;  // of cuts: exp(2 kFar)

// The first of the cuts that is far from the one before, or `last`: many at a time, as most are near.
BYCHANCE_WIDE std::size_t next_far(double n, const double* left, std::size_t cut, std::size_t last) {
  constexpr std::size_t kLanes = 16;
  const auto is_far = [=](std::size_t k) {
    return left[k] * (n - left[k - 1]) > kFarRatio * (left[k - 1] * (n - left[k]));
  };
  for (; cut + kLanes <= last; cut += kLanes) {
    int n_far = 0;
    for (std::size_t i = 0; i < kLanes; ++i) n_far += is_far(cut + i);
    if (n_far > 0) break;
  }
  while (cut < last && !is_far(cut)) ++cut;
  return cut;
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

void FairScores::start(const NodeGroups& groups, double reached, double part) {
  groups_ = &groups;
  part_ = data_.n_classes == 0 ? 0.5 : part;  // equal gains of numbers are not counted
  compared_ = reached;
  reached_ = std::numeric_limits<double>::quiet_NaN();
  category_ = kMinusInfinity;
}

// Of the best split so far.
double FairScores::share() {
  if (share_at_ != compared_) share_ = share_of_score(compared_), share_at_ = compared_;
  return share_;
}

// A share with a part below one half of the equal gains is at least twice that part of the share with half of
// them.
double FairScores::reached() {
  if (std::isnan(reached_)) {
    const double most = share() / (2 * part_);
    reached_ = most < kNearlyOne ? score_of_share(most) : kMinusInfinity;
  }
  return reached_;
}

// Minus infinity where more gains are larger than of the best split so far.
SplitScore FairScores::of_law(Law& law) {
  const double share = law.shares.larger + part_ * law.shares.equal;
  if (is_beaten(share)) return kMinusInfinity;
  const double score = reported(law);
  return {score, law.shares.equal != 0 ? score_of_share(share) : score};
}

double FairScores::reported(Law& law) {
  if (!law.has_score()) law.score = score_of_share(law.shares.larger + law.shares.equal / 2);
  return law.score;
}

// What reaches the best split as compared has no need of what is to be reached as reported, which is less.
bool FairScores::can_reach(const NodeNull& null, double gain, const CubeRootLaw& law, double margin) {
  const double T = null.in_units(gain);
  const auto is_enough = [&](double reached) {
    // Fitted scores below zero may be far too low in the smallest nodes.
    if (margin > 0 && reached <= 0 && null.n() <= kSmallestRows) return true;
    const double least = law.center + std::min(reached - margin - 2 * kTie, kTailStart) * law.scale;
    return !(least > 0 && T < least * least * least);
  };
  if (is_enough(std::max(compared_, category_))) return true;
  if (part_ >= 0.5 || category_ >= compared_) return false;
  return is_enough(std::max(reached(), category_));
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
                          double margin) {
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
                              double variance) {
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
  const bool is_of_two = groups_->count == 2 && data_.weights.empty();
  const double n = null.n(), first = groups_->left[0];
  const double m = r != 2 || null.is_of_numbers() ? 0
                   : is_of_two                    ? std::min(first, n - first)
                                                  : smaller_side(n, n / reciprocals);
  double fitted_score = kMinusInfinity;
  Law* law = exact(null, gain, r, m, variance, true, fitted_score);
  return law ? of_law(*law) : fitted_score;
}

double FairScores::of_category(const NodeNull& null, double gain, std::size_t g, double reciprocals,
                               double variance) {
  const double n = null.n(), size = groups_->left[g] - (g ? groups_->left[g - 1] : 0);
  const double m = data_.weights.empty() ? std::min(size, n - size) : smaller_side(n, n / reciprocals);
  double score = kMinusInfinity;
  Law* law = exact(null, gain, 2, m, variance, false, score);
  if (law) score = reported(*law);
  category_ = std::max(category_, score);
  return score;
}

// The law where it is exact; otherwise none, and the fitted score. A law that is compared may be left where
// it is beaten.
Law* FairScores::exact(const NodeNull& null, double gain, double r, double m, double variance,
                       bool is_compared, double& fitted_score) {
  if (null.is_of_numbers()) {
    fitted_score = null.is_skewed(r, variance)
                       ? null.skewed_score(gain, r, variance)
                       : of_numbers(null, gain, r, null.fixed_law(r, variance), variance);
    return nullptr;
  }
  const bool is_exact = r == 2 && null.is_of_two() && std::min(m, null.smaller()) <= kFewRows;
  const bool is_skewed = null.is_skewed(r, variance);
  if (!is_exact && is_skewed) {
    fitted_score = null.skewed_score(gain, r, variance);
    return nullptr;
  }
  const CubeRootLaw law = null.fixed_law(r, variance);
  if (!is_exact) {
    fitted_score = fitted(null, gain, r, law);
    return nullptr;
  }
  if (!is_skewed && !can_reach(null, gain, law, kMargin)) return nullptr;
  classes_.set(null.n(), null.smaller());
  constexpr double kAll = std::numeric_limits<double>::infinity();
  Law& found = classes_.of_fixed(gain, m, is_compared ? most_share() : kAll);
  return found.is_known() ? &found : nullptr;
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
  const double n = null.n(), *left = groups_->left.data();
  const bool is_known = n == distinct_.n && first == distinct_.first && last == distinct_.last;
  if (has_distinct() && is_known) return distinct_.spread;
  double ratio = 1;
  // Of single rows, no cut is far from the next.
  std::size_t cut = has_distinct() ? last : first + 1;
  for (; cut < last && (cut = next_far(n, left, cut, last)) < last; ++cut) {
    const double odds = left[cut] * (n - left[cut - 1]), odds_before = left[cut - 1] * (n - left[cut]);
    const double beyond = std::log(odds / odds_before) / 2 - kFar;
    ratio *= std::exp(2 * (kFar * -std::expm1(-beyond / kFar) - beyond));
  }
  const double odds = left[last - 1] / (n - left[last - 1]), odds_first = left[first] / (n - left[first]);
  const double spread =
      std::sqrt((1 + std::sqrt(ratio * odds / odds_first)) * static_cast<double>(last - first + 1));
  if (has_distinct()) distinct_ = {n, first, last, spread};
  return spread;
}

// Whether the gain could be the best were the cuts as few as they can count for: told without their spread.
bool FairScores::can_reach_easiest(const NodeNull& null, double gain, std::size_t n_values) {
  constexpr double kRoom = 1e-6;  // for rounding
  if (std::max(compared_, category_) < kRoom || has_distinct() || !null.has_easiest_law(n_values))
    return true;
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
  Law& found = classes_.of_cut(gain, left, first, last);
  return is_beaten(found.shares.larger) ? SplitScore(kMinusInfinity) : of_law(found);
}

// Whether more gains are larger than of the best split so far, from the share of one category, to the power
// of which the best of all is likely at least: 1 - (1 - p)^c >= c p, of larger gains and of those and equal
// ones.
bool FairScores::is_far_beaten(double own, double power) {
  constexpr double kFar = 1 + 1e-6, kSome = 1e-5, kMiddle = 0.49;  // beyond what rounding does
  return own > kSome && own < kMiddle && std::min(1.0, 2 * part_) * power * own > kFar * most_share();
}

SplitScore FairScores::of_single(const NodeNull& null, double score) {
  const auto count = static_cast<double>(groups_->count);
  if (!has_counts(null)) return of_best(score, independent(count));
  const double own = share_of_score(score);
  if (is_far_beaten(own, independent(count) / count)) return kMinusInfinity;
  classes_.set(null.n(), null.smaller());
  return of_law(classes_.of_single(own, groups_->left.data(), groups_->count));
}

}  // namespace bychance
