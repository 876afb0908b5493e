// Exact permutation mean and variance of F = sum_ij n_ij ln(n_ij / e_ij), e_ij = a_i b_j / n: n times the
// mutual information in nats, from the totals of a table alone. It differs from sum_ij n_ij ln n_ij by a
// constant; in this form no large terms cancel.
//
// Each n_ij is hypergeometric: marked among a_i drawn from n with b_j marked. The polynomials orthogonal to
// that distribution (Hahn's) split f(n_ij), f = x ln x, into degrees, with coefficients (Rodrigues' formula)
//   c_r = h_r E[D^r f(m)], m marked among a_i - r drawn from n - 2r with b_j - r marked, D the difference,
//   h_r^2 = (a)_r (b)_r (n-a)_r (n-b)_r / (r! (n)_2r (n-r+1)_r), (x)_r = x (x-1) ... (x-r+1).
// Terms of different degree are uncorrelated, whatever their cells, and two of one degree in cells (i, j) and
// (k, l) have the correlation R_ik S_jl, with R_ii = 1, R_ik = (-1)^r t_i t_k, t_i^2 = (a_i)_r / (n - a_i)_r,
// and S alike for columns (Schur's lemma: permutations act irreducibly on each degree). So
//   Var F = sum_r sum_ijkl c_r(i,j) R_ik S_jl c_r(k,l),
// terms that are not negative and fall off fast. Equal totals share theirs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bychance {

double xlogx(std::int64_t m);  // m ln m, 0 for m = 0

// Permutation mean and variance of F.
struct InformationMoments {
  double mean, variance;
};

// Row or column totals of a table: the distinct ones above 0, ascending, and how often each occurs.
struct DistinctTotals {
  std::vector<std::int64_t> values;
  std::vector<double> counts;

  void set(const std::int64_t* totals, std::size_t count);
  std::size_t size() const { return values.size(); }

 private:
  std::vector<std::int64_t> sorted_;
};

// A workspace: its tables of logarithms and factorials serve the next totals too.
class InformationNull {
 public:
  // Returns mean and variance of F for tables with these totals, whose sum is n for rows and for columns. The
  // variance is NaN if it takes more than max_operations.
  InformationMoments moments(const DistinctTotals& rows, const DistinctTotals& columns, std::int64_t n,
                             double max_operations);

  // About how many sums and products the variance takes.
  static double cost(const DistinctTotals& rows, const DistinctTotals& columns);

 private:
  static constexpr std::size_t kMaxDegree = 32;  // largest degree r that is summed: terms fall off fast

  // Factors of one total and degree: t_r of the correlations, and its part in the step from h_{r-1} to h_r.
  struct Factors {
    double correlation, norm;
  };

  // Fills the tables of x ln x, its differences and factorials up to these counts.
  void extend_tables(std::int64_t largest_count, std::int64_t n);
  // Sets the hypergeometric distribution of a cell: marked rows among those drawn from n.
  void set_probabilities(std::int64_t n, std::int64_t marked, std::int64_t drawn);
  double likelihood(std::int64_t m) const;
  std::int64_t value_at(std::size_t i) const { return first_ + step_ * static_cast<std::int64_t>(i); }
  double difference(std::size_t degree, std::int64_t m) const;
  double cell_mean(double expected, double slope) const;
  double mean_difference(std::size_t degree) const;
  // Computes the coefficients c_r of a cell in this column, for r up to the highest degree.
  void split(std::size_t highest, double slope, std::size_t column);
  // Returns what `count` rows of equal totals add to the variance.
  double add_row(double count, const std::vector<double>& column_counts);
  // Writes t_r and the step of h_r for a total, by degree.
  static void set_factors(std::int64_t total, std::int64_t n, Factors* out);

  std::array<std::vector<double>, kMaxDegree + 1> differences_;  // of x ln x by degree, each ending at m
  std::vector<double> factorials_;                               // in [1, 2), times a power of two
  std::vector<std::int64_t> exponents_;
  std::array<double, kMaxDegree + 1> norms_;

  // The distribution of a cell: probabilities at first_, first_ + step_, …, each for as many values as a step
  // has.
  std::int64_t n_ = 0, marked_ = 0, drawn_ = 0, first_ = 0, step_ = 1;
  std::int64_t exponent_ = 0;
  std::vector<double> probabilities_, downward_, values_;

  std::size_t n_columns_ = 0, n_degrees_ = 0;
  std::vector<Factors> row_factors_, column_factors_;  // by degree; by column, then by degree
  std::vector<double> coefficients_, earlier_, rest_;  // by degree, then by column
  double squares_ = 0;
};

}  // namespace bychance
