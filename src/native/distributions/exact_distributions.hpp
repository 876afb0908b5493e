// Exact permutation distributions of discrete statistics: 2 x 2 tables, tables of any size, Kendall's S.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "moments/cells.hpp"

namespace bychance {

// Value of a 2 x 2 table: phi squared (contingency), or mutual information in bits.
enum class FourfoldValue { contingency, information };

// Exact null distribution of a value of a 2 x 2 table with given totals: the count of one cell is
// hypergeometric.
//
// Both values, phi squared and mutual information, fall and then rise with the count, so that their upper
// tail is a lower and an upper tail of the count. Its probabilities are walked outwards from near the mode by
// P(m+1)/P(m) = (a-m)(b-m) / ((m+1)(n-a-b+m+1)), which keeps the digits of the smallest of them.
class FourfoldDistribution {
 public:
  // a of n rows have one value of x, b of them one value of y; 0 < a, b < n.
  FourfoldDistribution(std::int64_t n, std::int64_t a, std::int64_t b, FourfoldValue value);

  // P(value >= x), up to rounding of x.
  double tail(double x) const;

  // The smallest value v with P(value > v) <= 1 - p; rounding of the sums is forgiven.
  double quantile(double p) const;

 private:
  double key(std::int64_t m) const;  // of count m: rises with the value, quicker to compute
  double value_of(double key) const;
  double key_of(double value) const;
  double step_up(std::int64_t m) const;  // P(m+1)/P(m)
  double weight_beyond(std::int64_t from, std::int64_t step, std::int64_t edge, double& total) const;

  std::int64_t n_, a_, b_, first_, last_, center_;
  double scale_ = 1;  // phi squared over the squared distance of the count from its mean
  double offset_ = 0;
  FourfoldValue value_;
};

// Values and their probabilities, which sum to 1.
struct DiscreteDistribution {
  std::vector<double> values, probabilities;  // values ascending
};

// Distribution of the sum of `function` over the cells of all tables with the given row and column totals, by
// dynamic programming over columns. The state is the remainder of the row totals. Equal values merge. Throws
// std::length_error if more than max_operations would be needed.
DiscreteDistribution table_distribution(CellFunction function, const std::vector<std::int64_t>& rows,
                                        const std::vector<std::int64_t>& columns, double max_operations);

// Probabilities of Kendall's S from its largest value downwards in steps of 2, if at most one variable has
// ties, of these group sizes. It is the distribution of the number of discordant pairs: a q-multinomial
// coefficient over its sum.
std::vector<double> kendall_distribution(const std::int64_t* tie_groups, std::size_t n_groups);

}  // namespace bychance
