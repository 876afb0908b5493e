// Moments, then the distribution, then exceptions for rare values, unknown variances and two values.
#include "distributions/matching.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace bychance {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Standardized {
  double std, safe, skew;  // safe is 1 if std is 0
};

// S2^2 of a line is the sum of A^4; for groups that sum is (sum of A^3)^2 / (sum of A^2) at least (Cauchy and
// Schwarz), with equality if all pairs of rows in a group weigh alike.
double peak_of(const Invariants& a, bool is_line) {
  const double squares = a.T2 - a.S2, cubes = a.U - a.S3;
  return is_line ? a.S2 / squares : std::abs(cubes) / std::pow(squares, 1.5);
}

struct Support {
  double low = 0, high = 1;
};

constexpr Judgment kExact{Caveat::none, kNaN, 0};

// The distribution with its judgment, or a degenerate one if std is 0.
MatchedDistribution distribution_of(Engine engine, double mean, double std, const Judgment& judgment,
                                    const Support& support = {}, double first = kNaN, double second = kNaN,
                                    double n = 0) {
  const bool is_degenerate = !(std > 0);
  return {mean,
          std,
          is_degenerate ? Engine::degenerate : engine,
          is_degenerate ? Caveat::none : judgment.caveat,
          judgment.caveat_value,
          is_degenerate ? 0 : judgment.reach,
          first,
          second,
          support.low,
          support.high,
          static_cast<std::int64_t>(n)};
}

// Cantelli's bound holds for every distribution with these moments, and is near a distribution of two atoms.
MatchedDistribution cantelli_bound(double mean, double std, double upper) {
  return distribution_of(Engine::cantelli, mean, std, {Caveat::rare_values, kNaN, 0}, {-kInfinity, upper});
}

// No distribution, unless the null is degenerate.
void leave_undecided(MatchedDistribution& matched, Caveat caveat) {
  if (matched.engine == Engine::degenerate) return;
  matched.engine = Engine::undecided;
  matched.caveat = caveat;
}

// The judgment of a distribution within cells of covariates: no study went below kCellsReach.
Judgment within_cells(Judgment judgment) {
  judgment.reach = std::max(judgment.reach, kCellsReach);
  return judgment;
}

MatchedDistribution pearson_distribution(const ScaledMoments& m, const Standardized& s, double upper,
                                         const Judgment& judgment) {
  return distribution_of(Engine::pearson, m.mean, s.std, judgment, {m.mean == 0 ? -1.0 : 0.0, upper}, s.skew);
}

Judgment judge_gamma(const ScaledMoments& m, const Standardized& s, const PairCounts& counts,
                     const PairShape& shape) {
  return judge_gamma(counts, shape, s.skew, s.skew / (2 * s.safe / m.mean));
}

MatchedDistribution gamma_distribution(const ScaledMoments& m, const Standardized& s, double upper,
                                       const PairCounts& counts, const PairShape& shape) {
  return pearson_distribution(m, s, upper, judge_gamma(m, s, counts, shape));
}

double beta_skew(double a, double b) {
  const double total = a + b;
  return 2 * (b - a) * std::sqrt(total + 1) / ((total + 2) * std::sqrt(a * b));
}

MatchedDistribution beta_distribution(const ScaledMoments& m, const Standardized& s, double upper,
                                      const PairCounts& counts, const PairShape& shape) {
  const auto [a, b] = beta_parameters(m.mean, s.safe * s.safe);
  if (!(a > 0 && b > 0)) return gamma_distribution(m, s, upper, counts, shape);
  const double matched_skew = beta_skew(a, b);
  const double skew_ratio = matched_skew != 0 ? s.skew / matched_skew : kInfinity;
  const Judgment judgment = judge_beta(counts, shape, m.variance_ratio, skew_ratio);
  return distribution_of(Engine::beta, m.mean, s.std, judgment, {}, a, b);
}

// Between two lines, one of them a column of two categories, tr(A B) is a squared correlation. Of two
// distributions that are valid, the Beta distribution is nearer far out: it ends where a share ends.
MatchedDistribution share_distribution(const ScaledMoments& m, const Standardized& s, double upper,
                                       const PairCounts& counts, const PairShape& shape) {
  const MatchedDistribution gamma = gamma_distribution(m, s, upper, counts, shape),
                            beta = beta_distribution(m, s, upper, counts, shape);
  const bool are_valid = gamma.caveat == Caveat::none && beta.caveat == Caveat::none;
  return are_valid && beta.holds_to <= gamma.holds_to ? beta : gamma;
}

