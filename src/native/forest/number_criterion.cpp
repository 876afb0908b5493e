// Rows are grouped in a table by code if codes are few, and sorted otherwise.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "forest/criterion.hpp"
#include "forest/sort.hpp"

namespace bychance::forest {
namespace {

// Weight, mean and variance of a node. The variance is 0 if all numbers are equal.
struct Spread {
  double weight, mean, variance;
};

Spread spread_of(const TreeColumns& data, const std::uint32_t* rows, std::size_t n) {
  const double* numbers = data.numbers.data();
  const double first = numbers[rows[0]];
  const auto spread = [&](auto weight_of) -> Spread {
    double weight = 0, sum = 0, lowest = first, highest = first;
    for (std::size_t k = 0; k < n; ++k) {
      const double w = weight_of(rows[k]), y = numbers[rows[k]];
      weight += w;
      sum += w * (y - first);
      lowest = std::min(lowest, y);
      highest = std::max(highest, y);
    }
    if (!(highest > lowest)) return {weight, first, 0};
    const double mean = first + sum / weight;
    double squares = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const double from = numbers[rows[k]] - mean;
      squares += weight_of(rows[k]) * from * from;
    }
    return {weight, mean, squares / weight};
  };
  if (!data.weights.empty()) return spread([&data](std::uint32_t row) { return data.weights[row]; });
  if (n == 1) return {1, first, 0};
  return spread([](std::uint32_t) { return 1.0; });
}

bool add_number_node(const TreeColumns& data, const std::uint32_t* rows, std::size_t n, Tree& tree) {
  const Spread spread = spread_of(data, rows, n);
  tree.split_of.push_back(-1);
  tree.size_of.push_back(spread.weight);
  tree.value_of.push_back(static_cast<std::int32_t>(tree.values.size()));
  tree.values.push_back(spread.mean);
  tree.variance_of.push_back(spread.variance);
  // Subnormal variances are too imprecise to split.
  return std::isnormal(spread.variance);
}

}  // namespace

NumberTally::NumberTally(const TreeColumns& data) : data_(data) {
  for (const double y : data.numbers) center_ += y / static_cast<double>(data.n_rows);
}

void NumberTally::start(std::size_t n_children) {
  n_children_ = n_children;
  weights_.assign(n_children + 1, 0.0);
  sums_.assign(n_children + 1, 0.0);
}

// Joining m missing rows of sum M to a child changes the sum over children of (sum)^2/weight by
// (S + M)^2/(weight + m) - S^2/weight.
std::size_t NumberTally::child_for_missing(bool is_by_gain) const {
  const double m = weights_[n_children_], sum = sums_[n_children_];
  std::size_t best_child = 0;
  double best = 0;
  for (std::size_t i = 0; i < n_children_; ++i) {
    const double joined = (sums_[i] + sum) * (sums_[i] + sum) / (weights_[i] + m);
    const double merit = is_by_gain && m > 0 ? joined - sums_[i] * sums_[i] / weights_[i] : weights_[i];
    if (i == 0 || merit > best) {
      best = merit;
      best_child = i;
    }
  }
  return best_child;
}

NumberCriterion::NumberCriterion(const TreeColumns& data, const SplitRules&) : data_(data) {
  const std::size_t n = data.n_rows;
  numbers_.resize(n), sums_.resize(n + 1);
  groups_.left.resize(n + 1), groups_.rows.resize(n + 1), groups_.code.resize(n + 1);
  cells_.resize(kCellsPerRow * n + 1);
  for (auto* items : {&narrow_items_.values, &narrow_items_.scratch}) items->resize(n + 1);
  for (auto* items : {&wide_items_.values, &wide_items_.scratch}) items->resize(n + 1);
}

bool NumberCriterion::add_root(const TreeColumns& data, Tree& tree) {
  std::vector<std::uint32_t> rows(data.n_rows);
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = static_cast<std::uint32_t>(k);
  return add_number_node(data, rows.data(), rows.size(), tree);
}

bool NumberCriterion::add_node(const Tally&, std::size_t, const NodeRows& node, Tree& tree) const {
  return add_number_node(data_, node.rows, node.n, tree);
}

void NumberCriterion::count_again(const TreeColumns& data, const NodeRows& node, Tree& tree) {
  const Spread spread = spread_of(data, node.rows, node.n);
  tree.size_of[node.node] = spread.weight;
  tree.values[static_cast<std::size_t>(tree.value_of[node.node])] = spread.mean;
  tree.variance_of[node.node] = spread.variance;
}

NodeNull NumberCriterion::enter(const NodeRows& node, const Tree& tree) {
  mean_ = tree.values[static_cast<std::size_t>(tree.value_of[node.node])];
  variance_ = tree.variance_of[node.node];
  const double scale = 1 / std::sqrt(variance_);
  const auto add_powers = [&](auto weight_of) {
    double sums[5] = {};
    for (std::size_t k = 0; k < node.n; ++k) {
      const std::uint32_t row = node.rows[k];
      const double z = (data_.numbers[row] - mean_) * scale, w = weight_of(row), square = z * z;
      numbers_[k] = z;
      sums[0] += w;
      sums[1] += w * z;
      sums[2] += w * square;
      sums[3] += w * square * z;
      sums[4] += w * square * square;
    }
    std::copy(sums, sums + 5, powers_);
  };
  if (data_.weights.empty()) {
    add_powers([](std::uint32_t) { return 1.0; });
  } else {
    add_powers([this](std::uint32_t row) { return data_.weights[row]; });
  }
  return NodeNull::of_numbers(powers_[0], 1, powers_[4] / powers_[0]);
}

