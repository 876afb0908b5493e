// Moments and laws of a split's gain under random permutation of values and classes.
#include "forest/null.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "forest/cuts.hpp"

namespace bychance {
namespace {

// The numbers of studies/searched_law.py, which fits them to permutations.
struct Fitted {
  double grown, by_rate, by_log, by_rows, more, less, by_skew;  // of the center
  double falls, power, rows, skewed, more_scale, less_scale;    // of the scale
};

constexpr Fitted kOfTwo{.362, 0, 2.016, .382, -.004, .009, 0, 2.95, .137, 2.142, 0, .08, .015};
constexpr Fitted kOfMore{.357, .494, 2.082, -.376, .119, .006, .049, 25.8, .063, 1.454, .561, -.005, .04};
constexpr Fitted kOfNumbers{.352, 0, 2.24, .737, -.05, .02, 0, 3.095, .154, 2.974, 0, .096, .013};

// What the law has of the number of cuts alone.
struct PartOfCuts {
  double center, scale;
};

// What was fitted for such targets; two classes have a smaller one.
const Fitted& fitted_to(double smaller, bool is_of_numbers) {
  return smaller > 0 ? kOfTwo : is_of_numbers ? kOfNumbers : kOfMore;
}

PartOfCuts part_of_log(const Fitted& fitted, double L) {
  return {fitted.grown * std::log1p(fitted.by_log * L),
          std::exp(-fitted.power * std::log1p(fitted.falls * L))};
}

// By tables: laws are asked for at every split.
class PartsOfCuts {
 public:
  explicit PartsOfCuts(const Fitted& fitted) : fitted_(fitted) {
    for (std::size_t k = 0; k < kFewValues; ++k) {
      of_values_.push_back(part_of_log(fitted, k > 2 ? std::log(static_cast<double>(k) / 2) : 0));
    }
    for (std::size_t k = 0; k <= kMost * kPerRoot + 1; ++k) {
      const double root = static_cast<double>(k) / kPerRoot;
      by_root_.push_back(part_of_log(fitted, log_of_values(1 + root * root)));
    }
  }

  // Of d values of equal size.
  PartOfCuts of_values(double d) const {
    const bool is_few = d < kFewValues && d >= 3 && d == std::floor(d);
    return is_few ? of_values_[static_cast<std::size_t>(d)] : part_of_log(fitted_, std::log(d / 2));
  }

  // Of so many independent cuts. By their root, as both change most where cuts are few.
  PartOfCuts of_cuts(double cuts) const {
    const double place = std::min(std::sqrt(cuts - 1), kMost) * kPerRoot;
    const auto k = static_cast<std::size_t>(place);
    const double share = place - static_cast<double>(k);
    const PartOfCuts &low = by_root_[k], &high = by_root_[k + 1];
    return {low.center + share * (high.center - low.center), low.scale + share * (high.scale - low.scale)};
  }

 private:
  static constexpr std::size_t kFewValues = 64;
  static constexpr double kMost = 12, kPerRoot = 64;

