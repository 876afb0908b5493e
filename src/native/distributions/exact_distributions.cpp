// A walk from the mode, a layer of distributions per column of a table, convolutions.
#include "distributions/exact_distributions.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace bychance {
namespace {

constexpr double kNegligible = 1e-19;  // share of the tail or the largest weight that adds nothing (rounding)
constexpr double kForgiven = 1e-12;    // relative rounding of sums of weights, and of equal keys (rounding)

double x_log_x(double x) { return x > 0 ? x * std::log2(x) : 0.0; }

}  // namespace

FourfoldDistribution::FourfoldDistribution(std::int64_t n, std::int64_t a, std::int64_t b,
                                           FourfoldValue value)
    : n_(n), a_(a), b_(b), value_(value) {
  first_ = std::max<std::int64_t>(0, a + b - n);
  last_ = std::min(a, b);
  const double rows = n, x = a, y = b;
  // The mode to within one, which serves as the start of walks.
  center_ = std::clamp(static_cast<std::int64_t>(x * y / rows), first_, last_);
  if (value_ == FourfoldValue::contingency) {
    scale_ = x * (rows - x) * y * (rows - y);
  } else {
    offset_ = x_log_x(rows) - x_log_x(x) - x_log_x(rows - x) - x_log_x(y) - x_log_x(rows - y);
  }
}

double FourfoldDistribution::key(std::int64_t m) const {
  const double n = n_, a = a_, b = b_, count = m;
  if (value_ == FourfoldValue::contingency) return std::abs(n * count - a * b);  // whole numbers
  const double cells = x_log_x(count) + x_log_x(a - count) + x_log_x(b - count) + x_log_x(n - a - b + count);
  return std::max((cells + offset_) / n, 0.0);
}

double FourfoldDistribution::value_of(double key) const {
  return value_ == FourfoldValue::contingency ? key * (key / scale_) : key;
}

double FourfoldDistribution::key_of(double value) const {
  if (value <= 0) return 0;
  return value_ == FourfoldValue::contingency ? std::sqrt(value * scale_) : value;
}

double FourfoldDistribution::step_up(std::int64_t m) const {
  const double count = m;
  return (a_ - count) * (b_ - count) / ((count + 1) * ((n_ - a_ - b_) + count + 1));
}

