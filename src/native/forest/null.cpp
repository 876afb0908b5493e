// Moments and laws of a split's gain under random permutation of values and classes.
#include "forest/null.hpp"

namespace bychance {

NodeNull NodeNull::of_classes(const double* totals, std::size_t n_classes, NullModel model) {
  NodeNull null;
  double n = 0, sum_of_squares = 0, sum_of_cubes = 0;
  for (std::size_t j = 0; j < n_classes; ++j) {
    const double b = totals[j];
    n += b;
    sum_of_squares += b * b;
    sum_of_cubes += b * b * b;
  }
  const double squares = sum_of_squares / (n * n), cubes = sum_of_cubes / (n * n * n);
  null.n_ = n;
  null.has_equals_ = sum_of_squares > n;
  null.impurity_ = 1 - squares;
  null.pairs_ = squares - 2 * cubes + squares * squares;
  null.diagonal_ = (1 + squares) * (1 + squares) - 4 * (1 + squares) * squares + 4 * cubes;
  null.is_permuted_ = model == NullModel::moments;
  if (null.is_permuted_) {
    null.set_permutation_moments();
    return null;
  }
  null.mean_ = null.impurity_ / n;
  null.at_children_ = 2 * null.pairs_ / (n * n * n);
  null.spread_ = (2 * null.impurity_ * squares - 4 * null.pairs_) / (n * n);
  return null;
}

NodeNull NodeNull::of_numbers(double n, double variance, double fourth) {
  NodeNull null;
  null.n_ = n;
  null.impurity_ = variance;
  null.pairs_ = variance * variance;
  null.diagonal_ = fourth;
  null.set_permutation_moments();
  return null;
}

void NodeNull::set_permutation_moments() {
  const double n = n_;
  mean_ = impurity_ / (n - 1);
  if (n <= 2) return;
  const double T = n * impurity_, T2 = n * n * pairs_;
  at_children_ = 2 * ((n - 1) * T2 - T * T) / ((n - 1) * (n - 1) * (n + 1) * (n - 2)) / (n * n);
  if (n <= 3) return;
  const double G = n * (n + 1) * (n * diagonal_) - (n - 1) * (T * T + 2 * T2);
  const double scale = G / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3)) / (n * n);
  spread_ = scale * n * (n + 1);
  offset_ = scale * (n - 1);
}

CubeRootLaw NodeNull::law_of(const Traces& A) const {
  constexpr double kRounding = 1e-10;
  const double squares = A.a1 * A.a1, most = at_children_ * (n_ - 1) * A.a2;
  const double V = most - at_children_ * squares + spread_ * A.a_d - offset_ * (squares + 2 * A.a2);
  if (n_ <= 2 || !has_equals_ || !(V > kRounding * most)) return {};
  return cube_root_law(mean_ * A.a1, V);
}

}  // namespace bychance
