// The null distribution of a split's gain, from moments of the node's responses and the sizes of the
// children, and that of a mean gain.
//
// The gain is tr(A B)/n, with A the projection onto the children and B the Gram matrix of the centered
// responses (class indicators or numbers). The null needs tr B, tr B^2 and the sum of B_ii^2. So classes and
// numbers share all formulas below, and two classes are numbers of two values. For classes, with n rows,
// class shares p_j, P2 = sum p_j^2, P3 = sum p_j^3, r children of n_i rows, and the spread of the child sizes
// s = sum 1/n_i - (2r-1)/n:
//   permutations: E = (r-1)/(n-1) (1-P2),
//     n^2 Var = 2 D D' / ((n-1)^2 (n+1) (n-2)) + G G' / ((n+1) n (n-1) (n-2) (n-3)), D = (r-1)(n-r),
//     G = n(n+1)s - (n-1)(r^2-1), D' = (n-1)T2 - T^2, G' = n(n+1)S2 - (n-1)(T^2+2 T2), T = n(1-P2),
//     T2 = n^2 (P2-2P3+P2^2), S2 = n((1+P2)^2-4(1+P2)P2+4P3); the last term is absent for n <= 3.
//   numbers z of mean 0: E = (r-1)/(n-1) T/n, the same variance with T = sum z^2, T2 = T^2, S2 = sum z^4.
//   multinomial (Dobra and Gehrke 2001): E = (r-1)/n (1-P2),
//     n^2 Var = 2(r-1) T2/n^2 + s (2(1-P2)P2 - 4 T2/n^2).
// Both variances are linear in s, so that a scan over cuts computes two numbers once. For a mean gain A has
// the Traces below: E, D and G are the same with tr A for r-1, (n-1) tr A^2 - (tr A)^2 for D, and n(n+1) sum
// A_ii^2 - (n-1)((tr A)^2 + 2 tr A^2) for G (Kazi-Aoual and others 1995).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace bychance::forest {

// tr A, tr A^2, and the sum of A_ii^2.
struct Traces {
  double a1 = 0, a2 = 0, a_d = 0;

  // Traces of the cuts first … last-1, with weights c to the left out of n and `reciprocals` 1/(c (n-c)).
  // Each cut has the weight of the two groups beside it: the mean is the k-sample Anderson-Darling statistic.
  static Traces of_cuts(double n, const double* left, const double* reciprocals, std::size_t first,
                        std::size_t last);
  // Traces of r categories, with cumulative weights `left`.
  static Traces of_categories(double n, const double* left, std::size_t r);
  // Adds the split by missing values of m out of n rows, which is orthogonal to all others.
  void add_missing(double n, double m);
};

// The mean of the gains of these cuts.
double mean_over_cuts(const double* left, const double* gains, std::size_t first, std::size_t last);

enum class NullModel { moments, multinomial };

// Null distribution of a gain: its cube root is nearly normal, with this center and scale.
struct CubeRootDistribution {
  double center = 0, scale = 0;

  double score(double gain) const { return (std::cbrt(gain) - center) / scale; }
  // The gain that has this score.
  double gain_of(double score) const {
    const double root = center + score * scale;
    return root * root * root;
  }
};

// Wilson and Hilferty (1931): the cube root of a gamma variable with this mean and variance. h is at most 1,
// since a gain of 0 would have a score above 0 otherwise.
inline CubeRootDistribution cube_root_distribution(double mean, double variance) {
  const double h = std::min(1.0, variance / (9 * mean * mean)), root = std::cbrt(mean);
  return {root * (1 - h), root * std::sqrt(h)};
}

class NodeNull {
 public:
  // The null of rows with these class totals.
  static NodeNull of_classes(const double* totals, std::size_t n_classes, NullModel model);
  // The null of n rows, from the central moments of their numbers.
  static NodeNull of_numbers(double n, double variance, double fourth);

  double n() const { return n_; }
  double impurity() const { return impurity_; }

  double mean(double r) const { return mean_ * (r - 1); }
  // Over children whose sizes have the reciprocal sum `reciprocals`.
  double variance(double r, double reciprocals) const {
    return first_term(r) + spread_ * (reciprocals - (2 * r - 1) / n_) - offset_ * (r * r - 1);
  }
  double variance_slope() const { return spread_; }

  // True if the gain of some split into r children varies under the null.
  bool can_vary(double r) const {
    return impurity_ > 0 && n_ > 1 && (!is_permuted_ || (n_ > 2 && r < n_ && has_equals_));
  }
  // Rounding errors of a variance of zero. Such are the cuts of a single row from balanced classes, and
  // splits into equal children of a node with n-1 rows in one class and one row in the other.
  double zero_variance(double r) const { return 1e-10 * first_term(r); }

  // The distribution of a mean gain with these traces, with scale 0 if no permutation changes it.
  CubeRootDistribution distribution_of(const Traces& traces) const;

 private:
  NodeNull() = default;
  void set_permutation_moments();
  double first_term(double r) const { return at_children_ * (r - 1) * (is_permuted_ ? n_ - r : n_); }

  double n_ = 0;
  double impurity_ = 0, pairs_ = 0, diagonal_ = 0;  // tr B/n, tr B^2/n^2, the sum of B_ii^2 over n
  double mean_ = 0, at_children_ = 0, spread_ = 0, offset_ = 0;
  bool is_permuted_ = true;
  bool has_equals_ = true;  // without two rows of one class all splits have the same gain
};

}  // namespace bychance::forest
