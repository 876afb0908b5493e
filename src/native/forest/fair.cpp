// The fitted law says which gains are worth an exact one.
#include "forest/fair.hpp"

#include <algorithm>
#include <cmath>

#include "nulls/normal.hpp"

namespace bychance {
namespace {

constexpr double kRootHalf = 0.70710678118654752440, kNearlyOne = 1 - 1e-12;
constexpr double kFewRows = 64;     // sums over so many
constexpr double kMostSteps = 1e4;  // of a walk along cuts
constexpr double kMargin = 1;       // by how much a fitted score may be too low
constexpr double kTailStart = 2;    // of a fitted law

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

bool FairScores::can_reach(const NodeNull& null, double gain, const CubeRootLaw& law, double margin) const {
  const double least = law.center + std::min(reached_ - margin - 2 * kTie, kTailStart) * law.scale;
  return !(least > 0 && null.unit() * gain / null.copies() < least * least * least);
}

// The cube root is normal where most gains lie; its own tail is not that of a gain, and would rank strong
// splits by how many cuts were searched. From kTailStart on, where the slopes are about the same, the score z
// has the tail of the gamma law: -2 ln of T^((r-1) rate/2 - 1) exp(-rate T/2) is z^2 + ln z^2 there, but for
// a constant. Most splits are turned away by a cube, without a root; then it is minus infinity.
double FairScores::fitted(const NodeNull& null, double gain, double r, const CubeRootLaw& law) const {
  if (!can_reach(null, gain, law, 0)) return kMinusInfinity;
  const double T = null.unit() * gain / null.copies();
  const double z = (std::cbrt(T) - law.center) / law.scale;
  if (z <= kTailStart) return z;
  const double start = law.center + kTailStart * law.scale, ratio = T / (start * start * start);
  const double rate = null.tail_rate();
  const double past = rate * T * (1 - 1 / ratio) - (rate * (r - 1) - 1) * std::log(ratio);
  return std::sqrt(kTailStart * kTailStart + past);
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

bool FairScores::has_whole_groups() const {
  const auto is_whole = [](double weight) { return weight == std::floor(weight); };
  const double* left = groups_->left.data();
  return data_.weights.empty() || std::all_of(left, left + groups_->count, is_whole);
}

SplitScore FairScores::of_cut(const NodeNull& null, double gain, std::size_t first, std::size_t last) {
  const CubeRootLaw law = null.searched_law(static_cast<double>(groups_->count));
  const bool is_exact = null.is_of_two() && null.n() * null.smaller() <= kMostSteps && has_whole_groups();
  if (!is_exact) return fitted(null, gain, 2, law);
  if (!can_reach(null, gain, law, kMargin)) return kMinusInfinity;
  classes_.set(null.n(), null.smaller());
  const double* left = groups_->left.data();
  const Shares shares = classes_.of_cut(gain, left, first, last);
  return is_beaten(shares.larger) ? SplitScore(kMinusInfinity) : of_shares(shares);
}

// With two classes each category has its chances to be as good; with negative correlations, three categories
// count for about two and a half.
SplitScore FairScores::of_single(const NodeNull& null, double score) {
  const auto count = static_cast<double>(groups_->count);
  if (!null.is_of_two() || !has_whole_groups()) return of_best(score, count - 0.5);
  classes_.set(null.n(), null.smaller());
  const double share = share_of_score(score);
  double log_none[2] = {0, 0};
  for (std::size_t g = 0; g < groups_->count; ++g) {
    const double m = groups_->left[g] - (g ? groups_->left[g - 1] : 0);
    const bool is_exact = std::min(m, null.smaller()) <= kFewRows;
    const Shares better = is_exact ? classes_.of_share(share, m) : Shares{share, 0};
    log_none[0] += std::log1p(-std::min(better.larger, kNearlyOne));
    log_none[1] += std::log1p(-std::min(better.larger + better.equal, kNearlyOne));
  }
  const double kept = (count - 0.5) / count;
  const double larger = -std::expm1(kept * log_none[0]);
  return of_shares({larger, -std::expm1(kept * log_none[1]) - larger});
}

}  // namespace bychance