  const Fitted& fitted_;
  std::vector<PartOfCuts> of_values_, by_root_;
};

const PartsOfCuts& parts_of(const Fitted& fitted) {
  static const PartsOfCuts two(kOfTwo), more(kOfMore), numbers(kOfNumbers);
  return &fitted == &kOfTwo ? two : &fitted == &kOfNumbers ? numbers : more;
}

// From the law of one cut, Wilson and Hilferty's of mean 1 and variance 2/rate.
SearchedNode searched_node(const Fitted& fitted, double n, double excess, double rate, double skew) {
  const bool is_of_one = rate == 1 && skew == 1;  // a degree of freedom: numbers, and two classes
  const double variance = 2 / (9 * rate), more_rows = 1 + fitted.by_rows / n;
  const double scale = std::sqrt(variance) * (1 - fitted.rows / n);
  return {excess, (1 - variance) * more_rows - fitted.by_skew * (skew - 1),
          is_of_one ? more_rows : more_rows * std::pow(rate, -fitted.by_rate),
          is_of_one ? scale : scale * std::pow(skew, fitted.skewed)};
}

// A row at least is beyond the ends, however little it weighs: no law was fitted to less.
CubeRootLaw fitted_law(const Fitted& fitted, const SearchedNode& node, const PartOfCuts& part, double ends) {
  const double at_ends = node.excess * std::min(ends, 1.0);
  const double more = at_ends > 0 ? std::log1p(at_ends) : 0, less = std::min(at_ends, 0.0);
  const double scale = node.scale * part.scale + fitted.more_scale * more + fitted.less_scale * less;
  return {node.center + node.growth * part.center + fitted.more * more + fitted.less * less,
          std::max(scale, .05)};
}

double excess_of_two(double np, double n) { return n * n / (np * (n - np)) - 6; }

// Most nodes are small: their laws are computed once.
constexpr std::size_t kSmallRows = 32, kSmallClass = kSmallRows / 2;

std::size_t small_index(std::size_t n, std::size_t np, std::size_t d) {
  return (n * (kSmallClass + 1) + np) * (kSmallRows + 1) + d;
}

std::vector<CubeRootLaw> small_laws() {
  std::vector<CubeRootLaw> laws(small_index(kSmallRows, kSmallClass, kSmallRows) + 1);
  for (std::size_t n = 3; n <= kSmallRows; ++n) {
    for (std::size_t np = 1; np <= n / 2; ++np) {
      const auto rows = static_cast<double>(n), smaller = static_cast<double>(np);
      const SearchedNode node = searched_node(kOfTwo, rows, excess_of_two(smaller, rows), 1, 1);
      for (std::size_t d = 3; d <= n; ++d) {
        const auto values = static_cast<double>(d);
        laws[small_index(n, np, d)] =
            fitted_law(kOfTwo, node, parts_of(kOfTwo).of_values(values), values / rows);
      }
    }
  }
  return laws;
}

// Null where a law is not among them: weights may add up to less than the number of values.
const CubeRootLaw* small_law(double n, double np, double d) {
  static const std::vector<CubeRootLaw> small = small_laws();
  const auto is_whole = [](double x) { return x == std::floor(x); };
  if (n > kSmallRows || d > n || !is_whole(n) || !is_whole(np) || !is_whole(d)) return nullptr;
  return &small[small_index(static_cast<std::size_t>(n), static_cast<std::size_t>(np),
                            static_cast<std::size_t>(d))];
}

}  // namespace

NodeNull NodeNull::of_classes(const double* totals, std::size_t n_classes, NullModel model) {
  NodeNull null;
  double n = 0, sum_of_squares = 0, sum_of_cubes = 0, sum_of_fourths = 0, first = 0, last = 0;
  int n_present = 0;
  for (std::size_t j = 0; j < n_classes; ++j) {
    const double b = totals[j];
    n += b;
    sum_of_squares += b * b;
    sum_of_cubes += b * b * b;
    sum_of_fourths += b * b * b * b;
    if (b > 0) {
      first = n_present++ == 0 ? b : first;
      last = b;
    }
  }
  if (n_present == 2) {
    null.smaller_ = std::min(first, last);
    null.is_of_two_ = n == std::floor(n) && null.smaller_ == std::floor(null.smaller_);
  }
  const double squares = sum_of_squares / (n * n), cubes = sum_of_cubes / (n * n * n);
  null.n_ = n;
  null.has_equals_ = sum_of_squares > n;
  null.impurity_ = 1 - squares;
  null.unit_ = (n - 1) / null.impurity_;
  null.pairs_ = squares - 2 * cubes + squares * squares;
  const double fourths = sum_of_fourths / (n * n * n * n);
  null.triples_ = cubes - 3 * fourths + 3 * squares * cubes - squares * squares * squares;
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
  null.is_of_numbers_ = true;
  null.n_ = n;
  null.impurity_ = variance;
  null.unit_ = (n - 1) / variance;
  null.pairs_ = variance * variance;
  null.triples_ = variance * null.pairs_;
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

const SearchedNode& NodeNull::searched_node() const {
  if (searched_.growth != 0) return searched_;
  if (smaller_ > 0) return searched_ = bychance::searched_node(kOfTwo, n_, excess_of_two(smaller_, n_), 1, 1);
  const double rate = tail_rate(), excess = diagonal_ / (impurity_ * impurity_) - 1 - 2 / rate;
  if (is_of_numbers_) return searched_ = bychance::searched_node(kOfNumbers, n_, excess, 1, 1);
  const double skew = triples_ * impurity_ / (pairs_ * pairs_);
  return searched_ = bychance::searched_node(kOfMore, n_, excess, rate, skew);
}

CubeRootLaw NodeNull::searched_law(double cuts, double ends) const {
  const Fitted& fitted = fitted_to(smaller_, is_of_numbers_);
  return fitted_law(fitted, searched_node(), parts_of(fitted).of_cuts(cuts), ends);
}

// That of one cut. With more cuts, both the center and the point two scales above it lie higher: the scale
// falls by less than half of what the center rises. At most one row is beyond the ends.
CubeRootLaw NodeNull::easiest_law() const {
  if (easiest_.scale == 0) {
    const SearchedNode& node = searched_node();
    const double less = std::min(node.excess, 0.0);
    easiest_ = {node.center + kOfNumbers.less * less + kOfNumbers.more * std::log1p(node.excess - less),
                node.scale + kOfNumbers.less_scale * less};
  }
  return easiest_;
}

CubeRootLaw NodeNull::computed_law(double d) const {
  const CubeRootLaw* small = smaller_ > 0 ? small_law(n_, smaller_, d) : nullptr;
  if (small) return *small;
  const Fitted& fitted = fitted_to(smaller_, is_of_numbers_);
  return fitted_law(fitted, searched_node(), parts_of(fitted).of_values(d), d / n_);
}

}  // namespace bychance