constexpr double kTooSmall = 2;        // largest ratio of the true p to that of a smooth tail (taste)
constexpr double kClusterWidth = 0.3;  // standard deviations between the extremes of a cluster (taste)
constexpr double kEvenSpread = 0.8;  // kurtosis - squared skewness - 1 of a uniform variable; 0 of two values
constexpr double kSqrt2 = 1.4142135623730951;

// Two values are 1/sqrt(q (1 - q)) = sqrt(squared skewness + 4) of their deviations apart. Evenly spaced
// ones are nearer, the more there are: kurtosis - squared skewness - 1 tells how near.
double step_of(const GroupSum& s) {
  const double spread = (s.kurtosis - s.squared_skew - 1) / kEvenSpread;
  const double rest = s.n - s.group_rows;
  return std::sqrt(std::max(0.0, 1 - spread) * (s.squared_skew + 4) * (s.n - 1) / (s.group_rows * rest));
}

// C(n, k); up to kFewRows it is far from the largest double.
double choose(double n, double k) {
  double product = 1;
  for (double i = 1; i <= k; i += 1) product *= (n - k + i) / i;
  return product;
}

// C(l, r)/C(n, k) for a cluster of l rows of which r are in the group of k: largest if r is near l/2.
double pattern_chance(const GroupSum& s) {
  const double cluster = s.n - s.outside, k = s.group_rows;
  const double in_group =
      std::clamp(std::floor(cluster / 2), std::max(0.0, k - s.outside), std::min(k, cluster));
  return choose(cluster, in_group) / choose(s.n, k);
}

// The p below which atoms show, if one variable has two values and the other is a line of more.
double finest_of(const MatchedSide& x, const MatchedSide& y, const PairCounts& counts, double x_rows,
                 double y_rows) {
  if (!x.is_line || !y.is_line || (x_rows > 0) == (y_rows > 0)) return 0;
  const double n = counts.n, rows = x_rows + y_rows,
               outside = x_rows > 0 ? counts.y_outside : counts.x_outside;
  const MatchedSide& line = x_rows > 0 ? y : x;
  return finest_p({n, rows, outside, line.squared_skew(n), line.kurtosis(n)});
}

// No smooth distribution is valid if atoms show.
void doubt_if_atoms_show(MatchedDistribution& matched, double finest, double n) {
  if (matched.caveat != Caveat::none || matched.engine == Engine::degenerate) return;
  matched.holds_to = coarser_reach(matched.holds_to, finest);
  if (matched.holds_to == 1) {
    matched.caveat = Caveat::few_values;
    matched.caveat_value = n;
  }
}

Standardized standardized(const ScaledMoments& m) {
  const double std = std::sqrt(m.variance), safe = m.variance == 0 ? 1 : std;
  return {std, safe, m.third / (safe * safe * safe)};
}

// No smooth distribution if values are rare: undecided in whole tables, else a bound.
void doubt_if_rare(MatchedDistribution& matched, const ScaledMoments& m, const Standardized& s, double upper,
                   const PairCounts& counts, bool is_whole_table) {
  if (is_whole_table) {
    if (has_rare_values(counts.n, counts.x_others, counts.y_others) || has_few_others(counts)) {
      leave_undecided(matched, Caveat::rare_values);
    }
  } else if (has_no_distribution(counts, s.skew)) {
    matched = cantelli_bound(m.mean, s.std, upper);
  }
}

}  // namespace

double finest_p(const GroupSum& s) {
  const double step = step_of(s);
  const double by_steps = step > 0 ? std::erfc(kSqrt2 * std::log(kTooSmall) / step) : 0;
  // Beyond kFewRows rows outside the cluster are counted by has_few_others alone.
  return s.n > kFewRows ? by_steps : std::max(by_steps, kTooSmall * pattern_chance(s));
}

std::size_t largest_cluster(const double* values, std::size_t n) {
  std::vector<double> ordered(values, values + n);
  std::sort(ordered.begin(), ordered.end());
  const double size = std::max(std::abs(ordered.front()), std::abs(ordered.back()));
  if (!(size > 0)) return n;
  for (double& v : ordered) v /= size;  // no magnitude overflows
  double mean = 0, squares = 0;
  for (double v : ordered) mean += v / n;
  for (double v : ordered) squares += (v - mean) * (v - mean) / n;
  // Values on a grid stay together whatever their unit.
  const double width = kClusterWidth * std::sqrt(squares) * (1 + 1e-9);
  std::size_t most = 0, first = 0;
  for (std::size_t last = 0; last < n; ++last) {
    while (ordered[last] - ordered[first] > width) ++first;
    most = std::max(most, last - first + 1);
  }
  return most;
}

