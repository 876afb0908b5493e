// Null distributions matched to exact moments, each with a caveat if its p-values may not be valid.
//
// The pair is not degenerate by its columns alone (constant, all distinct, under three rows). In whole tables
// the rows that differ from the most common value (`others`) are a lower bound, and distinct values are
// counted up to 10 only. There a pair that may have rare values is undecided.
#pragma once

#include <cstddef>
#include <cstdint>

#include "distributions/validity.hpp"
#include "moments/information_moments.hpp"
#include "moments/trace_moments.hpp"

namespace bychance {

// Method of a null: family of distributions and moments. Numbered as in src/bychance/nulls/distributions.py,
// which has their names.
enum class Engine : std::int8_t {
  undecided = 0,
  degenerate = 1,
  beta = 2,
  pearson = 4,
  gamma = 5,
  normal = 6,
  cantelli = 7,
  fourfold = 10,
  fourfold_information = 11,
};

// Family of distributions matched to a trace tr(A B): shares of numbers, tables, dense matrices.
enum class TraceShape { beta, gamma, pearson3 };

struct TraceOptions {
  TraceShape shape;
  bool is_whole_table;  // many pairs at once, with bounds in place of some counts
};

// Sums over one variable's matrix A that matching needs, whatever the other variable is.
struct MatchedSide {
  explicit MatchedSide(const Invariants& invariants);

  // The number of rows with the rarer of two values; 0 if the invariants are not those of two values.
  double rarer_rows(double n) const;

  // Squared skewness and kurtosis of the standardized column on n rows, if the matrix is that of a line.
  double squared_skew(double n) const { return n * cubes_; }
  double kurtosis(double n) const { return n * squares_; }

  TraceSide moments;
  bool is_line;  // A = cc' has rank 1: numbers, ranks, or labels of two groups
  double third;  // sum of the cubed entries of A at unit size
  double peak;   // root of the sum of A_kl^4 over pairs of rows if that of A_kl^2 is 1, for groups a bound

 private:
  double cubes_, squares_;  // U / T^3, S2 / T^2
};

// One matched null. `first` and `second` are a and b of a Beta distribution, the skewness of a Pearson III
// distribution, or the rows of one value of x and of y in a 2 x 2 table. `holds_to` is the smallest p for
// which it is valid. Quantiles stay within low and high. n is 0 if the distribution does not need it.
struct MatchedDistribution {
  double mean, std;
  Engine engine;
  Caveat caveat;
  double caveat_value, holds_to, first, second, low, high;
  std::int64_t n;
};

struct BetaParameters {
  double a, b;
};

// Parameters of the Beta distribution with these moments, not both positive if there is none.
inline BetaParameters beta_parameters(double mean, double variance) {
  const double total = mean * (1 - mean) / variance - 1;
  return {mean * total, (1 - mean) * total};
}

// Sum of a numeric variable over the rows of one of two groups, and how coarse its permutation distribution
// is. A squared correlation with a variable of two values is the square of such a sum. Two things leave atoms
// that a smooth distribution does not have:
//   - values in a few clusters, h apart: the sum takes steps of h. A smooth tail z standard deviations out is
//     too small by about exp(h z/2), h in standard deviations of the sum.
//   - few rows outside the largest cluster: rows in it hardly matter, and each of the others is in the group
//     or not. The likeliest such pattern is an atom.
// The smaller group has `group_rows` of the n rows. The numeric variable has `outside` rows outside its
// largest cluster, and this squared skewness and kurtosis.
struct GroupSum {
  double n, group_rows, outside, squared_skew, kurtosis;
};

// The p below which atoms matter in the tail of the sum: a smooth tail may be under half of the true p.
double finest_p(const GroupSum& sum);

// Largest number of values of a standardized column within 0.3 standard deviations of each other.
std::size_t largest_cluster(const double* values, std::size_t n);

// Mean, variance (0 if it is only rounding) and third central moment of scale * tr(A B), and the ratio of the
// variance to that of the normal model.
struct ScaledMoments {
  double mean, variance, third, variance_ratio = 1;
};
ScaledMoments scaled_moments(const TraceSide& x, const TraceSide& y, const TraceFactors& by, double scale);

// Null of a share of y's variation given covariates, at most 1: Beta for numeric y, Pearson III for labels.
// A Beta distribution is judged by its skewness alone: uneven strata have other variances than the normal
// model, and the distribution is valid all the same. `rank` is that of PairShape, `third` the size of the
// third cumulants, on which the smallest valid p depends. The third moment is NaN if it is unknown.
MatchedDistribution match_share(const ScaledMoments& moments, const PairCounts& counts, double rank,
                                double third, bool is_numeric);

// Null of scale * tr(A B). `by` has the factors for the number of rows in `counts`, `upper` is the largest
// value.
MatchedDistribution match_trace(const MatchedSide& x, const MatchedSide& y, const PairCounts& counts,
                                const TraceFactors& by, double scale, double upper,
                                const TraceOptions& options);

// Null of mutual information: gamma from zero, exact for 2 x 2 tables. `x_smallest` and `y_smallest` are the
// rows of the smallest groups, `upper` is the largest value. With an unknown variance (NaN) it is undecided.
MatchedDistribution match_information(const InformationMoments& moments, const PairCounts& counts,
                                      double x_smallest, double y_smallest, double upper,
                                      bool is_whole_table);

// Beta null of Kendall's tau^2, over strata or over all rows, undecided if none has these moments.
MatchedDistribution match_signs(double mean, double variance, const PairCounts& counts, double upper,
                                bool is_in_strata);

// Normal null of a sum whose skewness is not known, with values from `low` to `upper`.
MatchedDistribution match_normal(double mean, double variance, const PairCounts& counts, double low,
                                 double upper, const Judgment& judgment);

// Kind of value that is summed over strata: traces, traces of dense matrices, mutual information, sums over
// pairs of rows (xi), or any other.
enum class Summand { trace, dense, information, pairs, other };

// Null of a weighted sum over strata of n rows in all, at most `upper`. `least` is the smallest expected cell
// count of mutual information, or the fewest distinct values of xi.
MatchedDistribution match_sum(const ScaledMoments& moments, Summand summand, double n, double least,
                              double upper);

}  // namespace bychance
