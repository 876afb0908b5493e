// Cuts of numbers, orders of categories and multiway splits, scored by the criterion.
#include "forest/split.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bychance::forest {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
constexpr std::size_t kKeptDistributions = 256, kNoNode = ~std::size_t{0};

bool is_cut(const TreeColumn& column) { return column.kind != SplitKind::multiway; }

}  // namespace

template <class Criterion>
SplitSearch<Criterion>::SplitSearch(const TreeColumns& data, const SplitRules& rules)
    : data_(data),
      rules_(rules),
      criterion_(data, rules),
      of_rows_(rules.score == Score::fair ? kKeptDistributions : 0),
      gains_(data.n_rows),
      reciprocals_(data.n_rows),
      scores_(data.n_rows) {}

template <class Criterion>
void SplitSearch<Criterion>::best(std::size_t column, const NodeRows& node, const NodeNull& null,
                                  double reached, DrawStream& stream, Candidate& out) {
  stream_ = &stream;
  out.column = column;
  groups_ = &criterion_.group(data_.columns[column], node);
  if (rules_.score == Score::fair) return best_fair(data_.columns[column], node, null, reached, out);
  out.is_constant = groups_->count < 2;
  if (out.is_constant) return;
  if (groups_->n_rows == node.n) {
    best_of_kind(data_.columns[column], null, null.n(), out);
  } else {
    const NodeNull present = criterion_.null_of_present();
    if (present.impurity() > 0) best_of_kind(data_.columns[column], present, present.n(), out);
  }
}

// Scores the column by its mean gain and, if that reaches `reached`, finds its best split. Missing values
// count as one more category if the column may be split by them. Otherwise their rows are left out.
template <class Criterion>
void SplitSearch<Criterion>::best_fair(const TreeColumn& column, const NodeRows& node, const NodeNull& null,
                                       double reached, Candidate& out) {
  const bool has_missing = column.has_missingness && groups_->n_rows < node.n;
  out.is_constant = groups_->count + has_missing < 2;
  if (out.is_constant) return;
  const std::size_t n_missing = node.n - groups_->n_rows;
  const bool has_missingness = has_missing && std::min(groups_->n_rows, n_missing) >= rules_.min_samples_leaf;
  const double n = groups_->left[groups_->count - 1];
  double gain = 0, missing_gain = 0;
  if (is_cut(column)) {
    list_cuts(column, n, out);
    if (first_ < last_) gain = mean_over_cuts(groups_->left.data(), gains_.data(), first_, last_);
  } else {
    gain = criterion_.multiway_gain(n);
  }
  if (has_missingness) {
    missing_gain = criterion_.missing_gain();
    gain = gain * (n / null.n()) + missing_gain;
  }
  const CubeRootDistribution distribution = distribution_of(column, node, null, has_missingness);
  if (distribution.scale == 0 ? reached > kMinusInfinity : gain < distribution.gain_of(reached - kTie))
    return;
  out.score = distribution.scale == 0 ? kMinusInfinity : distribution.score(gain);
  best_of_kind(column, null, n, out);
  const double other = out.is_usable ? out.gain * n : 0;
  if (has_missingness && missing_gain > criterion_.least_gain() && missing_gain * null.n() > other) {
    out.is_usable = true;
    out.column = data_.first_column[static_cast<std::size_t>(column.feature) + 1] - 1;
    out.n_children = 2;
    out.low = 0, out.high = 1;
    out.gain = missing_gain;
  }
}

template <class Criterion>
CubeRootDistribution SplitSearch<Criterion>::distribution_of(const TreeColumn& column, const NodeRows& node,
                                                             const NodeNull& null, bool has_missingness) {
  const double n = groups_->left[groups_->count - 1], *left = groups_->left.data();
  Traces traces;
  if (!is_cut(column)) {
    traces = Traces::of_categories(n, left, groups_->count);
  } else if (first_ < last_) {
    const bool has_own_values = groups_->count == node.n && data_.weights.empty() && !rules_.random_cuts;
    if (has_own_values) return distribution_of_rows(node, null);
    traces = Traces::of_cuts(n, left, reciprocals_.data(), first_, last_);
  } else if (!has_missingness) {
    return {};
  }
  if (has_missingness) traces.add_missing(null.n(), null.n() - n);
  return groups_->n_rows == node.n || has_missingness ? null.distribution_of(traces)
                                                      : criterion_.null_of_present().distribution_of(traces);
}

// The null distribution of a column without ties in the node.
template <class Criterion>
CubeRootDistribution SplitSearch<Criterion>::distribution_of_rows(const NodeRows& node,
                                                                  const NodeNull& null) {
  OfRows& kept = of_rows_[std::min(node.n, kKeptDistributions) - 1];
  if (kept.n != node.n) {
    kept = {node.n,
            kNoNode,
            Traces::of_cuts(null.n(), groups_->left.data(), reciprocals_.data(), first_, last_),
            {}};
  }
  if (kept.node != node.node) kept.node = node.node, kept.distribution = null.distribution_of(kept.traces);
  return kept.distribution;
}

