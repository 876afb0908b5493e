#include "distributions/fourfold.hpp"

#include <algorithm>
#include <cmath>

namespace bychance {
namespace {

constexpr double kNegligible = 1e-19;  // of the largest weight, or of the tail
constexpr double kForgiven = 1e-12;    // rounding of a sum of weights, and of equal keys

double x_log_x(double x) { return x > 0 ? x * std::log2(x) : 0.0; }

}  // namespace

FourfoldLaw::FourfoldLaw(std::int64_t n, std::int64_t a, std::int64_t b, FourfoldValue value)
    : n_(n), a_(a), b_(b), value_(value) {
  first_ = std::max<std::int64_t>(0, a + b - n);
  last_ = std::min(a, b);
  const double rows = static_cast<double>(n), x = static_cast<double>(a), y = static_cast<double>(b);
  // Exact to within one: any start near the mode serves.
  mode_ = std::clamp(static_cast<std::int64_t>((x + 1) * (y + 1) / (rows + 2)), first_, last_);
  center_ = std::clamp(static_cast<std::int64_t>(x * y / rows), first_, last_);
  if (value_ == FourfoldValue::contingency) {
    scale_ = x * (rows - x) * y * (rows - y);
  } else {
    offset_ = x_log_x(rows) - x_log_x(x) - x_log_x(rows - x) - x_log_x(y) - x_log_x(rows - y);
  }
}

double FourfoldLaw::key(std::int64_t m) const {
  const double n = static_cast<double>(n_), a = static_cast<double>(a_), b = static_cast<double>(b_),
               count = static_cast<double>(m);
  if (value_ == FourfoldValue::contingency) return std::abs(n * count - a * b);  // whole numbers
  const double cells = x_log_x(count) + x_log_x(a - count) + x_log_x(b - count) + x_log_x(n - a - b + count);
  return std::max((cells + offset_) / n, 0.0);
}

double FourfoldLaw::value_of(double key) const {
  return value_ == FourfoldValue::contingency ? key * (key / scale_) : key;
}

double FourfoldLaw::key_of(double value) const {
  if (value <= 0) return 0;
  return value_ == FourfoldValue::contingency ? std::sqrt(value * scale_) : value;
}

double FourfoldLaw::step_up(std::int64_t m) const {
  const double count = static_cast<double>(m);
  return (static_cast<double>(a_) - count) * (static_cast<double>(b_) - count) /
         ((count + 1) * (static_cast<double>(n_ - a_ - b_) + count + 1));
}

// The weight of the counts from `edge` on, walking from the mode (of weight 1, not counted in the total) to
// one side; `total` gains the weight of all counts that were passed.
double FourfoldLaw::weight_beyond(std::int64_t from, std::int64_t step, std::int64_t edge,
                                  double& total) const {
  double weight = 1, beyond = 0;
  const bool has_tail = edge >= first_ && edge <= last_;
  for (std::int64_t m = from; step > 0 ? m < last_ : m > first_;) {
    weight = step > 0 ? weight * step_up(m) : weight / step_up(m - 1);
    m += step;
    total += weight;
    if (step > 0 ? m >= edge : m <= edge) beyond += weight;
    if (weight == 0 || weight < kNegligible * (has_tail ? beyond : total)) break;
  }
  return beyond;
}

double FourfoldLaw::tail(double x) const {
  const double least = key_of(x);
  // The counts at the ends whose key reaches the value: `low` is the last of the lower ones, `high` the first
  // of the upper ones.
  std::int64_t inside = first_ - 1, outside = center_ + 1;
  while (outside - inside > 1) {
    const std::int64_t middle = inside + (outside - inside) / 2;
    (key(middle) >= least ? inside : outside) = middle;
  }
  const std::int64_t low = inside;
  inside = last_ + 1, outside = center_;
  while (inside - outside > 1) {
    const std::int64_t middle = outside + (inside - outside) / 2;
    (key(middle) >= least ? inside : outside) = middle;
  }
  const std::int64_t high = inside;
  if (low + 1 >= high) return 1;
  double total = 1;
  double beyond = weight_beyond(mode_, 1, high, total) + weight_beyond(mode_, -1, low, total);
  if (mode_ <= low || mode_ >= high) beyond += 1;
  return std::min(beyond / total, 1.0);
}

double FourfoldLaw::quantile(double p) const {
  if (p >= 1) return value_of(std::max(key(first_), key(last_)));
  std::vector<double> weights{1}, down;  // beside the mode's, which is 1
  double total = 1;
  for (std::int64_t m = mode_; m < last_ && weights.back() > kNegligible; ++m) {
    weights.push_back(weights.back() * step_up(m));
    total += weights.back();
  }
  double last = 1;
  for (std::int64_t m = mode_; m > first_ && last > kNegligible; --m) {
    down.push_back(last /= step_up(m - 1));
    total += last;
  }
  weights.insert(weights.begin(), down.rbegin(), down.rend());
  const std::int64_t start = mode_ - static_cast<std::int64_t>(down.size());
  std::int64_t low = start, high = start + static_cast<std::int64_t>(weights.size()) - 1;
  const double allowed = (1 - p + kForgiven) * total;
  // From the largest value inwards, equal ones together.
  for (double above = 0; low < high;) {
    const double at_low = key(low), at_high = key(high), largest = std::max(at_low, at_high);
    const double same = largest * (1 - kForgiven);
    double here = 0;
    if (at_high >= same) here += weights[high - start];
    if (at_low >= same) here += weights[low - start];
    if (above + here > allowed) return value_of(largest);
    above += here;
    if (at_high >= same) --high;
    if (at_low >= same) ++low;
    if (low > high) return value_of(largest);
  }
  return value_of(key(low));
}

}  // namespace bychance
