// The rules and their limits.
#include "distributions/validity.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

namespace bychance {
namespace {

struct Range {
  double low, high;
};

// Limits marked (fit) are fitted by studies/levels/refit.py, which gives the reason for each one set by hand.
constexpr Range kVarianceRatio{0.9, 1.1};  // exact variance over the normal model's (fit)
constexpr Range kSkewRatio{0.8, 1.25};  // exact skewness over that of the distribution with two moments (fit)
constexpr double kMaxSkew = 2.9;        // skewness: a single squared normal has sqrt 8 (by hand)
constexpr double kNearNormal = 0.3;     // skewness below which three moments give nearly the normal (by hand)
constexpr double kMinExpected = 5;      // least expected count of a table cell (fit)
constexpr double kEnoughRows = 25;      // rows for groups: with fewer the stated p is too large (by hand)
constexpr double kFewestRows = 12;  // rows per direction for a Beta distribution with fewer rows (by hand)
constexpr double kFewestTied = 20;  // rows for a Beta distribution if both variables have many ties (by hand)
constexpr double kEnoughRepeats = 50;  // rows beyond the first of their label, below which few meet (by hand)
// Largest third cumulants (PairShape) that each distribution allows (fit for Beta, else by hand).
constexpr double kMaxThirdOfBeta = 0.03, kMaxThirdOfGamma = 0.3, kMaxThirdOfSquares = 0.06;
constexpr double kMaxFourth = 0.2;     // PairShape::fourth at which p = 1e-3 is 1.25e-3 on average (by hand)
constexpr double kSomeRows = 40;       // rows from which the null of a dense matrix is smooth (by hand)
constexpr double kSomeOthers = 30;     // rows that differ from the most common value (by hand)
constexpr double kManyOthers = 100;    // the same, if nothing is known of the skewness (by hand)
constexpr double kFewCells = 9;        // distinct values of x times those of y, a handful of atoms (by hand)
constexpr double kManyDistinct = 100;  // distinct values of x and of y for the normal limit of xi (by hand)
constexpr double kManySteps = 30;  // steps of agreement per standard deviation, nearly continuous (by hand)
constexpr double kMaxSmoothSkew = 4;   // skewness above which rare values put the null in one atom (by hand)
constexpr double kLeastReach = 1e-3;   // smallest p of every valid distribution but dense matrices (by hand)
constexpr double kDenseReach = 1e-2;   // smallest p of dcor and hsic: 1e-3 is 1.25 times too small (by hand)
constexpr double kNormalReach = 1e-4;  // smallest p of Kendall's S, xi and agreement, nearly normal (by hand)

// A tail of p lies z = sqrt 2 erfc^-1(p) deviations out, and third cumulants k raise it by about
// cosh(k z^3/6).
// Smallest valid p, and the limits under which a Beta or Pearson III distribution reaches it.
struct Step {
  double p, rows_per_direction, third_of_beta, third_of_gamma, variance_ratio;
};
constexpr Step kSteps[] = {
    {1e-4, 16, 0.01, 0.1, 1.05},
    {1e-6, 30, 0.003, 0.006, 1.015},
    {1e-8, 50, 0.001, 0.002, 1.005},
};
// Smallest valid p of mutual information, and the least expected cell count under which it is reached.
struct InformationStep {
  double p, min_expected;
};
constexpr InformationStep kInformationSteps[] = {{1e-4, 5}, {1e-6, 10}, {1e-8, 20}};

bool is_within(double caveat_value, const Range& range) {
  return caveat_value >= range.low && caveat_value <= range.high;
}

struct Rule {
  bool holds;
  Caveat caveat;
  double caveat_value;
};

Judgment first_broken(std::initializer_list<Rule> rules, double reach) {
  for (const Rule& rule : rules) {
    if (!rule.holds) return {rule.caveat, rule.caveat_value, 1};
  }
  return {Caveat::none, std::numeric_limits<double>::quiet_NaN(), reach};
}

Rule has_some_rows(double n) { return {n >= kSomeRows, Caveat::few_rows, n}; }

Rule is_gamma_like(double skew, double skew_ratio) {
  const bool is_near_normal = is_within(skew, {-kNearNormal, kNearNormal});
  return {is_near_normal || is_within(skew_ratio, kSkewRatio), Caveat::skewness, skew_ratio};
}

Rule is_like_squares(double skew) { return {skew > 0 && skew <= kMaxSkew, Caveat::no_sum_of_squares, skew}; }

// The p of the last step before one fails.
template <class Steps, class Holds>
double last_step(const Steps& steps, Holds holds) {
  double reach = kLeastReach;
  for (const auto& step : steps) {
    if (!holds(step)) break;
    reach = step.p;
  }
  return reach;
}

// True if each coefficient, the mean's among them, has so many rows, as if there were two of these:
// n for numbers.
bool has_rows_per_direction(double n, double rank, double least) { return 2 * n >= least * (1 + rank); }

// True if enough rows are left beside one per label.
bool has_repeats(double n, double rank) {
  const double left = n - 1 - rank;
  return 3 * left >= 2 * n || left >= kEnoughRepeats;
}

bool has_ties(const PairCounts& c) { return 2 * std::max(c.x_distinct, c.y_distinct) <= c.n; }

// True if more than a handful of values is possible.
bool has_many_values(const PairCounts& c) {
  return c.n > kFewRows ? !has_few_others(c) : c.x_distinct * c.y_distinct > kFewCells;
}

bool has_fewer_others(double n, double x_others, double y_others, double least) {
  const double fewest = std::min(x_others, y_others);
  return (fewest < least && 4 * fewest < n) || x_others * y_others < n;
}

}  // namespace

Judgment judge_beta(const PairCounts& counts, const PairShape& shape, double variance_ratio,
                    double skew_ratio) {
  const double n = counts.n;
  const bool has_rows = has_rows_per_direction(n, shape.rank, kFewestRows) || n >= kEnoughRows;
  return first_broken({{has_many_values(counts), Caveat::few_values, n},
                       {has_rows && (n >= kFewestTied || !has_ties(counts)), Caveat::few_rows, n},
                       {has_repeats(n, shape.rank), Caveat::mostly_distinct, n - 1 - shape.rank},
                       {is_within(variance_ratio, kVarianceRatio), Caveat::outliers, variance_ratio},
                       {is_within(skew_ratio, kSkewRatio), Caveat::skewness, skew_ratio},
                       {shape.third <= kMaxThirdOfBeta, Caveat::both_skewed, shape.third}},
                      reach_of_beta(n, shape, variance_ratio));
}

Judgment judge_gamma(const PairCounts& counts, const PairShape& shape, double skew, double skew_ratio) {
  const double n = counts.n;
  const double reach = last_step(kSteps, [&](const Step& step) {
    return has_rows_per_direction(n, shape.rank, step.rows_per_direction) &&
           shape.third <= step.third_of_gamma;
  });
  return first_broken({{has_many_values(counts), Caveat::few_values, n},
                       {n >= kEnoughRows, Caveat::few_rows, n},
                       {has_repeats(n, shape.rank), Caveat::mostly_distinct, n - 1 - shape.rank},
                       is_gamma_like(skew, skew_ratio),
                       {shape.third <= kMaxThirdOfGamma, Caveat::both_skewed, shape.third},
                       {shape.fourth <= kMaxFourth, Caveat::extremes_in_groups, shape.fourth}},
                      reach);
}

Judgment judge_squares(const PairCounts& counts, double third, double skew) {
  return first_broken({{has_many_values(counts), Caveat::few_values, counts.n},
                       has_some_rows(counts.n),
                       is_like_squares(skew),
                       {third <= kMaxThirdOfSquares, Caveat::both_skewed, third}},
                      kDenseReach);
}

Judgment judge_information(double min_expected) {
  const double reach = last_step(
      kInformationSteps, [&](const InformationStep& step) { return min_expected >= step.min_expected; });
  return first_broken({{min_expected >= kMinExpected, Caveat::small_counts, min_expected}}, reach);
}

Judgment judge_kendall(double n, double n_others, double variance_ratio) {
  return first_broken({has_some_rows(n),
                       {n_others >= kSomeOthers, Caveat::common_value, n_others},
                       {is_within(variance_ratio, kVarianceRatio), Caveat::variance, variance_ratio}},
                      kNormalReach);
}

Judgment judge_xi(double fewest_distinct) {
  return first_broken({{fewest_distinct >= kManyDistinct, Caveat::few_distinct, fewest_distinct}},
                      kNormalReach);
}

Judgment judge_agreement(double std_in_steps) {
  return first_broken({{std_in_steps > kManySteps, Caveat::few_values, std_in_steps}}, kNormalReach);
}

Judgment judge_gamma_sum(double skew, double skew_ratio) {
  return first_broken({is_gamma_like(skew, skew_ratio)}, kCellsReach);
}

Judgment judge_squares_sum(double n, double skew) {
  return first_broken({has_some_rows(n), is_like_squares(skew)}, kCellsReach);
}

double reach_of_beta(double n, const PairShape& shape, double variance_ratio) {
  return last_step(kSteps, [&](const Step& step) {
    return has_rows_per_direction(n, shape.rank, step.rows_per_direction) &&
           shape.third <= step.third_of_beta && variance_ratio <= step.variance_ratio;
  });
}

double coarser_reach(double reach, double finest) {
  if (finest <= reach) return reach;
  double coarser = finest <= kLeastReach ? kLeastReach : 1;
  for (const Step& step : kSteps) {
    if (finest <= step.p) coarser = step.p;
  }
  return coarser;
}

bool has_rare_values(double n, double x_others, double y_others) {
  return has_fewer_others(n, x_others, y_others, kSomeOthers);
}

double most_rare_others(double n) {
  return std::max(std::min(kSomeOthers - 1, std::ceil(n / 4) - 1), std::ceil(std::sqrt(n)) - 1);
}

bool has_rather_rare_values(double n, double x_others, double y_others) {
  return has_fewer_others(n, x_others, y_others, kManyOthers);
}

bool has_few_others(const PairCounts& c) {
  return c.n > kFewRows && std::min(c.x_others, c.y_others) < kSomeOthers;
}

bool has_no_distribution(const PairCounts& c, double skew) {
  return has_rare_values(c.n, c.x_others, c.y_others) && (has_ties(c) || skew > kMaxSmoothSkew);
}

}  // namespace bychance