NodeNull NumberCriterion::null_of_present() const {
  double sums[5];
  for (std::size_t power = 0; power < 5; ++power) sums[power] = powers_[power] - missing_[power];
  const double n = sums[0], a = sums[1] / n, b = sums[2] / n, c = sums[3] / n, d = sums[4] / n;
  const double variance = b - a * a, fourth = d - 4 * a * c + 6 * a * a * b - 3 * a * a * a * a;
  constexpr double kRounding = 1e-12;
  if (!(variance > kRounding)) return NodeNull::of_numbers(n, 0, 0);
  return NodeNull::of_numbers(n, variance, std::max(fourth, variance * variance));
}

const NodeGroups& NumberCriterion::group(const TreeColumn& column, const NodeRows& node) {
  groups_.count = 0;
  groups_.n_rows = node.n;
  sum_ = powers_[1];
  std::fill(missing_, missing_ + 5, 0.0);
  group_keys(data_.keys_of(column), column, node);
  return groups_;
}

void NumberCriterion::group_keys(const std::uint32_t* keys, const TreeColumn& column, const NodeRows& node) {
  if (column.n_codes <= kCellsPerRow * node.n) return add_table(keys, column, node);
  const unsigned place_bits = bits_of(static_cast<std::uint32_t>(node.n));
  if (bits_of(column.n_codes) + place_bits < 32) {
    sort_items(keys, column, node, place_bits, narrow_items_);
  } else {
    sort_items(keys, column, node, 32, wide_items_);
  }
}

void NumberCriterion::leave_out(std::size_t place, double weight) {
  const double z = numbers_[place];
  double term = weight;
  for (double& sum : missing_) sum += term, term *= z;
  sum_ -= weight * z;
  --groups_.n_rows;
}

void NumberCriterion::add_table(const std::uint32_t* keys, const TreeColumn& column, const NodeRows& node) {
  std::fill(cells_.begin(), cells_.begin() + column.n_codes, Cell{0, 0, 0});
  for (std::size_t k = 0; k < node.n; ++k) {
    const std::uint32_t row = node.rows[k], code = keys[row];
    const double w = weight(row);
    if (code >= column.n_codes) {
      leave_out(k, w);
      continue;
    }
    Cell& cell = cells_[code];
    cell.weight += w;
    cell.sum += w * numbers_[k];
    ++cell.rows;
  }
  double left = 0, sum = 0;
  std::size_t rows = 0, count = 0;
  for (std::uint32_t code = 0; code < column.n_codes; ++code) {
    const Cell& cell = cells_[code];
    groups_.code[count] = code;
    groups_.left[count] = left += cell.weight;
    groups_.rows[count] = static_cast<double>(rows += cell.rows);
    sums_[count] = sum += cell.sum;
    count += cell.rows > 0;
  }
  groups_.count = count;
}

// Items are code << place_bits | place in the node.
template <class Item>
void NumberCriterion::sort_items(const std::uint32_t* keys, const TreeColumn& column, const NodeRows& node,
                                 unsigned place_bits, Items<Item>& items) {
  Item* sorted = items.values.data();
  const auto item_of = [=](std::uint32_t code, std::size_t place) {
    return static_cast<Item>(static_cast<Item>(code) << place_bits | place);
  };
  std::size_t n = 0;
  if (!column.has_missing) {
    for (; n < node.n; ++n) sorted[n] = item_of(keys[node.rows[n]], n);
  } else {
    for (std::size_t k = 0; k < node.n; ++k) {
      const std::uint32_t code = keys[node.rows[k]];
      sorted[n] = item_of(code, k);
      n += code < column.n_codes;
      if (code >= column.n_codes) leave_out(k, weight(node.rows[k]));
    }
  }
  sort_by_bits(sorted, items.scratch.data(), n, place_bits, place_bits + bits_of(column.n_codes));
  sorted[n] = static_cast<Item>(~Item{0});
  const Item mask = (Item{1} << place_bits) - 1;
  double left = 0, sum = 0;
  std::size_t count = 0;
  const auto take_rows = [&](auto has_weights) {
    for (std::size_t k = 0; k < n; ++k) {
      const Item item = sorted[k];
      const std::size_t place = item & mask;
      const double w = has_weights ? data_.weights[node.rows[place]] : 1;
      left += w;
      sum += w * numbers_[place];
      groups_.code[count] = static_cast<std::uint32_t>(item >> place_bits);
      groups_.left[count] = has_weights ? left : static_cast<double>(k + 1);
      if (has_weights) groups_.rows[count] = static_cast<double>(k + 1);
      sums_[count] = sum;
      count += (item ^ sorted[k + 1]) > mask;
    }
  };
  data_.weights.empty() ? take_rows(std::false_type{}) : take_rows(std::true_type{});
  groups_.count = count;
}

void NumberCriterion::cut_gains(double n, std::size_t first, std::size_t last, double* gains,
                                double* reciprocals) const {
  const CutGains cuts{n, sum_, 1 / (n * n)};
  cuts.at(groups_.left.data(), sums_.data(), first, last, gains, reciprocals);
}

double NumberCriterion::multiway_gain(double n) const {
  double children = 0, left = 0, sum = 0;
  for (std::size_t g = 0; g < groups_.count; ++g) {
    const double size = groups_.left[g] - left, own = sums_[g] - sum;
    children += own * own / size;
    left = groups_.left[g];
    sum = sums_[g];
  }
  return (children - sum_ * sum_ / n) / n;
}

double NumberCriterion::missing_gain() const {
  const double n = powers_[0], missing = missing_[0], excess = missing_[1] * n - missing * powers_[1];
  return excess * excess / (n * n * missing * (n - missing));
}

}  // namespace bychance::forest
