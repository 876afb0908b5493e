// Rules for one pair: if the p-values of its matched distribution are valid, and down to which p.
//
// They were set on the kinds of data of studies/levels/fit_data.py and judged on those of judge_data.py
// (docs/validation/levels.csv); studies/levels/refit.py fits their limits anew, each beside the one stated in
// validity.cpp, and names those that were set by hand. Caveats are numbered as in
// src/bychance/nulls/distributions.py, which has their words.
#pragma once

#include <cstdint>

namespace bychance {

// Why p-values of a matched distribution may not be valid.
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

constexpr double kFewRows = 200;      // rows up to which distinct values and clusters are counted (taste)
constexpr double kTwoValues = 1e-7;   // relative distance of invariants from those of two values (rounding)
constexpr double kCellsReach = 1e-2;  // smallest valid p given covariates (fit: studies/given_levels.py)

// Verdict on a matched distribution. `caveat_value` is the number that broke the rule, NaN without caveat.
// `reach` is the smallest p for which a distribution without caveat is valid, otherwise 1.
struct Judgment {
  Caveat caveat;
  double caveat_value, reach;
};

// Counts of one pair: rows, distinct values of x and y, rows that differ from the most common value (others),
// and rows outside the largest cluster of values within 0.3 SD (outside, matching.hpp).
struct PairCounts {
  double n, x_distinct, y_distinct, x_others, y_others, x_outside, y_outside;
};

// Shape of one pair's trace. `rank` is the larger rank of both matrices: 1 for numbers, one less than the
// groups for labels. `third` is the size of the third cumulants of the vector whose squared norm is the
// trace, which matched distributions leave out: skew_x^2 skew_y^2 / n for two numeric variables. `fourth` is
// what single pairs of rows add to the excess kurtosis of a number's sum over all pairs of rows that share a
// label: kurtosis^2/m for m pairs. A gamma distribution has the skewness of such a sum, and no tail of
// products of two extreme values.
struct PairShape {
  double rank, third, fourth = 0;
};

// Judges a Beta distribution: it needs tails like the normal model's, and more than a handful of possible
// values. Ratios are of the exact variance to the normal model's, and of the exact skewness to its own.
Judgment judge_beta(const PairCounts& counts, const PairShape& shape, double variance_ratio,
                    double skew_ratio);

// Judges a Pearson III distribution of a table: its skewness must be small, or like that of a gamma
// distribution from zero, to which skew_ratio is relative.
Judgment judge_gamma(const PairCounts& counts, const PairShape& shape, double skew, double skew_ratio);

// Judges a Pearson III distribution of dense matrices: it needs some rows and the skewness of a sum of
// squares.
Judgment judge_squares(const PairCounts& counts, double third, double skew);

// Judges a gamma distribution of mutual information, whose third moment is unknown, by the smallest expected
// cell count: it is valid near the chi-squared limit.
Judgment judge_information(double min_expected);

// Judges a Beta distribution of Kendall's tau^2, for which S must be near normal: enough rows that differ
// from the most common value, and a variance of S^2 near 2 (E S^2)^2.
Judgment judge_kendall(double n, double n_others, double variance_ratio);

// Judges a normal distribution of xi, a limit for many distinct values of x and of y.
Judgment judge_xi(double fewest_distinct);

// Judges a normal distribution of agreement by its standard deviation in steps of 1/n, which must be many.
Judgment judge_agreement(double std_in_steps);

// Judge sums over strata by their skewness alone, as counts differ between strata: gamma distributions from
// zero, and sums of traces of dense matrices.
Judgment judge_gamma_sum(double skew, double skew_ratio);
Judgment judge_squares_sum(double n, double skew);

// The smallest p for which a Beta distribution without caveat is valid.
double reach_of_beta(double n, const PairShape& shape, double variance_ratio);

// The smallest valid p of a distribution if the true tail has atoms below p = `finest`, 1 if that is too
// large for any distribution to be valid.
double coarser_reach(double reach, double finest);

// True if so few rows differ from the most common value of x or of y (others) that the null is discrete. Once
// true, it stays true with fewer others, so that lower bounds can be tested.
bool has_rare_values(double n, double x_others, double y_others);

// Largest number of rows that differ from the most common value for which has_rare_values can be true.
double most_rare_others(double n);

// has_rare_values with a wider margin, for sums whose skewness is not known.
bool has_rather_rare_values(double n, double x_others, double y_others);

// True if there are many rows, of which few differ from the most common value of either variable.
bool has_few_others(const PairCounts& counts);

// True if no smooth distribution fits because of rare values: most of the null is one atom, or both variables
// have ties.
bool has_no_distribution(const PairCounts& counts, double skew);

}  // namespace bychance