// Weight of the counts from `edge` on, walking by `step` from the center, whose weight is 1. `total` gains
// the weight of all counts that were passed.
double FourfoldDistribution::weight_beyond(std::int64_t from, std::int64_t step, std::int64_t edge,
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

double FourfoldDistribution::tail(double x) const {
  const double least = key_of(x);
  // The last count from either end whose key reaches the value.
  const auto last_reaching = [&](std::int64_t inside, std::int64_t outside) {
    while (std::abs(outside - inside) > 1) {
      const std::int64_t middle = inside + (outside - inside) / 2;
      (key(middle) >= least ? inside : outside) = middle;
    }
    return inside;
  };
  const std::int64_t low = last_reaching(first_ - 1, center_ + 1), high = last_reaching(last_ + 1, center_);
  if (low + 1 >= high) return 1;
  double total = 1;
  double beyond = weight_beyond(center_, 1, high, total) + weight_beyond(center_, -1, low, total);
  if (center_ <= low || center_ >= high) beyond += 1;
  return std::min(beyond / total, 1.0);
}

double FourfoldDistribution::quantile(double p) const {
  if (p >= 1) return value_of(std::max(key(first_), key(last_)));
  std::vector<double> weights{1}, down;  // beside the center's, which is 1
  double total = 1;
  for (std::int64_t m = center_; m < last_ && weights.back() > kNegligible; ++m) {
    weights.push_back(weights.back() * step_up(m));
    total += weights.back();
  }
  double last = 1;
  for (std::int64_t m = center_; m > first_ && last > kNegligible; --m) {
    down.push_back(last /= step_up(m - 1));
    total += last;
  }
  weights.insert(weights.begin(), down.rbegin(), down.rend());
  const std::int64_t start = center_ - down.size();
  std::int64_t low = start, high = start + weights.size() - 1;
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

namespace {

using Remaining = std::vector<std::int64_t>;
using Weighted = std::vector<std::pair<double, double>>;  // (value, probability)

struct Node {
  Weighted atoms;
  std::size_t n_merged = 0;  // size after the last merge
};
using Layer = std::map<Remaining, Node>;

// Relative differences, to the value and to the largest, up to which sums of cells in another order are one
// value (rounding).
constexpr double kSame = 1e-12, kSameOfLargest = 1e-15;

void merge_equal(Weighted& atoms) {
  std::sort(atoms.begin(), atoms.end());
  std::size_t last = 0;
  const double largest =
      atoms.empty() ? 0 : std::max(std::abs(atoms.front().first), std::abs(atoms.back().first));
  for (std::size_t k = 1; k < atoms.size(); ++k) {
    const double same = kSame * std::abs(atoms[last].first) + kSameOfLargest * largest;
    if (atoms[k].first - atoms[last].first <= same) {
      atoms[last].second += atoms[k].second;
    } else {
      atoms[++last] = atoms[k];
    }
  }
  if (!atoms.empty()) atoms.resize(last + 1);
}

// Logarithms of factorials, each with what rounding left of it: their differences keep all digits.
class LogFactorials {
 public:
  explicit LogFactorials(std::int64_t n) : values_(n + 1) {
    for (std::size_t k = 2; k < values_.size(); ++k) {
      const auto [value, rest] = values_[k - 1];
      const double term = std::log(static_cast<double>(k)) + rest, sum = value + term;
      values_[k] = {sum, term - (sum - value)};
    }
  }

  double log_choose(std::int64_t n, std::int64_t k) const {
    const auto& all = at(n);
    const auto &chosen = at(k), &left = at(n - k);
    return all.first - chosen.first - left.first + (all.second - chosen.second - left.second);
  }

 private:
  const std::pair<double, double>& at(std::int64_t k) const { return values_[k]; }

  std::vector<std::pair<double, double>> values_;
};

class TableDistribution {
 public:
  TableDistribution(const CellStatistic& statistic, bool is_transposed, double max_operations)
      : statistic_(statistic),
        is_transposed_(is_transposed),
        rows_(is_transposed ? statistic.columns : statistic.rows),
        columns_(is_transposed ? statistic.rows : statistic.columns),
        budget_(max_operations),
        factorials_(statistic.n) {
    // Rows with the same total can trade places, so their remainders are kept sorted.
    run_end_.resize(rows_.size());
    for (std::size_t i = rows_.size(); i-- > 0;) {
      const bool continues =
          i + 1 < rows_.size() && statistic.function != CellFunction::diagonal && rows_[i] == rows_[i + 1];
      run_end_[i] = continues ? run_end_[i + 1] : i + 1;
    }
  }

  DiscreteDistribution run() {
    Layer layer;
    Remaining start(rows_);
    layer[canonical(start)].atoms = {{0.0, 1.0}};
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      Layer next;
      for (const auto& [remaining, node] : layer) fill_column(j, remaining, node.atoms, next);
      for (auto& entry : next) merge_equal(entry.second.atoms);
      layer = std::move(next);
    }
    DiscreteDistribution result;
    for (const auto& [value, probability] : layer.begin()->second.atoms) {
      result.values.push_back(value);
      result.probabilities.push_back(probability);
    }
    return result;
  }

 private:
  Remaining& canonical(Remaining& remaining) const {
    for (std::size_t i = 0; i < remaining.size(); i = run_end_[i]) {
      std::sort(remaining.begin() + i, remaining.begin() + run_end_[i]);
    }
    return remaining;
  }

  double cell(std::size_t i, std::size_t j, std::int64_t m) const {
    return is_transposed_ ? statistic_.cell(j, i, m) : statistic_.cell(i, j, m);
  }

  void spend(std::size_t operations) {
    budget_ -= operations;
    if (budget_ < 0) throw std::length_error("the exact distribution needs more operations than allowed");
  }

  void fill_column(std::size_t j, const Remaining& remaining, const Weighted& atoms, Layer& next) {
    const std::int64_t left = std::accumulate(remaining.begin(), remaining.end(), std::int64_t{0});
    const double log_total = factorials_.log_choose(left, columns_[j]);
    Remaining after(remaining);
    std::function<void(std::size_t, std::int64_t, std::int64_t, double, double)> place =
        [&](std::size_t i, std::int64_t to_place, std::int64_t room, double log_ways, double value) {
          if (i + 1 == remaining.size()) {
            after[i] = remaining[i] - to_place;
            emit(atoms, log_ways + factorials_.log_choose(remaining[i], to_place) - log_total,
                 value + cell(i, j, to_place), after, next);
            return;
          }
          const std::int64_t room_below = room - remaining[i];
          const std::int64_t low = std::max<std::int64_t>(0, to_place - room_below);
          const std::int64_t high = std::min(remaining[i], to_place);
          for (std::int64_t m = low; m <= high; ++m) {
            after[i] = remaining[i] - m;
            place(i + 1, to_place - m, room_below, log_ways + factorials_.log_choose(remaining[i], m),
                  value + cell(i, j, m));
          }
        };
    place(0, columns_[j], left, 0.0, 0.0);
  }

  void emit(const Weighted& atoms, double log_probability, double value, const Remaining& after,
            Layer& next) {
    spend(atoms.size() + rows_.size());
    Remaining key(after);
    Node& node = next[canonical(key)];
    const double probability = std::exp(log_probability);
    for (const auto& [earlier, p] : atoms) node.atoms.emplace_back(earlier + value, p * probability);
    // Merging when a list has doubled keeps memory near the number of distinct values.
    if (node.atoms.size() > 4096 && node.atoms.size() >= 2 * node.n_merged) {
      merge_equal(node.atoms);
      node.n_merged = node.atoms.size();
    }
  }

  const CellStatistic& statistic_;
  const bool is_transposed_;
  const std::vector<std::int64_t>&rows_, &columns_;
  double budget_;
  LogFactorials factorials_;
  std::vector<std::size_t> run_end_;
};

// Distribution of the Mann-Whitney count for samples of sizes m and t, by the recurrence of Gaussian
// binomials.
std::vector<double> mann_whitney_distribution(std::size_t m, std::size_t t) {
  // by_size[j] is the distribution for sizes (i, j); one more row i mixes by_size[j-1] (new largest is from
  // the second sample, adding i) with the distribution of (i-1, j).
  std::vector<std::vector<double>> by_size(t + 1, std::vector<double>{1.0});
  for (std::size_t i = 1; i <= m; ++i) {
    for (std::size_t j = 1; j <= t; ++j) {
      const double total = i + j;
      const double from_first = i / total, from_second = j / total;
      std::vector<double> probabilities(i * j + 1, 0.0);
      for (std::size_t u = 0; u < by_size[j].size(); ++u) probabilities[u] += from_first * by_size[j][u];
      for (std::size_t u = 0; u < by_size[j - 1].size(); ++u)
        probabilities[u + i] += from_second * by_size[j - 1][u];
      by_size[j] = std::move(probabilities);
    }
  }
  return by_size[t];
}

std::vector<double> convolve(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> out(a.size() + b.size() - 1, 0.0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) out[i + j] += a[i] * b[j];
  }
  return out;
}

// Convolution with the uniform distribution on 0..width-1. The distribution is symmetric, so only its lower
// half is summed (where differences of running sums keep their digits) and mirrored.
std::vector<double> convolve_uniform(const std::vector<double>& probabilities, std::size_t width) {
  std::vector<double> out(probabilities.size() + width - 1, 0.0);
  double window = 0;
  for (std::size_t u = 0; u <= (out.size() - 1) / 2; ++u) {
    if (u < probabilities.size()) window += probabilities[u];
    if (u >= width) window -= probabilities[u - width];
    out[u] = window / width;
  }
  for (std::size_t u = 0; u < out.size() / 2; ++u) out[out.size() - 1 - u] = out[u];
  return out;
}

}  // namespace

DiscreteDistribution table_distribution(CellFunction function, const std::vector<std::int64_t>& rows,
                                        const std::vector<std::int64_t>& columns, double max_operations) {
  // The state is a remainder per row, so the shorter side makes the rows.
  const CellStatistic statistic(function, rows, columns);
  return TableDistribution(statistic, rows.size() > columns.size(), max_operations).run();
}

std::vector<double> kendall_distribution(const std::int64_t* tie_groups, std::size_t n_groups) {
  std::vector<double> probabilities{1.0};
  std::size_t placed = 0;
  for (std::size_t g = 0; g < n_groups; ++g) {
    const std::size_t size = tie_groups[g];
    if (size == 1) {
      probabilities = convolve_uniform(probabilities, placed + 1);
    } else if (placed > 0) {
      probabilities = convolve(probabilities, mann_whitney_distribution(placed, size));
    }
    placed += size;
  }
  return probabilities;
}

}  // namespace bychance
