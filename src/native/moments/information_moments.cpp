// Distributions of single cells by recurrence from their mode, then coefficients degree by degree.
#include "moments/information_moments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/arithmetic.hpp"

namespace bychance {
namespace {

// Probabilities below this, relative to the mode, are left out, but never the first few beyond the mode:
// if a count is nearly always 0 they are all that there is.
constexpr double kNegligible = 1e-17;    // a tenth of what rounding does to a sum of 1
constexpr std::int64_t kAlwaysKept = 8;  // values
constexpr int kLowestPower = -80;        // of two: likelihoods below it are negligible

// A sum over every h-th value stands for the whole, its error at most exp(-2 var sin^2(pi/h)) (a
// hypergeometric count is a sum of independent ones), if values near 0, where x ln x is not smooth, hardly
// occur.
constexpr double kSkippedError = 28;        // exp(-28) is 7e-13
constexpr double kMinSkippedExpected = 25;  // rows in the cell

// A cell's degrees are summed until their squares add less than this.
constexpr double kDegreeTolerance = 1e-11;
// Counts beyond kLargeCount are in no table; there the squares fall below the tolerance by kFewDegrees.
constexpr std::size_t kFewDegrees = 5;
constexpr std::int64_t kLargeCount = 4096;

// Operations of a cell: some 25 to 100 values by some 10 degrees.
constexpr double kCellOperations = 500;

// A variance below this, relative to the squares that it is summed from, is what rounding left of 0.
constexpr double kRounding = 1e-14;

// f(c - 1) - 2 f(c) + f(c + 1) of f = x ln x, to all digits.
double second_difference(double c) {
  if (c == 1) return 2 * std::log(2.0);
  if (c < 32) return (c + 1) * std::log1p(1 / c) + (c - 1) * std::log1p(-1 / c);
  const double s = 1 / (c * c);
  return (1 + s * (1.0 / 6 + s * (1.0 / 15 + s * (1.0 / 28 + s * (1.0 / 45))))) / c;
}

// The difference of x ln x of this degree that ends at m, for m > kLargeCount.
double large_difference(std::size_t degree, std::int64_t m) {
  const double x = m, r = degree;
  if (degree == 0) return x * std::log(x);
  if (degree == 1) return std::log(x) - (x - 1) * std::log1p(-1 / x);
  if (degree == 2) return second_difference(x - 1);
  const double center = x - r / 2;
  double derivative = 1 / center;
  for (std::size_t k = 2; k < degree; ++k) derivative *= -static_cast<double>(k - 1) / center;
  return derivative * (1 + r * r * (r - 1) / (24 * center * center));
}

double variance_of(double n, double marked, double drawn) {
  return marked / n * drawn * ((n - marked) / n) * ((n - drawn) / std::max(n - 1, 1.0));
}

std::int64_t step_of(double expected, double variance) {
  if (expected < kMinSkippedExpected || 2 * variance <= kSkippedError) return 1;
  const double pi = std::acos(-1.0);
  return std::max<std::int64_t>(1, pi / std::asin(std::sqrt(kSkippedError / (2 * variance))));
}

double power_of_two(std::int64_t exponent) {
  return exponent < kLowestPower ? 0.0 : bits_as<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
}

}  // namespace

double xlogx(std::int64_t m) {
  const double count = m;
  return m > 1 ? count * std::log(count) : 0.0;
}

void DistinctTotals::set(const std::int64_t* totals, std::size_t count) {
  sorted_.assign(totals, totals + count);
  std::sort(sorted_.begin(), sorted_.end());
  values.clear();
  counts.clear();
  for (const std::int64_t total : sorted_) {
    if (total == 0) continue;
    if (values.empty() || values.back() != total) {
      values.push_back(total);
      counts.push_back(0);
    }
    ++counts.back();
  }
}

double InformationNull::cost(const DistinctTotals& rows, const DistinctTotals& columns) {
  return kCellOperations * rows.size() * columns.size();
}

InformationMoments InformationNull::moments(const DistinctTotals& rows, const DistinctTotals& columns,
                                            std::int64_t n, double max_operations) {
  if (n == 0) return {0, 0};
  const bool has_variance = cost(rows, columns) <= max_operations;
  extend_tables(std::min(rows.values.back(), columns.values.back()), n);
  n_columns_ = columns.size();
  squares_ = 0;
  if (has_variance) {
    row_factors_.resize(kMaxDegree + 1);
    column_factors_.resize((kMaxDegree + 1) * n_columns_);
    for (std::size_t v = 0; v < n_columns_; ++v) {
      set_factors(columns.values[v], n, column_factors_.data() + v * (kMaxDegree + 1));
    }
    earlier_.assign((kMaxDegree + 1) * n_columns_, 0.0);
    coefficients_.assign((kMaxDegree + 1) * n_columns_, 0.0);
    rest_.resize(n_columns_);
  }
  double mean = 0, variance = 0;
  for (std::size_t u = 0; u < rows.size(); ++u) {
    const std::int64_t a = rows.values[u];
    if (has_variance) set_factors(a, n, row_factors_.data());
    n_degrees_ = 0;
    for (std::size_t v = 0; v < n_columns_; ++v) {
      const std::int64_t b = columns.values[v];
      const double expected = a * static_cast<double>(b) / n;
      const double slope = std::log(expected) + 1;
      set_probabilities(n, b, a);
      mean += rows.counts[u] * columns.counts[v] * cell_mean(expected, slope);
      if (!has_variance) continue;
      const std::int64_t highest = std::min(std::min(a, b), std::min(n - a, n - b));
      split(highest, slope, v);
    }
    if (has_variance) variance += add_row(rows.counts[u], columns.counts);
  }
  if (!has_variance) return {mean, std::numeric_limits<double>::quiet_NaN()};
  return {mean, variance > kRounding * squares_ ? variance : 0.0};
}

void InformationNull::extend_tables(std::int64_t largest_count, std::int64_t n) {
  const auto size = static_cast<std::size_t>(std::min(largest_count, kLargeCount)) + 1;
  for (std::size_t m = differences_[0].size(); m < size; ++m) {
    differences_[0].push_back(xlogx(m));
    differences_[1].push_back(m > 0 ? differences_[0][m] - differences_[0][m - 1] : 0.0);
    differences_[2].push_back(m > 1 ? second_difference(static_cast<double>(m) - 1) : 0.0);
    for (std::size_t r = 3; r <= kMaxDegree; ++r) {
      differences_[r].push_back(m >= r ? differences_[r - 1][m] - differences_[r - 1][m - 1] : 0.0);
    }
  }
  if (factorials_.empty()) factorials_.push_back(1), exponents_.push_back(0);
  while (factorials_.size() <= static_cast<std::size_t>(n)) {
    int exponent;
    const double next = factorials_.back() * factorials_.size();
    factorials_.push_back(2 * std::frexp(next, &exponent));
    exponents_.push_back(exponents_.back() + exponent - 1);
  }
  if (n == n_) return;
  n_ = n;
  const double N = n;
  for (std::size_t r = 1; r <= kMaxDegree; ++r) {
    const double degree = r, left = N - 2 * degree + 2;
    norms_[r] = left > 1 ? std::sqrt((N - degree + 2) * (left - 1) / ((left + 1) * degree)) : 0.0;
  }
}

void InformationNull::set_factors(std::int64_t total, std::int64_t n, Factors* out) {
  out[0] = {1, 1};
  for (std::size_t r = 1; r <= kMaxDegree; ++r) {
    const std::int64_t below = r - 1;
    const double inside = total - below, outside = n - total - below;
    if (inside <= 0 || outside <= 0) {
      std::fill(out + r, out + kMaxDegree + 1, Factors{0, 0});
      return;
    }
    const double norm = 1 / std::sqrt(inside * outside);
    out[r] = {out[r - 1].correlation * inside * norm, norm};
  }
}

// The probability of m but for a factor, near 1 at the mode.
double InformationNull::likelihood(std::int64_t m) const {
  const double* f = factorials_.data();
  const std::int64_t* e = exponents_.data();
  const std::int64_t row = marked_ - m, column = drawn_ - m, rest = n_ - marked_ - drawn_ + m;
  return power_of_two(exponent_ - e[m] - e[row] - e[column] - e[rest]) /
         (f[m] * f[row] * f[column] * f[rest]);
}

void InformationNull::set_probabilities(std::int64_t n, std::int64_t marked, std::int64_t drawn) {
  marked_ = marked;
  drawn_ = drawn;
  const double N = n, K = marked, s = drawn;
  const std::int64_t low = std::max<std::int64_t>(0, drawn + marked - n), high = std::min(marked, drawn);
  const std::int64_t mode_at = (s + 1) * (K + 1) / (N + 2);
  const std::int64_t mode = std::min(high, std::max(low, mode_at));
  step_ = step_of(s * K / N, variance_of(N, K, s));
  exponent_ = 0;
  for (const std::int64_t part : {mode, marked - mode, drawn - mode, n - marked - drawn + mode}) {
    exponent_ += exponents_[part];
  }
  downward_.clear();
  for (std::int64_t m = mode - step_; m >= low; m -= step_) {
    downward_.push_back(likelihood(m));
    if (downward_.back() < kNegligible) break;
  }
  first_ = mode - step_ * downward_.size();
  probabilities_.assign(downward_.rbegin(), downward_.rend());
  for (std::int64_t m = mode; m <= high; m += step_) {
    probabilities_.push_back(likelihood(m));
    if (probabilities_.back() < kNegligible && m - mode >= kAlwaysKept) break;
  }
  double sum = 0;
  for (const double probability : probabilities_) sum += probability;
  for (double& probability : probabilities_) probability /= sum;
  values_.resize(probabilities_.size());
  for (std::size_t i = 0; i < probabilities_.size(); ++i) {
    values_[i] = value_at(i);
  }
}

double InformationNull::difference(std::size_t degree, std::int64_t m) const {
  return m > kLargeCount ? large_difference(degree, m) : differences_[degree][m];
}

// The mean of m ln(m / expected) - m + expected: the last two cancel over the table, and leave a smooth
// function.
double InformationNull::cell_mean(double expected, double slope) const {
  return sum_in_lanes(probabilities_.size(), [&](std::size_t i) {
    return probabilities_[i] * (difference(0, value_at(i)) - values_[i] * slope + expected);
  });
}

double InformationNull::mean_difference(std::size_t degree) const {
  const double* p = probabilities_.data();
  if (values_.back() > kLargeCount) {
    return sum_in_lanes(probabilities_.size(),
                        [=](std::size_t i) { return p[i] * difference(degree, value_at(i)); });
  }
  const double* f = differences_[degree].data() + first_;
  const std::size_t step = step_;
  return sum_in_lanes(probabilities_.size(), [=](std::size_t i) { return p[i] * f[i * step]; });
}

// The distribution of degree r at m is that of degree r - 1 at m + 1 times (m + 1)(n - a - b + m + 1): it is
// kept in place, h_r within it, and the differences are those that end, not begin, at a value.
void InformationNull::split(std::size_t highest, double slope, std::size_t column) {
  const Factors* factors = column_factors_.data() + column * (kMaxDegree + 1);
  const std::size_t limit = values_.back() <= kLargeCount ? kMaxDegree : kFewDegrees;
  const double outside = n_ - marked_ - drawn_;
  double found = 0;
  std::size_t r = 0;
  while (r < std::min(highest, limit)) {
    ++r;
    const double norm = norms_[r] * row_factors_[r].norm * factors[r].norm;
    const double x = r - 1, y = x - outside;
    for (std::size_t i = 0; i < probabilities_.size(); ++i)
      probabilities_[i] *= (values_[i] - x) * (values_[i] - y) * norm;
    double total = mean_difference(r);
    if (r == 1) total -= slope * std::accumulate(probabilities_.begin(), probabilities_.end(), 0.0);
    coefficients_[r * n_columns_ + column] = total;
    n_degrees_ = std::max(n_degrees_, r);
    if (r == 1) continue;
    found += total * total;
    if (r > 2 && total * total <= kDegreeTolerance * found) break;
  }
  for (++r; r <= kMaxDegree; ++r) coefficients_[r * n_columns_ + column] = 0;
}

// The share of `count` equal rows in the variance: among themselves, and with the rows before. Sums over the
// other columns are taken from both ends: nothing must be subtracted if one total is most of n.
double InformationNull::add_row(double count, const std::vector<double>& column_counts) {
  double variance = 0;
  for (std::size_t r = 1; r <= n_degrees_; ++r) {
    const double* c = coefficients_.data() + r * n_columns_;
    const Factors* factors = column_factors_.data() + r;
    double* before = earlier_.data() + r * n_columns_;
    const double sign = r % 2 ? -1 : 1, t = row_factors_[r].correlation;
    double sum = 0;
    for (std::size_t v = 0; v < n_columns_; ++v) {
      const double term = factors[v * (kMaxDegree + 1)].correlation * c[v];
      rest_[v] = sum + (column_counts[v] - 1) * term;
      sum += column_counts[v] * term;
    }
    sum = 0;
    double within = 0, across = 0;
    for (std::size_t v = n_columns_; v-- > 0;) {
      const double u = factors[v * (kMaxDegree + 1)].correlation;
      const double along = column_counts[v] * (c[v] + sign * u * (rest_[v] + sum));
      sum += column_counts[v] * u * c[v];
      within += along * c[v];
      across += along * before[v];
      squares_ += count * column_counts[v] * c[v] * c[v];
      before[v] += count * t * c[v];
    }
    variance += count * (within + sign * t * ((count - 1) * t * within + 2 * across));
  }
  return variance;
}

}  // namespace bychance
