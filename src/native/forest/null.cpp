// Moments and laws of a split's gain under random permutation of values and classes.
#include "forest/null.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "nulls/normal.hpp"

namespace bychance {
namespace {

// What the laws below have of the number of values alone.
struct PartOfValues {
  double log, center, scale;
};

PartOfValues part_for_two(double d) {
  const double L = std::log(d / 2);
  return {L, .8777 + .4832 * std::log(1 + .9057 * L), .2223 + .2074 * std::exp(-.2778 * L)};
}

PartOfValues part_for_numbers(double d) {
  const double L = std::log(d / 2);
  return {L, .7964 + .3642 * std::log(1 + 2.0575 * L), .348 + .1468 * std::exp(-1.6025 * L)};
}

// Values that are counted are mostly few: their parts are computed once.
template <PartOfValues (*kComputed)(double)>
PartOfValues part_of_values(double d) {
  constexpr std::size_t kFew = 64;
  static const std::vector<PartOfValues> few = [] {
    std::vector<PartOfValues> parts(kFew);
    for (std::size_t k = 3; k < kFew; ++k) parts[k] = kComputed(static_cast<double>(k));
    return parts;
  }();
  return d < kFew && d >= 3 && d == std::floor(d) ? few[static_cast<std::size_t>(d)] : kComputed(d);
}

// Two classes, the smaller of np rows, their shares D apart. The numbers here and in computed_law are those
// of tools/searched_law.py, which fits them to permutations.
CubeRootLaw fitted_law_of_two(double n, double np, double D, double d) {
  const PartOfValues part = part_of_values<part_for_two>(d);
  const double L = part.log, e = np / d;
  const double center = part.center * (1 + .5702 / n) +
                        .1571 * std::log(1 + (.0744 / e) * (.0744 / e)) * std::sqrt(D) -
                        .0377 * L * std::exp(-2.2043 * e);
  const double scale =
      part.scale * (1 - 3.3258 / n) + .2496 * D * std::log(1 + .1452 / e) * (1 - std::exp(-15.93 * np));
  return {center, std::max(scale, .05)};
}

// `center` and `scale` say how much the values fill the rows: 1 where each row has its own.
CubeRootLaw law_of_parts(const PartOfValues& part, double n, double cube, double center, double scale) {
  return {part.center * (1 + .6931 / n) - (.0059 + .0179 * cube) * part.log * center,
          part.scale * (1 - 2.8394 / n) + (.09 * cube - .0205) * part.log * scale};
}

// Numbers with the kurtosis of two classes whose shares are D apart.
CubeRootLaw fitted_law_of_numbers(double n, double D, double d) {
  const PartOfValues part = part_of_values<part_for_numbers>(d);
  const double cube = D * D * D;
  const CubeRootLaw law = d < n ? law_of_parts(part, n, cube, std::pow(d / n, .0753), std::pow(d / n, .2961))
                                : law_of_parts(part, n, cube, 1, 1);
  return {law.center, std::max(law.scale, .05)};
}

// Of few values, at the fewest of equal size that they count for.
const PartOfValues& easiest_part(std::size_t n_values) {
  static const std::vector<PartOfValues> parts = [] {
    std::vector<PartOfValues> each;
    for (std::size_t k = 0; k < NodeNull::kFewValues; ++k) {
      each.push_back(part_for_numbers(std::sqrt(2 * static_cast<double>(std::max<std::size_t>(k, 2)))));
    }
    return each;
  }();
  return parts[n_values];
}

// Most nodes are small: their laws are computed once.
constexpr std::size_t kSmallRows = 32, kSmallClass = kSmallRows / 2;

std::size_t small_index(std::size_t n, std::size_t np, std::size_t d) {
  return (n * (kSmallClass + 1) + np) * (kSmallRows + 1) + d;
}

std::vector<CubeRootLaw> small_laws() {
  std::vector<CubeRootLaw> laws(small_index(kSmallRows, kSmallClass, kSmallRows) + 1);
  for (std::size_t n = 3; n <= kSmallRows; ++n) {
    for (std::size_t np = 1; np <= n / 2; ++np) {
      for (std::size_t d = 3; d <= n; ++d) {
        laws[small_index(n, np, d)] = fitted_law_of_two(static_cast<double>(n), static_cast<double>(np),
                                                        static_cast<double>(n - 2 * np) / n, d);
      }
    }
  }
  return laws;
}

CubeRootLaw searched_law_of_two(double n, double np, double D, double d) {
  static const std::vector<CubeRootLaw> small = small_laws();
  // Weights may add up to less than the number of values.
  const auto is_whole = [](double x) { return x == std::floor(x); };
  const bool is_small = n <= kSmallRows && d <= n && is_whole(n) && is_whole(np) && is_whole(d);
  if (!is_small) return fitted_law_of_two(n, np, D, d);
  return small[small_index(static_cast<std::size_t>(n), static_cast<std::size_t>(np),
                           static_cast<std::size_t>(d))];
}

}  // namespace

NodeNull NodeNull::of_classes(const double* totals, std::size_t n_classes, NullModel model, double copies) {
  NodeNull null(copies);
  double n = 0, sum_of_squares = 0, sum_of_cubes = 0, first = 0, last = 0;
  int n_present = 0;
  for (std::size_t j = 0; j < n_classes; ++j) {
    const double b = totals[j];
    n += b;
    sum_of_squares += b * b;
    sum_of_cubes += b * b * b;
    if (b > 0) {
      first = n_present++ == 0 ? b : first;
      last = b;
    }
  }
  if (n_present == 2) {
    null.smaller_ = std::min(first, last);
    null.imbalance_ = std::abs(first - last) / n;
    null.is_of_two_ = copies == 1 && n == std::floor(n) && null.smaller_ == std::floor(null.smaller_);
  }
  const double squares = sum_of_squares / (n * n), cubes = sum_of_cubes / (n * n * n);
  null.n_ = n;
  null.has_equals_ = sum_of_squares > n;
  null.impurity_ = 1 - squares;
  null.unit_ = (n - 1) / null.impurity_;
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

NodeNull NodeNull::of_numbers(double n, double variance, double fourth, double copies) {
  NodeNull null(copies);
  null.is_of_numbers_ = true;
  null.n_ = n;
  null.impurity_ = variance;
  null.unit_ = (n - 1) / variance;
  null.pairs_ = variance * variance;
  null.diagonal_ = fourth;
  if (n > 2) null.apart_ = null.apart_by_kurtosis();
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

// How far the shares of two classes with this kurtosis are apart.
double NodeNull::apart_by_kurtosis() const {
  const double kurtosis = diagonal_ / (impurity_ * impurity_);
  return std::sqrt(std::max(0.0, 1 - 4 / (3 + kurtosis)));
}

CubeRootLaw NodeNull::easiest_law(std::size_t n_values) const {
  const double cube = apart_ * apart_ * apart_;
  const CubeRootLaw filled = law_of_parts(easiest_part(n_values), n_ / copies_, cube, 1, 1),
                    unfilled = law_of_parts(easiest_part(n_values), n_ / copies_, cube, 1, 0);
  return {filled.center, std::min(filled.scale, unfilled.scale)};
}

CubeRootLaw NodeNull::computed_law(double d) const {
  if (imbalance_ >= 0) return searched_law_of_two(n_ / copies_, smaller_ / copies_, imbalance_, d);
  const double n = n_ / copies_;
  if (is_of_numbers_) return fitted_law_of_numbers(n, apart_, d);
  const double D = apart_by_kurtosis();
  // From the law of one cut, Wilson and Hilferty's of mean 1 and variance 2/rate.
  const double rate = tail_rate(), L = std::log(d / 2);
  const CubeRootLaw one = cube_root_law(1, 2 / rate);
  const double center = one.center +
                        .3185 * std::pow(rate, -.5377) * std::log(1 + 3.0767 * L) * (1 - 1.0398 / n) -
                        .0274 * D * L;
  const double scale =
      one.scale * (.7262 + (1 - .7262) * std::exp(-1.4506 * L)) * (1 - 3.3192 / n) + .0089 * D * L;
  return {center, std::max(scale, .03)};
}

}  // namespace bychance
