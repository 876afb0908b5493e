// Rules for one pair: if the p-values of its matched distribution are valid, and down to which p.
//
// They were set on the kinds of data of studies/levels/fit_data.py and judged on those of judge_data.py
// (docs/validation/levels.csv); studies/levels/refit.py fits their limits anew, each beside the one stated in
// validity.cpp, and names those that were set by hand. Caveats are numbered as in
// src/bychance/nulls/distributions.py, which has their words.
#pragma once

#include <cstdint>

namespace bychance {

enum class Caveat : std::int8_t {
  none = 0,
  few_values = 1,
  few_rows = 2,
  outliers = 3,
  skewness = 4,
  small_counts = 5,
  common_value = 6,
  unknown_skewness = 7,
  few_distinct = 8,
  variance = 9,
  unknown_variance = 10,
  rare_values = 11,
  no_sum_of_squares = 12,
  mostly_distinct = 13,
  both_skewed = 14,
  extremes_in_groups = 15,
};

constexpr double kFewRows = 200;  // up to which distinct values and clusters are counted: a handful of atoms
constexpr double kTwoValues = 1e-7;   // how near invariants must be to those of a line, and of two values
constexpr double kCellsReach = 1e-2;  // least p within cells of covariates (studies/given_levels.py)

// The caveat_value is what the caveat is about, NaN if there is none. `reach` is the least p for which a
// distribution without caveat is valid, otherwise 1.
struct Judgment {
  Caveat caveat;
  double caveat_value, reach;
};

// Rows, distinct values of x and y, how many rows differ from the most common value of x and of y, and how
// many are outside the largest cluster (values within 0.3 SD, matching.hpp).
struct PairCounts {
  double n, x_distinct, y_distinct, x_others, y_others, x_outside, y_outside;
};

// `rank` is how many directions the variable with more of them has: 1 for numbers, one less than its groups
// for labels. `third` is the size of the third cumulants that the sum has beside its variance, which a
// distribution of squares cannot see: skew_x^2 skew_y^2 / n for two numeric variables. `fourth` is what
// single pairs of rows add to the excess kurtosis of a number's sum over all pairs of rows that share a
// label: kurtosis^2/m for m pairs. A gamma distribution has the skewness of such a sum, and no tail of
// products of two extreme values.
struct PairShape {
  double rank, third, fourth = 0;
};

// A Beta distribution needs tails like the normal model's, and more than a handful of possible values. The
// ratios are of the exact variance to the normal model's, of the exact skewness to the distribution's.
Judgment judge_beta(const PairCounts& counts, const PairShape& shape, double variance_ratio,
                    double skew_ratio);

// A Pearson III distribution for a table needs a skewness like that of a gamma distribution from zero, or
// little.
Judgment judge_gamma(const PairCounts& counts, const PairShape& shape, double skew, double skew_ratio);

// A Pearson III distribution for dense matrices needs some rows and a skewness like a sum of squares'.
Judgment judge_squares(const PairCounts& counts, double third, double skew);

// Without a third moment a gamma distribution is valid if the chi-squared limit is near.
Judgment judge_information(double min_expected);

// A Beta distribution of Kendall's tau^2 needs S near normal: enough rows that differ from the most common
// value.
Judgment judge_kendall(double n, double n_others, double variance_ratio);

// A normal distribution of xi needs many distinct values on either side: it is a limit.
Judgment judge_xi(double fewest_distinct);

// A normal distribution of agreement needs steps that are small beside its standard deviation, counted in
// steps.
Judgment judge_agreement(double std_in_steps);

// Sums over strata, whose counts no rule knows: the shape of the sum alone. Gamma distributions from zero,
// and those of dense matrices.
Judgment judge_gamma_sum(double skew, double skew_ratio);
Judgment judge_squares_sum(double n, double skew);

// The least p for which a valid Beta distribution holds.
double reach_of_beta(double n, const PairShape& shape, double variance_ratio);
// The reach of a distribution whose tail has atoms below `finest`: 1 if they show above the reach of every
// distribution.
double coarser_reach(double reach, double finest);

// True if so few rows differ from the most common value that their meetings are single events. With fewer
// others the answer never changes to no, so that it can be asked of lower bounds.
bool has_rare_values(double n, double x_others, double y_others);

// The largest number of rows that differ from the most common value if values may be rare.
double most_rare_others(double n);

// The same with a wider margin, for sums whose skewness is not known.
bool has_rather_rare_values(double n, double x_others, double y_others);

// True if, among many rows, few differ from the most common value of either variable.
bool has_few_others(const PairCounts& counts);

// True if rare values leave no smooth distribution: most of the null is one atom, or both variables have
// ties.
bool has_no_distribution(const PairCounts& counts, double skew);

}  // namespace bychance