template <class Criterion>
void SplitSearch<Criterion>::best_of_kind(const TreeColumn& column, const NodeNull& null, double n,
                                          Candidate& out) {
  if (column.kind == SplitKind::multiway) return best_multiway(null, n, out);
  if (rules_.score != Score::fair) list_cuts(column, n, out);
  best_cut(null, out);
}

template <class Criterion>
double SplitSearch<Criterion>::quantile(double mean, double variance) const {
  if (rules_.quantile == Quantile::cantelli) return mean + rules_.deviation * std::sqrt(variance);
  const double h = variance / (9 * mean * mean);
  const double root = std::max(0.0, 1 - h + rules_.deviation * std::sqrt(h));
  return mean * root * root * root;
}

// The score of a split into r children, as if it were fixed in advance.
template <class Criterion>
double SplitSearch<Criterion>::score(const NodeNull& null, double gain, double r, double reciprocals) const {
  if (rules_.score == Score::raw) return gain;
  const double mean = null.mean(r), variance = null.variance(r, reciprocals);
  if (!null.can_vary(r) || variance <= null.zero_variance(r)) return kMinusInfinity;
  return judged(gain, mean, variance);
}

template <class Criterion>
double SplitSearch<Criterion>::judged(double gain, double mean, double variance) const {
  if (rules_.score == Score::standardized) return (gain - mean) / std::sqrt(variance);
  return gain - quantile(mean, variance);
}

// The cut with the best score, given the one with the best gain, which is taken if no gain can vary.
template <class Criterion>
std::size_t SplitSearch<Criterion>::best_adjusted(const NodeNull& null, std::size_t gainful) {
  const double mean = null.mean(2), zero = null.zero_variance(2);
  const double base = null.variance(2, 0), slope = null.variance_slope() * null.n();
  for (std::size_t g = first_; g < last_; ++g) {
    const double variance = base + slope * reciprocals_[g];
    const bool can_win = gains_[g] > criterion_.least_gain() && variance > zero;
    scores_[g] = can_win ? judged(gains_[g], mean, variance) : kMinusInfinity;
  }
  const std::size_t cut = first_best(scores_.data(), first_, last_, kMinusInfinity);
  return cut == last_ ? gainful : cut;
}

// The cut at a number drawn between the least and the largest value, or the nearest cut with enough rows.
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

// Sets first_ … last_-1 to the cuts that leave enough rows, or to a random one of them, and computes gains.
template <class Criterion>
void SplitSearch<Criterion>::list_cuts(const TreeColumn& column, double n, Candidate& out) {
  const auto n_rows = static_cast<double>(groups_->n_rows);
  const auto least = static_cast<double>(rules_.min_samples_leaf);
  const double* rows = rows_so_far();
  first_ = 0, last_ = groups_->count - 1;
  while (first_ < last_ && rows[first_] < least) ++first_;
  while (last_ > first_ && n_rows - rows[last_ - 1] < least) --last_;
  // Tiny weights beside large ones may round to an empty side.
  const double* left = groups_->left.data();
  while (first_ < last_ && left[first_] <= 0) ++first_;
  while (last_ > first_ && left[last_ - 1] >= n) --last_;
  if (rules_.random_cuts && first_ < last_) {
    first_ = random_cut(column, first_, last_, out);
    last_ = first_ + 1;
  }
  criterion_.cut_gains(n, first_, last_, gains_.data(), reciprocals_.data());
}

template <class Criterion>
void SplitSearch<Criterion>::best_cut(const NodeNull& null, Candidate& out) {
  std::size_t cut = first_best(gains_.data(), first_, last_, criterion_.least_gain());
  if (cut == last_) return;
  if (is_adjusted() && null.can_vary(2)) cut = best_adjusted(null, cut);
  out.is_usable = true;
  out.n_children = 2;
  out.low = groups_->code[cut];
  out.high = groups_->code[cut + 1];
  out.gain = gains_[cut];
  if (rules_.score != Score::fair) out.score = score(null, out.gain, 2, null.n() * reciprocals_[cut]);
}

template <class Criterion>
void SplitSearch<Criterion>::best_multiway(const NodeNull& null, double n, Candidate& out) {
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
  out.gain = criterion_.multiway_gain(n);
  if (rules_.score != Score::fair) out.score = score(null, out.gain, r, reciprocals);
  // Categories of one row each have no information on other rows. Two rows have no other split. A fair score
  // is finite if the column has missing values.
  const bool is_identifier = (rules_.score == Score::fair || out.score == kMinusInfinity) && r == n && r > 2;
  out.is_usable = has_room && out.gain > criterion_.least_gain() && !is_identifier;
}

template class SplitSearch<ClassCriterion>;
template class SplitSearch<NumberCriterion>;

}  // namespace bychance::forest
