// Exact moments -> the distribution that fits them, and what there is to doubt.
//
// The pair is not degenerate by its columns alone (constant, all distinct, under three rows). In whole
// tables `others` are only known to be at least so many, and distinct values need to be counted up to
// 10 only: there a pair that may have rare values is undecided.
#pragma once

#include <cstddef>
#include <cstdint>

#include "distributions/validity.hpp"
#include "moments/information_moments.hpp"
#include "moments/trace_moments.hpp"

namespace bychance {

// Numbered as in src/bychance/nulls/distributions.py, which has their names.
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

enum class TraceShape { beta, gamma, pearson3 };

struct TraceOptions {
  TraceShape shape;
  bool is_whole_table;
};

// The numbers of one matrix that matching needs, for any partner.
struct MatchedSide {
  explicit MatchedSide(const Invariants& invariants);

  // The number of rows with the rarer of two values; 0 if the invariants are not those of two values.
  double rarer_rows(double n) const;

  double squared_skew(double n) const { return n * cubes_; }
  double kurtosis(double n) const { return n * squares_; }

  TraceSide moments;
  bool is_line;  // whether it has one direction: numbers, ranks, or labels of two groups
  double third;  // sum of A^3 at unit size
  double peak;   // root of the sum of A^4 over pairs of rows, if that of A^2 is 1; of groups, at least

 private:
  double cubes_, squares_;  // U / T^3, S2 / T^2
};

// The parameters are a and b of a Beta distribution, the skewness of a Pearson III distribution, the rows of
// one value of x and of y. Quantiles stay within low and high. n is 0 if the distribution does not need it.
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

// The sum over the rows of one of two groups: how coarse its permutation distribution is. A squared
// correlation with a variable of two values is the square of such a sum. Two things leave atoms that a smooth
// distribution smears:
//   - values in a few clusters, h apart: the sum takes steps of h. A smooth tail z deviations out is too
//   small
//     by about exp(h z/2), h in deviations of the sum.
//   - few rows outside the largest cluster: those in it hardly matter, and each of the others is in the
//     group or not. The likeliest such pattern is an atom.
// The smaller group has `group_rows` of the n rows. The other variable has `outside` rows outside its largest
// cluster, and these moments.
struct GroupSum {
  double n, group_rows, outside, squared_skew, kurtosis;
};

// The p below which atoms show in the tail of the sum: there a smooth distribution may say less than half of
// it.
double finest_p(const GroupSum& sum);

// The largest number of values within 0.3 standard deviations of each other.
std::size_t largest_cluster(const double* values, std::size_t n);

// Mean, variance and third central moment of scale * tr(A B); a variance that is only what rounding left is
// 0. The last is the ratio of the variance to that of the normal model.
struct ScaledMoments {
  double mean, variance, third, variance_ratio = 1;
};
ScaledMoments scaled_moments(const TraceSide& x, const TraceSide& y, const TraceFactors& by, double scale);

// Shares of y's variation within cells of covariates, which end at 1: a Beta distribution, of labels a
// Pearson III distribution. A Beta distribution is judged by its skewness alone: uneven strata have other
// variances than the normal model, and the distribution holds there all the same. `third` is the size of the
// third cumulants, which bound how far down it reaches. The third moment is NaN if it is unknown.
MatchedDistribution match_share(const ScaledMoments& moments, const PairCounts& counts, double rank,
                                double third, bool is_numeric);

// `by` is of as many rows as `counts` says; `upper` is the end of the support.
MatchedDistribution match_trace(const MatchedSide& x, const MatchedSide& y, const PairCounts& counts,
                                const TraceFactors& by, double scale, double upper,
                                const TraceOptions& options);

// Gamma from zero, exact for 2 x 2 tables; the smallest groups of x and of y have so many rows. The variance
// is NaN if it is unknown, and the pair then undecided; `upper` is the end of the support.
MatchedDistribution match_information(const InformationMoments& moments, const PairCounts& counts,
                                      double x_smallest, double y_smallest, double upper,
                                      bool is_whole_table);

// Beta distribution of Kendall's tau^2, over strata or over all rows; undecided if none has these moments.
MatchedDistribution match_signs(double mean, double variance, const PairCounts& counts, double upper,
                                bool is_in_strata);

// Normal distribution of a sum whose skewness is not known, from `low` to `upper`.
MatchedDistribution match_normal(double mean, double variance, const PairCounts& counts, double low,
                                 double upper, const Judgment& judgment);

// The summands of the strata: traces, traces of dense matrices, mutual information, pairs of rows (xi), or
// anything else.
enum class Summand { trace, dense, information, pairs, other };

// The distribution of a sum over strata of n rows; `least` is the fewest rows that a cell of mutual
// information expects, or the fewest distinct values of xi.
MatchedDistribution match_sum(const ScaledMoments& moments, Summand summand, double n, double least,
                              double upper);

}  // namespace bychance