MatchedSide::MatchedSide(const Invariants& a)
    : moments(a),
      is_line(std::abs(a.T2 - a.T * a.T) <= kTwoValues * (a.T * a.T)),
      third(std::abs(a.U) / std::pow(a.T2, 1.5)),
      peak(peak_of(a, is_line)),
      cubes_(a.U / (a.T * a.T * a.T)),
      squares_(a.S2 / (a.T * a.T)) {}

// Only two values have a kurtosis of one more than the squared skewness. That is (1 - 2p)^2/(p(1 - p)).
double MatchedSide::rarer_rows(double n) const {
  const double skew = squared_skew(n);
  if (!(is_line && std::abs(kurtosis(n) - skew - 1) <= kTwoValues * kurtosis(n))) return 0;
  const double share = 2 / (skew + 4) / (1 + std::sqrt(std::max(skew, 0.0) / (skew + 4)));
  return std::nearbyint(n * share);
}

ScaledMoments scaled_moments(const TraceSide& x, const TraceSide& y, const TraceFactors& by, double scale) {
  const TraceMoments m = trace_moments(x, y, by);
  const double variance = scale * scale * (m.variance > 1e-12 * m.normal_variance ? m.variance : 0);
  return {scale * m.mean, variance, scale * scale * scale * m.third,
          variance / (m.normal_variance * scale * scale)};
}

MatchedDistribution match_share(const ScaledMoments& m, const PairCounts& counts, double rank, double third,
                                bool is_numeric) {
  const Standardized s = standardized(m);
  const PairShape shape{rank, 0};
  const bool is_unknown = std::isnan(s.skew);
  const BetaParameters beta = beta_parameters(m.mean, s.safe * s.safe);
  if (!is_numeric || !(beta.a > 0 && beta.b > 0)) {
    MatchedDistribution matched =
        pearson_distribution(m, s, 1, within_cells(judge_gamma(m, s, counts, shape)));
    if (is_unknown) leave_undecided(matched, Caveat::unknown_skewness);
    return matched;
  }
  MatchedDistribution matched = beta_distribution({m.mean, m.variance, m.third}, s, 1, counts, shape);
  if (matched.caveat != Caveat::none) {
    if (is_unknown && matched.caveat == Caveat::skewness) matched.caveat = Caveat::unknown_skewness;
    return matched;
  }
  // Beyond the levels that were simulated, only a variance like the normal model's speaks for the tail.
  const double normal = 2 * m.mean * m.mean * (1 - m.mean) / (1 + 2 * m.mean);
  const double ratio = normal > 0 && m.variance > 0 ? m.variance / normal : 1;
  if (matched.engine == Engine::beta) {
    matched.holds_to = reach_of_beta(counts.n, {rank, third}, std::max(ratio, 1 / ratio));
  }
  return matched;
}

MatchedDistribution match_trace(const MatchedSide& x, const MatchedSide& y, const PairCounts& counts,
                                const TraceFactors& by, double scale, double upper,
                                const TraceOptions& options) {
  const double n = counts.n;
  const ScaledMoments m = scaled_moments(x.moments, y.moments, by, scale);
  const Standardized s = standardized(m);
  const double third = n * x.third * y.third;
  if (options.shape == TraceShape::pearson3) {
    MatchedDistribution matched = pearson_distribution(m, s, upper, judge_squares(counts, third, s.skew));
    doubt_if_rare(matched, m, s, upper, counts, options.is_whole_table);
    return matched;
  }
  const double rank = std::max(x.is_line ? 1 : counts.x_distinct - 1, y.is_line ? 1 : counts.y_distinct - 1);
  const double both = x.is_line == y.is_line ? 0 : n * x.peak * y.peak;
  const PairShape shape{rank, third, 2 * both * both};
  const bool is_share = x.is_line && y.is_line && upper == 1;
  const auto match = options.shape == TraceShape::beta ? beta_distribution
                     : is_share                        ? share_distribution
                                                       : gamma_distribution;
  MatchedDistribution matched = match(m, s, upper, counts, shape);
  const double x_rows = x.rarer_rows(n), y_rows = y.rarer_rows(n);
  doubt_if_atoms_show(matched, finest_of(x, y, counts, x_rows, y_rows), n);
  doubt_if_rare(matched, m, s, upper, counts, options.is_whole_table);
  const bool has_two = counts.x_distinct == 2 && counts.y_distinct == 2;
  const bool is_counted = x_rows > 0 && y_rows > 0;  // invariants of very rare values may be too coarse
  if (options.is_whole_table && is_counted != has_two) leave_undecided(matched, Caveat::few_values);
  if (has_two && is_counted) {
    matched = distribution_of(Engine::fourfold, m.mean, s.std, kExact, {}, x_rows, y_rows, n);
  }
  return matched;
}

