// Cuts of numbers, orders of categories, single categories and multiway splits, scored by the criterion.
#include "forest/split.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nulls/normal.hpp"

namespace bychance {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

// The normal score of the best of m scores, were they independent: that of the probability to the power of m.
double score_of_best(double score, double m) {
  constexpr double kRootHalf = 0.70710678118654752440, kFarTail = 6;
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

SplitSearch::SplitSearch(const TreeColumns& data, const SplitRules& rules)
    : data_(data),
      rules_(rules),
      grouping_(data, rules.criterion == Criterion::entropy ? ClassSum::xlogx : ClassSum::squares),
      gains_(data.n_rows),
      reciprocals_(data.n_rows),
      scores_(data.n_rows) {}

Candidate SplitSearch::best(std::size_t column, const NodeRows& node, const NodeNull& null, double reached) {
  Candidate out;
  reached_ = reached;
  out.column = column;
  groups_ = &grouping_.group(data_.columns[column], node);
  out.is_constant = groups_->count < 2;
  if (out.is_constant) return out;
  if (groups_->is_whole) {
    best_of_kind(data_.columns[column], node, null, out);
    return out;
  }
  const NodeNull present(groups_->totals.data(), data_.n_classes, rules_.null, node.copies);
  if (present.impurity() > 0) best_of_kind(data_.columns[column], node, present, out);
  return out;
}

void SplitSearch::best_of_kind(const TreeColumn& column, const NodeRows& node, const NodeNull& null,
                               Candidate& out) {
  if (column.kind == SplitKind::multiway) return best_multiway(null, spread_of_groups(column, node), out);
  if (column.kind == SplitKind::single) return best_single(null, out);
  best_cut(null, out);
}

// What the mean gain of a multiway split is proportional to: with rows drawn once, the number of groups less
// one; otherwise how often a row was drawn, in the mean over the rows of a group, summed over groups, less
// the same of all.
double SplitSearch::spread_of_groups(const TreeColumn& column, const NodeRows& node) {
  const std::size_t count = groups_->count;
  if (data_.copies.empty() || rules_.criterion != Criterion::fair) return static_cast<double>(count - 1);
  copies_.assign(column.n_codes + 1, 0.0);
  const auto add = [&](const auto* keys) {
    for (std::size_t k = 0; k < node.n; ++k) {
      copies_[keys[node.rows[k]] >> data_.class_bits] += data_.copies[node.rows[k]];
    }
  };
  if (column.is_wide) {
    add(data_.wide.data() + column.start);
  } else {
    add(data_.narrow.data() + column.start);
  }
  const double* rows = data_.weights.empty() ? groups_->left.data() : groups_->rows.data();
  double sum = 0, total = 0;
  for (std::size_t g = 0; g < count; ++g) {
    const double own = copies_[groups_->code[g]];
    sum += own / (rows[g] - (g ? rows[g - 1] : 0));
    total += own;
  }
  return sum - total / rows[count - 1];
}

// What a child adds to the sum over children that the gain grows with.
double SplitSearch::child_term(double class_sum, double size) const {
  return rules_.criterion == Criterion::entropy ? class_sum - grouping_.sum_term(size) : class_sum / size;
}

double SplitSearch::gain_of(double children, const NodeNull& null) const {
  if (rules_.criterion != Criterion::entropy) return children / null.n() - null.squares();
  double node = -grouping_.sum_term(null.n());
  for (const double total : groups_->totals) node += grouping_.sum_term(total);
  return (children - node) / null.n();
}

void SplitSearch::cut_gains(const NodeNull& null, std::size_t first, std::size_t last) {
  const double n = null.n();
  const double* left = groups_->left.data();
  if (grouping_.is_of_two()) {
    const double b = groups_->totals[1], scale = 2 / (n * n);
    const double* ones = groups_->ones.data();
    for (std::size_t g = first; g < last; ++g) {
      const double excess = ones[g] * n - left[g] * b;
      reciprocals_[g] = 1 / (left[g] * (n - left[g]));
      gains_[g] = scale * (excess * excess) * reciprocals_[g];
    }
    return;
  }
  for (std::size_t g = first; g < last; ++g) {
    gains_[g] = gain_of(
        child_term(groups_->left_sum[g], left[g]) + child_term(groups_->right_sum[g], n - left[g]), null);
    reciprocals_[g] = 1 / (left[g] * (n - left[g]));
  }
}

// A normal score of the gain. The cube root is normal where most gains lie; its own tail is not that of a
// gain, and would rank strong splits by how many cuts were searched. From kTailStart on, where the slopes
// are about the same, the score z has the tail of the gamma law: -2 ln of T^((r-1) rate/2 - 1) exp(-rate T/2)
// is z^2 + ln z^2 there, but for a constant. Most splits are turned away by a cube, without a root.
double SplitSearch::fair_score(const NodeNull& null, double gain, double r, const CubeRootLaw& law) const {
  constexpr double kTailStart = 2;
  const double T = null.unit() * gain / null.copies();
  const double least = law.center + std::min(reached_ - 2 * kTie, kTailStart) * law.scale;
  if (least > 0 && T < least * least * least) return kMinusInfinity;
  const double z = (std::cbrt(T) - law.center) / law.scale;
  if (z <= kTailStart) return z;
  const double start = law.center + kTailStart * law.scale, ratio = T / (start * start * start);
  const double rate = null.tail_rate();
  const double past = rate * T * (1 - 1 / ratio) - (rate * (r - 1) - 1) * std::log(ratio);
  return std::sqrt(kTailStart * kTailStart + past);
}

// The same of a split fixed in advance.
double SplitSearch::fixed_score(const NodeNull& null, double gain, double r, double reciprocals,
                                double variance) const {
  if (null.is_skewed(r, variance)) return null.skewed_score(gain, r, reciprocals, variance);
  return fair_score(null, gain, r, null.fixed_law(r, variance));
}

double SplitSearch::quantile(double mean, double variance) const {
  if (rules_.quantile == Quantile::cantelli) return mean + rules_.deviation * std::sqrt(variance);
  const double h = variance / (9 * mean * mean);
  const double root = std::max(0.0, 1 - h + rules_.deviation * std::sqrt(h));
  return mean * root * root * root;
}

// A split fixed in advance into r children.
double SplitSearch::score(const NodeNull& null, double gain, double r, double reciprocals) const {
  if (rules_.criterion == Criterion::gini || rules_.criterion == Criterion::entropy) return gain;
  const double mean = null.mean(r), variance = null.variance(r, reciprocals);
  if (!null.can_vary(r) || variance <= null.zero_variance(r)) return kMinusInfinity;
  if (rules_.criterion == Criterion::fair) {
    return fixed_score(null, gain, r, reciprocals, variance);
  }
  if (rules_.criterion == Criterion::sgini) return (gain - mean) / std::sqrt(variance);
  return gain - quantile(mean, variance);
}

// What the criterion maximizes among the cuts of one column; minus infinity where it is below `reached`, or
// where the gain cannot vary. Most cuts are turned away by squares, without a root.
void SplitSearch::cut_scores(const NodeNull& null, std::size_t first, std::size_t last, double reached) {
  const double mean = null.mean(2), base = null.variance(2, 0), slope = null.variance_slope() * null.n();
  const double zero = null.zero_variance(2), deviation = rules_.deviation;
  const double *reciprocals = reciprocals_.data(), *gains = gains_.data();
  double* scores = scores_.data();
  const auto score_each = [=](auto can_reach, auto score_of) {
    for (std::size_t g = first; g < last; ++g) {
      const double variance = base + slope * reciprocals[g], excess = gains[g] - mean;
      scores[g] = kMinusInfinity;
      if (!can_reach(excess, variance)) continue;
      if (variance > zero && gains[g] > kLeastGain) scores[g] = score_of(excess, variance);
    }
  };
  if (rules_.criterion == Criterion::sgini) {
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
std::size_t SplitSearch::best_adjusted(const NodeNull& null, std::size_t first, std::size_t last,
                                       std::size_t gainful) {
  const double reached = score(null, gains_[gainful], 2, null.n() * reciprocals_[gainful]);
  cut_scores(null, first, last, reached - kTie);
  const std::size_t cut = first_best(scores_.data(), first, last, kMinusInfinity);
  return cut == last ? gainful : cut;
}

void SplitSearch::best_cut(const NodeNull& null, Candidate& out) {
  const auto n_rows = static_cast<double>(groups_->n_rows);
  const auto least = static_cast<double>(rules_.min_samples_leaf);
  const double* rows = data_.weights.empty() ? groups_->left.data() : groups_->rows.data();
  std::size_t first = 0, last = groups_->count - 1;
  while (first < last && rows[first] < least) ++first;
  while (last > first && n_rows - rows[last - 1] < least) --last;
  cut_gains(null, first, last);
  std::size_t cut = first_best(gains_.data(), first, last, kLeastGain);
  if (cut == last) return;
  if (is_adjusted() && null.can_vary(2)) cut = best_adjusted(null, first, last, cut);
  const auto d = static_cast<double>(groups_->count);
  out.is_usable = true;
  out.n_children = 2;
  out.low = groups_->code[cut];
  out.high = groups_->code[cut + 1];
  out.gain = gains_[cut];
  if (rules_.criterion == Criterion::fair && d > 2 && null.can_vary(2)) {
    out.score = fair_score(null, out.gain, 2, null.searched_law(d));
  } else {
    out.score = score(null, out.gain, 2, null.n() * reciprocals_[cut]);
  }
}

// The gains of one category against the others; 0 where a side has too few rows.
void SplitSearch::single_gains(const NodeNull& null) {
  const double n = null.n(), n_rows = static_cast<double>(groups_->n_rows);
  const auto least = static_cast<double>(rules_.min_samples_leaf);
  const double* rows = data_.weights.empty() ? groups_->left.data() : groups_->rows.data();
  double left = 0, ones = 0, rows_so_far = 0;
  for (std::size_t g = 0; g < groups_->count; ++g) {
    const double size = groups_->left[g] - left, own_rows = rows[g] - rows_so_far;
    reciprocals_[g] = 1 / (size * (n - size));
    if (grouping_.is_of_two()) {
      const double excess = (groups_->ones[g] - ones) * n - size * groups_->totals[1];
      gains_[g] = 2 / (n * n) * (excess * excess) * reciprocals_[g];
    } else {
      gains_[g] =
          gain_of(child_term(groups_->own_sum[g], size) + child_term(groups_->other_sum[g], n - size), null);
    }
    if (own_rows < least || n_rows - own_rows < least) gains_[g] = 0;
    left = groups_->left[g];
    ones = groups_->ones[g];
    rows_so_far = rows[g];
  }
}

// The category whose own score is best, given the one with the best gain; the latter where none is. Scores
// that are not the best so far may be left at minus infinity.
std::size_t SplitSearch::best_fair(const NodeNull& null, std::size_t gainful) {
  const double base = null.variance(2, 0), slope = null.variance_slope() * null.n();
  const double zero = null.zero_variance(2);
  const std::size_t count = groups_->count;
  std::fill(scores_.begin(), scores_.begin() + static_cast<std::ptrdiff_t>(count), kMinusInfinity);
  if (!null.can_vary(2)) return gainful;
  for (std::size_t g = 0; g < count; ++g) {
    const double variance = base + slope * reciprocals_[g];
    if (gains_[g] <= kLeastGain || variance <= zero) continue;
    scores_[g] = fixed_score(null, gains_[g], 2, null.n() * reciprocals_[g], variance);
    reached_ = std::max(reached_, scores_[g]);
  }
  const std::size_t found = first_best(scores_.data(), 0, count, kMinusInfinity);
  return found == count ? gainful : found;
}

void SplitSearch::best_single(const NodeNull& null, Candidate& out) {
  const std::size_t count = groups_->count;
  single_gains(null);
  std::size_t found = first_best(gains_.data(), 0, count, kLeastGain);
  if (found == count) return;
  const bool is_fair = rules_.criterion == Criterion::fair;
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
  // With negative correlations, three categories count for about two and a half.
  if (is_fair && count > 2 && out.score > kMinusInfinity) {
    out.score = score_of_best(out.score, static_cast<double>(count) - 0.5);
  }
}

// `spread` is that of spread_of_groups.
void SplitSearch::best_multiway(const NodeNull& null, double spread, Candidate& out) const {
  const auto least = static_cast<double>(rules_.min_samples_leaf);
  const double* rows = data_.weights.empty() ? groups_->left.data() : groups_->rows.data();
  double children = 0, reciprocals = 0, left = 0, ones = 0, rows_so_far = 0;
  bool has_room = true;
  for (std::size_t g = 0; g < groups_->count; ++g) {
    const double size = groups_->left[g] - left;
    has_room &= rows[g] - rows_so_far >= least;
    if (grouping_.is_of_two()) {
      const double second = groups_->ones[g] - ones, other = size - second;
      children += (second * second + other * other) / size;
    } else {
      children += child_term(groups_->own_sum[g], size);
    }
    reciprocals += 1 / size;
    left = groups_->left[g];
    ones = groups_->ones[g];
    rows_so_far = rows[g];
  }
  const auto r = static_cast<double>(groups_->count);
  out.n_children = static_cast<std::int32_t>(groups_->count);
  out.gain = gain_of(children, null);
  const double excess = spread / ((r - 1) * null.copies());
  out.score = score(null, rules_.criterion == Criterion::fair ? out.gain / excess : out.gain, r, reciprocals);
  // Single rows all around say nothing about the classes; two rows have no other split.
  const bool is_identifier = out.score == kMinusInfinity && r == null.n() && r > 2;
  out.is_usable = has_room && out.gain > kLeastGain && !is_identifier;
}

}  // namespace bychance
