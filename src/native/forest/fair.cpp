// The fitted law says which gains are worth an exact one.
#include "forest/fair.hpp"

#include <algorithm>
#include <cmath>

#include "forest/cuts.hpp"
#include "nulls/normal.hpp"

namespace bychance {
namespace {

constexpr double kRootHalf = 0.70710678118654752440, kNearlyOne = 1 - 1e-12;
constexpr double kMargin = 1;     // by how much a fitted score may be too low
constexpr double kTailStart = 2;  // of a fitted law
constexpr double kSmallestRows = 8;
constexpr double kRare = 0.2;  // of a class
constexpr double kAll = std::numeric_limits<double>::infinity();
constexpr double kFar = 1 + 1e-6;  // of shares: beyond what rounding does, and ties
constexpr double kWhole = 1e-6;    // by how much a whole number of rows may be off

double score_of_share(double share) {
  return -normal_quantile(std::clamp(share, std::numeric_limits<double>::min(), kNearlyOne));
}

double share_of_score(double score) { return std::erfc(score * kRootHalf) / 2; }

// The logarithm of the probability below a score.
double log_below(double score) { return std::log(std::erfc(-score * kRootHalf) / 2); }

double score_below(double log_probability) {
  const double above = -std::expm1(log_probability);
  if (above < 0.5) return -normal_quantile(above);
  return normal_quantile(std::max(std::exp(log_probability), std::numeric_limits<double>::min()));
}

// Of n rows in two, one side times the other has this size.
double smaller_side(double n, double product) {
  return (n - std::sqrt(std::max(0.0, n * n - 4 * product))) / 2;
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
  return score_below(m * log_below(score));
}

double FairScores::of_both(double score, double other, double m) {
  constexpr double kFarTail = 6;
  if (score == kMinusInfinity || score > kFarTail) return score;
  return score_below(log_below(score) + m * log_below(other));
}

void FairScores::start(const NodeGroups& groups, double reached, double part) {
  groups_ = &groups;
  part_ = part;
  compared_ = reached;
  reached_ = std::numeric_limits<double>::quiet_NaN();
  category_ = kMinusInfinity;
  least_share_ = kAll;
  is_largest_of_column_ = false;
}

// Of the best split so far.
double FairScores::share() {
  if (share_at_ != compared_) share_ = share_of_score(compared_), share_at_ = compared_;
  return share_;
}

// Shares are compared by larger + part equal, and reported as larger + equal/2. With part < 1/2, the former
// is at least 2 part times the latter, so that a reported share above share/(2 part) cannot be the best.
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

// A score that reaches the best split as compared also reaches what is asked of reported ones, which is less.
bool FairScores::can_reach(const NodeNull& null, double gain, const CubeRootLaw& law, double margin) {
  const double T = null.in_units(gain);
  const auto is_enough = [&](double reached) {
    // Fitted scores below zero may be far too low in the smallest nodes.
    if (margin > 0 && reached <= 0 && null.n() <= kSmallestRows) return true;
    const double least = law.center + std::min(reached - margin - 2 * kTie, kTailStart) * law.scale;
    return !(least > 0 && T < least * least * least);
  };
  if (is_enough(std::max(compared_, category_))) return true;
  if (null.is_of_numbers() || part_ >= 0.5 || category_ >= compared_) return false;
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
double FairScores::explained(const NodeNull& null, const FixedSplit& split) {
  constexpr double kMostAbove = 1, kRounding = 1e-12;
  const double r = split.r, unit = null.unit() / (null.n() - 1);
  const double score = fitted(null, split.gain, r, null.fixed_law(r, split.variance), kMostAbove);
  const double mean = (r - 1) / (null.n() - 1), size = mean * (1 - mean) / (split.variance * unit * unit) - 1;
  if (score == kMinusInfinity || !(size > 0)) return score;
  const double part = std::min(unit * split.gain, 1 - kRounding);
  const double above = 1 / (9 * mean * size), below = 1 / (9 * (1 - mean) * size);
  const double root = std::cbrt(part * (1 - mean) / ((1 - part) * mean));
  const double z = ((1 - below) * root - 1 + above) / std::sqrt(below * root * root + above);
  return std::clamp(z, score, score + kMostAbove);
}

SplitScore FairScores::of_fixed(const NodeNull& null, double gain, double r, double reciprocals,
                                double variance) {
  const FixedSplit split{gain, r, reciprocals, variance, {0, 0}};
  double fitted_score = kMinusInfinity;
  Law* law;
  if (null.is_of_numbers()) {
    law = law_of_numbers(null, split, most_share(), fitted_score);
  } else {
    const bool is_of_two = groups_->count == 2 && data_.weights.empty();
    const double n = null.n(), first = groups_->left[0];
    const double m = r != 2 ? 0 : is_of_two ? std::min(first, n - first) : smaller_side(n, n / reciprocals);
    law = law_of_classes(null, split, m, most_share(), fitted_score);
  }
  return law ? of_law(*law) : fitted_score;
}

double FairScores::of_category(const NodeNull& null, double gain, std::size_t g, double rows,
                               double reciprocals, double variance) {
  const double size = groups_->left[g] - (g ? groups_->left[g - 1] : 0);
  const FixedSplit split{gain, 2, reciprocals, variance, {size, rows}};
  double score = kMinusInfinity;
  Law* law;
  if (null.is_of_numbers()) {
    law = law_of_numbers(null, split, least_share_ * kFar, score);
  } else {
    const double n = null.n();
    const double m = data_.weights.empty() ? std::min(size, n - size) : smaller_side(n, n / reciprocals);
    law = law_of_classes(null, split, m, least_share_ * kFar, score);
  }
  if (law) {
    const double share = law->shares.larger + law->shares.equal / 2;
    if (share > least_share_ * kFar) return kMinusInfinity;
    least_share_ = std::min(least_share_, share);
    score = reported(*law);
  }
  category_ = std::max(category_, score);
  return score;
}

// The law where it is exact; otherwise none, and the fitted score. One of two children has the weight m. Of
// larger gains no more than enough need be counted.
Law* FairScores::law_of_classes(const NodeNull& null, const FixedSplit& split, double m, double enough,
                                double& fitted_score) {
  const bool is_counted = data_.weights.empty() || std::abs(m - std::round(m)) < kWhole;
  const bool is_exact =
      split.r == 2 && null.is_of_two() && is_counted && std::min(m, null.smaller()) <= kFewRows;
  const bool is_skewed = null.is_skewed(split.r, split.variance);
  if (!is_exact && is_skewed) {
    fitted_score = null.skewed_score(split.gain, split.r, split.variance);
    return nullptr;
  }
  const CubeRootLaw law = null.fixed_law(split.r, split.variance);
  if (!is_exact) {
    fitted_score = fitted(null, split.gain, split.r, law);
    return nullptr;
  }
  if (!is_skewed && !can_reach(null, split.gain, law, kMargin)) return nullptr;
  classes_.set(null.n(), null.smaller());
  Law& found = classes_.of_fixed(split.gain, std::round(m), enough);
  return found.is_known() ? &found : nullptr;
}

// The child that the cut leaves on one side.
FairScores::Child FairScores::child_of(const NodeNull& null, const FixedSplit& split) const {
  if (split.child.weight > 0) return split.child;
  const double n = null.n(), m = smaller_side(n, n / split.reciprocals);
  if (data_.weights.empty()) return {std::round(m), std::round(m)};
  const double* left = groups_->left.data();
  std::size_t cut = 0;
  const auto far = [&](std::size_t g) { return std::min(std::abs(left[g] - m), std::abs(n - left[g] - m)); };
  for (std::size_t g = 1; g + 1 < groups_->count; ++g) cut = far(g) < far(cut) ? g : cut;
  return {left[cut], groups_->rows[cut]};
}

// The law where tails are heavy; otherwise none, and the fitted score. Of larger gains no more than enough
// need be counted.
Law* FairScores::law_of_numbers(const NodeNull& null, const FixedSplit& split, double enough,
                                double& fitted_score) {
  if (split.r != 2 || !null.is_heavy(split.variance)) {
    fitted_score = null.is_skewed(split.r, split.variance)
                       ? null.skewed_score(split.gain, split.r, split.variance)
                       : explained(null, split);
    return nullptr;
  }
  if (!(groups_->is_whole ? largest_of_ == groups_->node : is_largest_of_column_)) largest_.set(*groups_);
  largest_of_ = groups_->is_whole ? groups_->node : 0;
  is_largest_of_column_ = !groups_->is_whole;
  Child child = child_of(null, split);
  const auto n_rows = static_cast<double>(largest_.n());
  if (largest_.counts_copies()) child.rows = child.weight;
  if (2 * child.rows > n_rows) child = {null.n() - child.weight, n_rows - child.rows};
  const double distance = std::sqrt(split.gain * child.weight * (null.n() - child.weight));
  heavy_ = {largest_.of_sum(distance, child.rows, enough)};
  return &heavy_;
}

// Whether rows are of two classes, and counted.
bool FairScores::has_counts(const NodeNull& null) const {
  if (!null.is_of_two()) return false;
  const auto is_whole = [](double weight) { return weight == std::floor(weight); };
  const double* left = groups_->left.data();
  return data_.weights.empty() || std::all_of(left, left + groups_->count, is_whole);
}

// Whether no two rows have the same value, and all of them weight 1.
bool FairScores::has_distinct() const {
  if (groups_->count != groups_->n_rows) return false;
  bool is_once = true;
  for (std::size_t k = 0; k < groups_->count && is_once && !data_.weights.empty(); ++k) {
    is_once = groups_->left[k] == static_cast<double>(k + 1);
  }
  return is_once;
}

// How many independent cuts these count for: of single rows known from their number and how many are left
// out.
double FairScores::count_cuts(double n, std::size_t first, std::size_t last) {
  if (!has_distinct()) return independent_cuts(n, groups_->left.data(), first, last);
  if (n != distinct_.n || first != distinct_.first || last != distinct_.last) {
    distinct_ = {n, first, last, independent_cuts(n, groups_->left.data(), first, last)};
  }
  return distinct_.cuts;
}

CubeRootLaw FairScores::law_of_cuts(const NodeNull& null, std::size_t first, std::size_t last) {
  const double n = null.n(), *left = groups_->left.data();
  if (has_distinct() && last - first + 1 == groups_->count) return null.searched_law(n);
  const double ends = (1 / left[first] + 1 / (n - left[last - 1])) / 2;
  return null.searched_law(count_cuts(n, first, last), ends);
}

// Whether the gain could be the best were there one cut: told without a look at them.
bool FairScores::can_reach_easiest(const NodeNull& null, double gain) {
  constexpr double kRoom = 1e-6;  // for rounding
  if (!null.is_of_numbers() || !data_.weights.empty() || compared_ < kRoom) return true;
  return can_reach(null, gain, null.easiest_law(), kRoom);
}

// Of two classes, those orders in which a cut next to an end gains more, and half of those in which it gains
// as much. A few rows of a rare class there make up a large part of all large gains, and have few different
// ones.
double FairScores::share_at_ends(const NodeNull& null, double gain, std::size_t first, std::size_t last) {
  constexpr double kMostRows = 8;
  const double n = null.n(), *left = groups_->left.data();
  classes_.set(n, null.smaller());
  double share = 0;
  const auto add_end = [&](auto rows_of) {
    double before = 0;
    for (std::size_t k = 0; k < last - first; ++k) {
      const double m = rows_of(k);
      if (m > kMostRows) break;
      const Shares own = classes_.of_fixed(gain, m, kAll).shares;
      share += (k == 0 ? 1 : independent_part(n, before, m)) * (own.larger + own.equal / 2);
      before = m;
    }
  };
  add_end([=](std::size_t k) { return left[first + k]; });
  add_end([=](std::size_t k) { return n - left[last - 1 - k]; });
  return share;
}

SplitScore FairScores::of_cut(const NodeNull& null, double gain, std::size_t first, std::size_t last) {
  const bool is_exact = !null.is_of_numbers() && null.n() * null.smaller() <= kMostSteps && has_counts(null);
  if (!is_exact) {
    if (!can_reach_easiest(null, gain)) return kMinusInfinity;
    const double score = fitted(null, gain, 2, law_of_cuts(null, first, last));
    const bool is_lumped = score > 0 && null.smaller() < kRare * null.n() && has_counts(null);
    return is_lumped ? std::min(score, score_of_share(share_at_ends(null, gain, first, last))) : score;
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
  constexpr double kSome = 1e-5, kMiddle = 0.49;
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