MatchedDistribution match_information(const InformationMoments& moments, const PairCounts& counts,
                                      double x_smallest, double y_smallest, double upper,
                                      bool is_whole_table) {
  const bool is_unknown = std::isnan(moments.variance);
  const double std = is_unknown ? 1 : std::sqrt(std::max(moments.variance, 0.0));
  if (counts.x_distinct == 2 && counts.y_distinct == 2 && !is_unknown) {
    return distribution_of(Engine::fourfold_information, moments.mean, std, kExact, {}, x_smallest,
                           y_smallest, counts.n);
  }
  const double expected = x_smallest * y_smallest / counts.n;
  MatchedDistribution matched = distribution_of(Engine::gamma, moments.mean, std, judge_information(expected),
                                                {0, upper}, 2 * std / (std == 0 ? 1 : moments.mean));
  if (std > 0 && has_rare_values(counts.n, counts.x_others, counts.y_others)) {
    if (is_whole_table) {
      leave_undecided(matched, Caveat::rare_values);
    } else {
      matched = cantelli_bound(moments.mean, std, upper);
    }
  }
  if (is_unknown) leave_undecided(matched, Caveat::unknown_variance);
  return matched;
}

MatchedDistribution match_signs(double mean, double variance, const PairCounts& counts, double upper,
                                bool is_in_strata) {
  const double std = std::sqrt(variance);
  if (!is_in_strata && has_no_distribution(counts, 2 * std / mean)) return cantelli_bound(mean, std, upper);
  const double n_others = std::min(counts.x_others, counts.y_others);
  Judgment judgment = judge_kendall(counts.n, n_others, variance / (2 * mean * mean));
  if (is_in_strata) judgment = within_cells(judgment);
  const auto [a, b] = beta_parameters(mean, variance == 0 ? 1 : variance);
  MatchedDistribution matched = distribution_of(Engine::beta, mean, std, judgment, {}, a, b);
  if (!(a > 0 && b > 0)) leave_undecided(matched, Caveat::variance);
  return matched;
}

MatchedDistribution match_normal(double mean, double variance, const PairCounts& counts, double low,
                                 double upper, const Judgment& judgment) {
  const double std = std::sqrt(variance);
  if (has_rather_rare_values(counts.n, counts.x_others, counts.y_others))
    return cantelli_bound(mean, std, upper);
  return distribution_of(Engine::normal, mean, std, judgment, {low, upper});
}

MatchedDistribution match_sum(const ScaledMoments& m, Summand summand, double n, double least, double upper) {
  const double std = std::sqrt(std::max(m.variance, 0.0));
  const double skew = std > 0 ? m.third / (m.variance * std) : 0,
               gamma_skew = m.mean > 0 ? 2 * std / m.mean : kNaN;
  const auto matched = [&](Engine engine, double low, double first, const Judgment& judgment) {
    return distribution_of(engine, m.mean, std, within_cells(judgment), {low, upper}, first);
  };
  switch (summand) {
    case Summand::trace:
      return matched(Engine::pearson, 0, skew, judge_gamma_sum(skew, std > 0 ? skew / gamma_skew : 1));
    case Summand::dense:
      return matched(Engine::pearson, -1, skew, judge_squares_sum(n, skew));
    case Summand::information:
      return matched(Engine::gamma, 0, gamma_skew, judge_information(least));
    case Summand::pairs:
      return matched(Engine::normal, -kInfinity, kNaN, judge_xi(least));
    case Summand::other:
      break;
  }
  return matched(Engine::normal, -kInfinity, kNaN, {Caveat::unknown_skewness, kNaN, 1});
}

}  // namespace bychance
