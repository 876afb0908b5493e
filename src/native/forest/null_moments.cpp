// Sections 2 to 5 of docs/fair_splits.md. With o = c/(n-c), the directions of two cuts c < c' have the
// squared cosine o/o': sums that run along the cuts make up all traces.
#include "forest/null_moments.hpp"

namespace bychance::forest {
namespace {

// The two groups beside a cut.
double beside(const double* left, std::size_t cut) { return left[cut + 1] - (cut ? left[cut - 1] : 0); }

double beside_all(const double* left, std::size_t first, std::size_t last) {
  return left[last] + left[last - 1] - left[first] - (first ? left[first - 1] : 0);
}

}  // namespace

double mean_over_cuts(const double* left, const double* gains, std::size_t first, std::size_t last) {
  constexpr std::size_t kLanes = 4;
  double sums[kLanes] = {beside(left, first) * gains[first]};
  std::size_t g = first + 1;
  for (; g + kLanes <= last; g += kLanes) {
    for (std::size_t i = 0; i < kLanes; ++i) sums[i] += (left[g + i + 1] - left[g + i - 1]) * gains[g + i];
  }
  for (; g < last; ++g) sums[0] += beside(left, g) * gains[g];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) / beside_all(left, first, last);
}

Traces Traces::of_cuts(double n, const double* left, const double* reciprocals, std::size_t first,
                       std::size_t last) {
  const double scale = 1 / beside_all(left, first, last);
  Traces A;
  A.a1 = 1;
  double P = 0, d = 0;  // d: n A_ii, of the rows before the first cut
  for (std::size_t g = first; g < last; ++g) {
    const double w = scale * beside(left, g), c = left[g], rest = n - c;
    const double o = c * c * reciprocals[g], over = rest * rest * reciprocals[g];
    A.a2 += w * (w + 2 * P * over);
    P += w * o;
    d += w * over;
  }
  double before = 0;
  for (std::size_t g = first; g < last; ++g) {
    const double w = scale * beside(left, g), c = left[g], rest = n - c;
    A.a_d += (c - before) * d * d;
    d += w * (c * c - rest * rest) * reciprocals[g];
    before = c;
  }
  A.a_d = (A.a_d + (n - before) * d * d) / (n * n);
  return A;
}

Traces Traces::of_categories(double n, const double* left, std::size_t r) {
  Traces A;
  A.a1 = A.a2 = static_cast<double>(r) - 1;
  A.a_d = (1 - 2 * static_cast<double>(r)) / n;
  for (std::size_t g = 0; g < r; ++g) A.a_d += 1 / (left[g] - (g ? left[g - 1] : 0));
  return A;
}

void Traces::add_missing(double n, double m) {
  const double with = n - m, own = m / (n * with);  // A_ii of rows with a value
  a_d += own * (2 * a1 + m / n) + with * with / (n * n * m);
  a1 += 1, a2 += 1;
}

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

CubeRootDistribution NodeNull::distribution_of(const Traces& A) const {
  constexpr double kRounding = 1e-10;
  const double squares = A.a1 * A.a1, most = at_children_ * (n_ - 1) * A.a2;
  const double V = most - at_children_ * squares + spread_ * A.a_d - offset_ * (squares + 2 * A.a2);
  if (n_ <= 2 || !has_equals_ || !(V > kRounding * most)) return {};
  return cube_root_distribution(mean_ * A.a1, V);
}

}  // namespace bychance::forest
