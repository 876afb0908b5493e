// Cuts of numbers, orders of categories, single categories and multiway splits, scored by the criterion.
#include "forest/split.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "forest/class_criterion.hpp"
#include "forest/exact.hpp"
#include "forest/number_criterion.hpp"
#include "nulls/normal.hpp"

namespace bychance {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
constexpr double kRootHalf = 0.70710678118654752440, kNearlyOne = 1 - 1e-12;
constexpr double kFewRows = 64;     // sums over so many
constexpr double kMostSteps = 1e4;  // of a walk along cuts
constexpr double kMargin = 1;       // by how much a fitted score may be too low

// The normal score of the share of gains that are larger.
double score_of_share(double share) {
  return -normal_quantile(std::clamp(share, std::numeric_limits<double>::min(), kNearlyOne));
}

// Of n rows in two, one side times the other has this size.
double smaller_side(double n, double product) {
  return std::round((n - std::sqrt(std::max(0.0, n * n - 4 * product))) / 2);
}

// The normal score of the best of m scores, were they independent: that of the probability to the power of m.
double score_of_best(double score, double m) {
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

// The first of the numbers that are best but for ties, or `last` where none is above `floor`.
std::size_t first_best(const double* values, std::size_t first, std::size_t last, double floor) {
  double best[4] = {floor, floor, floor, floor};
  std::size_t k = first;
  for (; k + 4 <= last; k += 4) {
    for (std::size_t i = 0; i < 4; ++i) best[i] = values[k + i] > best[i] ? values[k + i] : best[i];
  }
  for (; k < last; ++k) best[0] = std::max(best[0], values[k]);
  const double most = std::max(std::max(best[0], best[1]), std::max(best[2], best[3]));
  if (most == floor) return last;
  for (k = first; !(values[k] >= most - kTie && values[k] > floor);) ++k;
  return k;
}

}  // namespace

template <class Criterion>
SplitSearch<Criterion>::SplitSearch(const TreeColumns& data, const SplitRules& rules)
    : data_(data),
      rules_(rules),
      criterion_(data, rules),
      gains_(data.n_rows),
      reciprocals_(data.n_rows),
      scores_(data.n_rows) {}

template <class Criterion>
Candidate SplitSearch<Criterion>::best(std::size_t column, const NodeRows& node, const NodeNull& null,
                                       double reached, DrawStream& stream) {
  Candidate out;
  stream_ = &stream;
  reached_ = reached;
  out.column = column;
  groups_ = &criterion_.group(data_.columns[column], node);
  out.is_constant = groups_->count < 2;
  if (out.is_constant) return out;
  if (groups_->is_whole) {
    best_of_kind(data_.columns[column], node, null, out);
  } else {
    const NodeNull present = criterion_.null_of_present(node.copies);
    if (present.impurity() > 0) best_of_kind(data_.columns[column], node, present, out);
  }
  const TreeColumn& own = data_.columns[column];
  const bool is_of_two =
      own.is_gap || (own.has_gap && !groups_->is_whole);  // values, and whether there is one
  if (is_of_two && rules_.score == Score::fair) out.score = score_of_best(out.score, 2);
  return out;
}

template <class Criterion>
void SplitSearch<Criterion>::best_of_kind(const TreeColumn& column, const NodeRows& node,
                                          const NodeNull& null, Candidate& out) {
  if (column.kind == SplitKind::multiway) return best_multiway(null, spread_of_groups(column, node), out);
  if (column.kind == SplitKind::single) return best_single(null, out);
  best_cut(column, null, out);
}

// What the mean gain of a multiway split is proportional to: with rows drawn once, the number of groups less
// one; otherwise how often a row was drawn, in the mean over the rows of a group, summed over groups, less
// the same of all.
template <class Criterion>
double SplitSearch<Criterion>::spread_of_groups(const TreeColumn& column, const NodeRows& node) {
  const std::size_t count = groups_->count;
  if (data_.copies.empty() || rules_.score != Score::fair) return static_cast<double>(count - 1);
  copies_.assign(column.n_codes + 1, 0.0);
  const auto add = [&](const auto* keys) {
    for (std::size_t k = 0; k < node.n; ++k) {
      copies_[keys[node.rows[k]] >> data_.label_bits] += data_.copies[node.rows[k]];
    }
  };
  if (column.is_wide) {
    add(data_.wide.data() + column.start);
  } else {
    add(data_.narrow.data() + column.start);
  }
  const double* rows = rows_so_far();
  double sum = 0, total = 0;
  for (std::size_t g = 0; g < count; ++g) {
    const double own = copies_[groups_->code[g]];
    sum += own / (rows[g] - (g ? rows[g - 1] : 0));
    total += own;
  }
  return sum - total / rows[count - 1];
}

// A normal score of the gain. The cube root is normal where most gains lie; its own tail is not that of a
// gain, and would rank strong splits by how many cuts were searched. From kTailStart on, where the slopes
// are about the same, the score z has the tail of the gamma law: -2 ln of T^((r-1) rate/2 - 1) exp(-rate T/2)
// is z^2 + ln z^2 there, but for a constant. Most splits are turned away by a cube, without a root.
template <class Criterion>
double SplitSearch<Criterion>::fair_score(const NodeNull& null, double gain, double r, const CubeRootLaw& law,
                                          double margin) const {
  constexpr double kTailStart = 2;
  const double T = null.unit() * gain / null.copies();
  const double least = law.center + std::min(reached_ - margin - 2 * kTie, kTailStart) * law.scale;
  if (least > 0 && T < least * least * least) return kMinusInfinity;
  const double z = (std::cbrt(T) - law.center) / law.scale;
  if (z <= kTailStart) return z;
  const double start = law.center + kTailStart * law.scale, ratio = T / (start * start * start);
  const double rate = null.tail_rate();
  const double past = rate * T * (1 - 1 / ratio) - (rate * (r - 1) - 1) * std::log(ratio);
  return std::sqrt(kTailStart * kTailStart + past);
}

// The same of a split fixed in advance.
template <class Criterion>
double SplitSearch<Criterion>::fixed_score(const NodeNull& null, double gain, double r, double reciprocals,
                                           double variance) const {
  const double n = null.n(), m = r == 2 ? smaller_side(n, n / reciprocals) : 0;
  const bool is_exact = r == 2 && null.is_of_two() && std::min(m, null.smaller()) <= kFewRows;
  const bool is_skewed = null.is_skewed(r, variance);
  if (is_skewed && !is_exact) return null.skewed_score(gain, r, variance);
  const double fitted =
      is_skewed ? 0 : fair_score(null, gain, r, null.fixed_law(r, variance), is_exact ? kMargin : 0);
  if (!is_exact || fitted == kMinusInfinity) return fitted;
  return score_of_share(TwoClasses(n, null.smaller()).larger_fixed(gain, m));
}

template <class Criterion>
bool SplitSearch<Criterion>::has_whole_groups() const {
  const auto is_whole = [](double weight) { return weight == std::floor(weight); };
  const double* left = groups_->left.data();
  return data_.weights.empty() || std::all_of(left, left + groups_->count, is_whole);
}

// The same of the best of many cuts. Where the exact law is at hand, the fitted one only says which cuts are
// worth it.
template <class Criterion>
double SplitSearch<Criterion>::searched_score(const NodeNull& null, double gain, std::size_t first,
                                              std::size_t last) const {
  const CubeRootLaw law = null.searched_law(static_cast<double>(groups_->count));
  const bool is_exact = null.is_of_two() && null.n() * null.smaller() <= kMostSteps && has_whole_groups();
  const double fitted = fair_score(null, gain, 2, law, is_exact ? kMargin : 0);
  if (!is_exact || fitted == kMinusInfinity) return fitted;
  return score_of_share(
      TwoClasses(null.n(), null.smaller()).larger_cut(gain, groups_->left.data(), first, last));
}

// The score of the best of single categories, whose own scores there are. With two classes each category has
// its chances to be as good; with negative correlations, three categories count for about two and a half.
template <class Criterion>
double SplitSearch<Criterion>::score_of_single(const NodeNull& null, double score) const {
  const auto count = static_cast<double>(groups_->count);
  if (!null.is_of_two() || !has_whole_groups()) return score_of_best(score, count - 0.5);
  TwoClasses classes(null.n(), null.smaller());
  const double share = std::erfc(score * kRootHalf) / 2;
  double log_none[2] = {0, 0};
  for (std::size_t g = 0; g < groups_->count; ++g) {
    const double m = groups_->left[g] - (g ? groups_->left[g - 1] : 0);
    std::pair<double, double> chances{share, share};
    if (std::min(m, null.smaller()) <= kFewRows) chances = classes.at_most(share, m);
    const double log_of_first = std::log1p(-std::min(chances.first, kNearlyOne));
    log_none[0] += log_of_first;
    log_none[1] +=
        chances.second == chances.first ? log_of_first : std::log1p(-std::min(chances.second, kNearlyOne));
  }
  const double kept = (count - 0.5) / count;
  return score_of_share(-(std::expm1(kept * log_none[0]) + std::expm1(kept * log_none[1])) / 2);
}

template <class Criterion>
double SplitSearch<Criterion>::quantile(double mean, double variance) const {
  if (rules_.quantile == Quantile::cantelli) return mean + rules_.deviation * std::sqrt(variance);
  const double h = variance / (9 * mean * mean);
  const double root = std::max(0.0, 1 - h + rules_.deviation * std::sqrt(h));
  return mean * root * root * root;
}

// A split fixed in advance into r children.
template <class Criterion>
double SplitSearch<Criterion>::score(const NodeNull& null, double gain, double r, double reciprocals) const {
  if (rules_.score == Score::raw) return gain;
  const double mean = null.mean(r), variance = null.variance(r, reciprocals);
  if (!null.can_vary(r) || variance <= null.zero_variance(r)) return kMinusInfinity;
  if (rules_.score == Score::fair) {
    return fixed_score(null, gain, r, reciprocals, variance);
  }
  if (rules_.score == Score::standardized) return (gain - mean) / std::sqrt(variance);
  return gain - quantile(mean, variance);
}

// What the criterion maximizes among the cuts of one column; minus infinity where it is below `reached`, or
// where the gain cannot vary. Most cuts are turned away by squares, without a root.
template <class Criterion>
void SplitSearch<Criterion>::cut_scores(const NodeNull& null, std::size_t first, std::size_t last,
                                        double reached) {
  const double mean = null.mean(2), base = null.variance(2, 0), slope = null.variance_slope() * null.n();
  const double zero = null.zero_variance(2), deviation = rules_.deviation;
  const double *reciprocals = reciprocals_.data(), *gains = gains_.data();
  double* scores = scores_.data();
  const auto score_each = [=](auto can_reach, auto score_of) {
    for (std::size_t g = first; g < last; ++g) {
      const double variance = base + slope * reciprocals[g], excess = gains[g] - mean;
      scores[g] = kMinusInfinity;
      if (!can_reach(excess, variance)) continue;
      if (variance > zero && gains[g] > criterion_.least_gain()) scores[g] = score_of(excess, variance);
    }
  };
  if (rules_.score == Score::standardized) {
    const double square = reached * reached;
    const auto score_of = [](double excess, double variance) { return excess / std::sqrt(variance); };
    if (reached > 0) {
      score_each([=](double e, double v) { return (e > 0) & (e * e >= square * v); }, score_of);
    } else {
      score_each([=](double e, double v) { return (e >= 0) | (e * e <= square * v); }, score_of);
    }
  } else if (rules_.quantile == Quantile::cantelli) {
    const double square = deviation * deviation;
    score_each(
        [=](double e, double v) {
          const double rest = e - reached;
          return (rest >= 0) & (rest * rest >= square * v);
        },
        [=](double excess, double variance) { return excess - deviation * std::sqrt(variance); });
  } else {
    score_each([](double, double) { return true; },
               [=](double excess, double variance) { return excess + mean - quantile(mean, variance); });
  }
}

// The cut with the best score, given the one with the best gain; the latter where no gain can vary.
template <class Criterion>
std::size_t SplitSearch<Criterion>::best_adjusted(const NodeNull& null, std::size_t first, std::size_t last,
                                                  std::size_t gainful) {
  const double reached = score(null, gains_[gainful], 2, null.n() * reciprocals_[gainful]);
  cut_scores(null, first, last, reached - kTie);
  const std::size_t cut = first_best(scores_.data(), first, last, kMinusInfinity);
  return cut == last ? gainful : cut;
}

// The cut at a number drawn between the least and the largest value, or the nearest that leaves enough rows.
template <class Criterion>
std::size_t SplitSearch<Criterion>::random_cut(const TreeColumn& column, std::size_t first, std::size_t last,
                                               Candidate& out) {
  constexpr std::uint32_t kSteps = 1u << 31;
  const auto value = [&](std::size_t g) {
    const std::uint32_t code = groups_->code[g];
    return column.values ? (*column.values)[code] : static_cast<double>(code);
  };
  const double low = value(0), high = value(groups_->count - 1);
  const double at = low + (high - low) * (static_cast<double>(stream_->below(kSteps)) / kSteps);
  std::size_t below = 0, above = groups_->count - 1;  // value(below) <= at < value(above), or nearly
  while (above - below > 1) {
    const std::size_t middle = (below + above) / 2;
    (value(middle) <= at ? below : above) = middle;
  }
  if (below < first || below >= last) return below < first ? first : last - 1;
  if (column.values && value(below) <= at && at < value(above)) out.threshold = at;
  return below;
}

template <class Criterion>
void SplitSearch<Criterion>::best_cut(const TreeColumn& column, const NodeNull& null, Candidate& out) {
  const auto n_rows = static_cast<double>(groups_->n_rows);
  const auto least = static_cast<double>(rules_.min_samples_leaf);
  const double* rows = rows_so_far();
  std::size_t first = 0, last = groups_->count - 1;
  while (first < last && rows[first] < least) ++first;
  while (last > first && n_rows - rows[last - 1] < least) --last;
  if (rules_.random_cuts && first < last) {
    first = random_cut(column, first, last, out);
    last = first + 1;
  }
  criterion_.cut_gains(null.n(), first, last, gains_.data(), reciprocals_.data());
  std::size_t cut = first_best(gains_.data(), first, last, criterion_.least_gain());
  if (cut == last) return;
  if (is_adjusted() && null.can_vary(2)) cut = best_adjusted(null, first, last, cut);
  const auto d = static_cast<double>(groups_->count);
  out.is_usable = true;
  out.n_children = 2;
  out.low = groups_->code[cut];
  out.high = groups_->code[cut + 1];
  out.gain = gains_[cut];
  if (rules_.score == Score::fair && d > 2 && !rules_.random_cuts && null.can_vary(2)) {
    out.score = searched_score(null, out.gain, first, last);
  } else {
    out.score = score(null, out.gain, 2, null.n() * reciprocals_[cut]);
  }
}

// The gains of one category against the others; 0 where a side has too few rows.
template <class Criterion>
void SplitSearch<Criterion>::single_gains(const NodeNull& null) {
  const auto n_rows = static_cast<double>(groups_->n_rows);
  const auto least = static_cast<double>(rules_.min_samples_leaf);
  const double* rows = rows_so_far();
  criterion_.single_gains(null.n(), gains_.data(), reciprocals_.data());
  for (std::size_t g = 0; g < groups_->count; ++g) {
    const double own_rows = rows[g] - (g ? rows[g - 1] : 0);
    if (own_rows < least || n_rows - own_rows < least) gains_[g] = 0;
  }
}

// The category whose own score is best, given the one with the best gain; the latter where none is. Scores
// that are not the best so far may be left at minus infinity.
template <class Criterion>
std::size_t SplitSearch<Criterion>::best_fair(const NodeNull& null, std::size_t gainful) {
  const double base = null.variance(2, 0), slope = null.variance_slope() * null.n();
  const double zero = null.zero_variance(2);
  const std::size_t count = groups_->count;
  std::fill(scores_.begin(), scores_.begin() + static_cast<std::ptrdiff_t>(count), kMinusInfinity);
  if (!null.can_vary(2)) return gainful;
  for (std::size_t g = 0; g < count; ++g) {
    const double variance = base + slope * reciprocals_[g];
    if (gains_[g] <= criterion_.least_gain() || variance <= zero) continue;
    scores_[g] = fixed_score(null, gains_[g], 2, null.n() * reciprocals_[g], variance);
    reached_ = std::max(reached_, scores_[g]);
  }
  const std::size_t found = first_best(scores_.data(), 0, count, kMinusInfinity);
  return found == count ? gainful : found;
}

template <class Criterion>
void SplitSearch<Criterion>::best_single(const NodeNull& null, Candidate& out) {
  const std::size_t count = groups_->count;
  single_gains(null);
  std::size_t found = first_best(gains_.data(), 0, count, criterion_.least_gain());
  if (found == count) return;
  const bool is_fair = rules_.score == Score::fair;
  if (is_fair) {
    found = best_fair(null, found);
  } else if (is_adjusted() && null.can_vary(2)) {
    found = best_adjusted(null, 0, count, found);
  }
  out.is_usable = true;
  out.n_children = 2;
  out.low = groups_->code[found];
  out.gain = gains_[found];
  out.score = is_fair ? scores_[found] : score(null, out.gain, 2, null.n() * reciprocals_[found]);
  if (is_fair && count > 2 && out.score > kMinusInfinity) out.score = score_of_single(null, out.score);
}

// `spread` is that of spread_of_groups.
template <class Criterion>
void SplitSearch<Criterion>::best_multiway(const NodeNull& null, double spread, Candidate& out) const {
  const auto least = static_cast<double>(rules_.min_samples_leaf);
  const double* rows = rows_so_far();
  double reciprocals = 0;
  bool has_room = true;
  for (std::size_t g = 0; g < groups_->count; ++g) {
    has_room &= rows[g] - (g ? rows[g - 1] : 0) >= least;
    reciprocals += 1 / (groups_->left[g] - (g ? groups_->left[g - 1] : 0));
  }
  const auto r = static_cast<double>(groups_->count);
  out.n_children = static_cast<std::int32_t>(groups_->count);
  out.gain = criterion_.multiway_gain(null.n());
  const double excess = spread / ((r - 1) * null.copies());
  out.score = score(null, rules_.score == Score::fair ? out.gain / excess : out.gain, r, reciprocals);
  // Single rows all around say nothing about the classes; two rows have no other split.
  const bool is_identifier = out.score == kMinusInfinity && r == null.n() && r > 2;
  out.is_usable = has_room && out.gain > criterion_.least_gain() && !is_identifier;
}

template class SplitSearch<ClassCriterion>;
template class SplitSearch<NumberCriterion>;

}  // namespace bychance
