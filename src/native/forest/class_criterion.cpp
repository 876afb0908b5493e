// Rows are counted in a table by code if codes are few, and sorted otherwise.
#include <algorithm>
#include <cmath>

#include "forest/criterion.hpp"
#include "forest/sort.hpp"

namespace bychance::forest {
namespace {

// Adds a node: a pure one as its class, others with a row of class totals.
bool add_class_node(const double* totals, std::size_t n_classes, Tree& tree) {
  double size = 0;
  std::size_t n_present = 0, last = 0;
  for (std::size_t j = 0; j < n_classes; ++j) {
    size += totals[j];
    if (totals[j] > 0) ++n_present, last = j;
  }
  tree.split_of.push_back(-1);
  tree.size_of.push_back(size);
  if (n_present == 1) {
    tree.value_of.push_back(~static_cast<std::int32_t>(last));
    return false;
  }
  tree.value_of.push_back(static_cast<std::int32_t>(tree.values.size() / n_classes));
  tree.values.insert(tree.values.end(), totals, totals + n_classes);
  return true;
}

}  // namespace

void ClassTally::start(std::size_t n_children) {
  n_children_ = n_children;
  totals_.assign((n_children + 1) * n_classes_, 0.0);
}

// Joining m missing rows to a child changes the sum over children of (class weight)^2/size by
// (S + 2X + M)/(size + m) - S/size, X the product of the class weights, S and M their squares.
std::size_t ClassTally::child_for_missing(bool is_by_gain) const {
  const double* missing = of_child(n_children_);
  std::size_t best_child = 0;
  double best = 0, m = 0;
  for (std::size_t j = 0; j < n_classes_; ++j) m += missing[j];
  is_by_gain = is_by_gain && m > 0;
  for (std::size_t i = 0; i < n_children_; ++i) {
    double size = 0, squares = 0, joined = 0;
    for (std::size_t j = 0; j < n_classes_; ++j) {
      const double weight = totals_[i * n_classes_ + j];
      size += weight;
      squares += weight * weight;
      joined += (weight + missing[j]) * (weight + missing[j]);
    }
    const double merit = is_by_gain ? joined / (size + m) - squares / size : size;
    if (i == 0 || merit > best) {
      best = merit;
      best_child = i;
    }
  }
  return best_child;
}

void ClassTally::join_missing(std::size_t child) {
  const double* missing = of_child(n_children_);
  for (std::size_t j = 0; j < n_classes_; ++j) totals_[child * n_classes_ + j] += missing[j];
}

ClassCriterion::ClassCriterion(const TreeColumns& data, const SplitRules& rules)
    : data_(data),
      null_(rules.null),
      sum_(rules.class_sum),
      is_of_two_(data.n_classes == 2 && rules.class_sum == ClassSum::squares),
      node_totals_(data.n_classes),
      totals_(data.n_classes) {
  const std::size_t n = data.n_rows;
  groups_.left.resize(n + 1), ones_.resize(n + 1);
  if (!is_of_two_ || !data.weights.empty()) {
    for (auto* column : {&groups_.rows, &left_sum_, &right_sum_, &own_sum_}) column->resize(n + 1);
  }
  groups_.code.resize(n + 1);
  keys_.resize(n + 1), keys_scratch_.resize(n + 1);
  table_.resize(kCellsPerRow * n + (std::size_t{1} << data.label_bits) + kByteCells);
  moved_.resize(data.n_classes), own_.resize(data.n_classes);
  if (!data.weights.empty()) items_.resize(n + 1), items_scratch_.resize(n + 1);
  if (sum_ == ClassSum::xlogx && data.weights.empty()) {
    xlogx_.resize(n + 1);
    for (std::size_t k = 1; k <= n; ++k) xlogx_[k] = static_cast<double>(k) * std::log(k);
  }
}

bool ClassCriterion::add_root(const TreeColumns& data, Tree& tree) {
  std::vector<double> totals(data.n_classes, 0.0);
  for (std::size_t k = 0; k < data.n_rows; ++k) {
    totals[data.classes[k]] += data.weight(k);
  }
  return add_class_node(totals.data(), data.n_classes, tree);
}

bool ClassCriterion::add_node(const Tally& tally, std::size_t child, const NodeRows&, Tree& tree) const {
  return add_class_node(tally.of_child(child), data_.n_classes, tree);
}

void ClassCriterion::count_again(const TreeColumns& data, const NodeRows& node, Tree& tree) {
  std::vector<double> totals(data.n_classes, 0.0);
  for (std::size_t k = 0; k < node.n; ++k) totals[data.classes[node.rows[k]]] += data.weights[node.rows[k]];
  double size = 0;
  for (const double total : totals) size += total;
  tree.size_of[node.node] = size;
  const std::int32_t value = tree.value_of[node.node];  // negative: of a pure node
  if (value >= 0) std::copy(totals.begin(), totals.end(), tree.values.begin() + value * tree.n_classes);
}

NodeNull ClassCriterion::enter(const NodeRows& node, const Tree& tree) {
  const double* totals =
      tree.values.data() + static_cast<std::size_t>(tree.value_of[node.node]) * data_.n_classes;
  std::copy(totals, totals + data_.n_classes, node_totals_.begin());
  return NodeNull::of_classes(node_totals_.data(), data_.n_classes, null_);
}

NodeNull ClassCriterion::null_of_present() const {
  return NodeNull::of_classes(totals_.data(), data_.n_classes, null_);
}

// The term of a child in the sum that the gain increases with.
double ClassCriterion::child_term(double class_sum, double size) const {
  return sum_ == ClassSum::xlogx ? class_sum - sum_term(size) : class_sum / size;
}

// The term of the whole node: for the Gini gain the sum of squared class shares.
double ClassCriterion::node_term(double n) const {
  double sum = sum_ == ClassSum::xlogx ? -sum_term(n) : 0;
  for (const double total : totals_) sum += sum_term(total);
  return sum_ == ClassSum::xlogx ? sum : sum / (n * n);
}

double ClassCriterion::gain_of(double children, double node_term, double n) const {
  return sum_ == ClassSum::xlogx ? (children - node_term) / n : children / n - node_term;
}

void ClassCriterion::cut_gains(double n, std::size_t first, std::size_t last, double* gains,
                               double* reciprocals) const {
  const double* left = groups_.left.data();
  if (is_of_two_) {
    const CutGains cuts{n, totals_[1], 2 / (n * n)};
    return cuts.at(left, ones_.data(), first, last, gains, reciprocals);
  }
  const double node = node_term(n);
  for (std::size_t g = first; g < last; ++g) {
    gains[g] = gain_of(child_term(left_sum_[g], left[g]) + child_term(right_sum_[g], n - left[g]), node, n);
    reciprocals[g] = 1 / (left[g] * (n - left[g]));
  }
}

double ClassCriterion::multiway_gain(double n) const {
  double children = 0, left = 0, ones = 0;
  for (std::size_t g = 0; g < groups_.count; ++g) {
    const double size = groups_.left[g] - left;
    if (is_of_two_) {
      const double second = ones_[g] - ones, other = size - second;
      children += (second * second + other * other) / size;
    } else {
      children += child_term(own_sum_[g], size);
    }
    left = groups_.left[g];
    ones = ones_[g];
  }
  return gain_of(children, node_term(n), n);
}

double ClassCriterion::missing_gain() const {
  double n = 0, missing = 0, squares = 0, present_squares = 0, missing_squares = 0;
  for (std::size_t y = 0; y < totals_.size(); ++y) {
    const double own = node_totals_[y] - totals_[y];
    n += node_totals_[y], missing += own;
    squares += node_totals_[y] * node_totals_[y];
    present_squares += totals_[y] * totals_[y], missing_squares += own * own;
  }
  return (present_squares / (n - missing) + missing_squares / missing - squares / n) / n;
}

double ClassCriterion::sum_term(double x) const {
  if (sum_ == ClassSum::squares) return x * x;
  if (!xlogx_.empty()) return xlogx_[static_cast<std::size_t>(x)];
  return x > 0 ? x * std::log(x) : 0;
}

const NodeGroups& ClassCriterion::group(const TreeColumn& column, const NodeRows& node) {
  groups_.count = 0;
  groups_.n_rows = node.n;
  totals_ = node_totals_;
  group_keys(data_.keys_of(column), column, node);
  return groups_;
}

void ClassCriterion::group_keys(const std::uint32_t* keys, const TreeColumn& column, const NodeRows& node) {
  const unsigned last_bit = bits_of(column.n_codes << data_.label_bits);
  if (!data_.weights.empty()) {
    gather_items(keys, column, node);
    sort_by_bits(items_.data(), items_scratch_.data(), groups_.n_rows, 32 + data_.label_bits, 32 + last_bit);
    take_sorted([this](std::size_t k) { return static_cast<std::uint32_t>(items_[k] >> 32); },
                [this](std::size_t k) { return data_.weights[items_[k] & 0xFFFFFFFFu]; });
  } else if ((static_cast<std::size_t>(column.n_codes) << data_.label_bits) <= kCellsPerRow * node.n) {
    count_keys(keys, column, node);
    is_of_two_ ? take_table_of_two(column) : take_table(column);
  } else {
    gather_keys(keys, column, node);
    sort_by_bits(keys_.data(), keys_scratch_.data(), groups_.n_rows, data_.label_bits, last_bit);
    if (is_of_two_) return take_keys_of_two();
    take_sorted([this](std::size_t k) { return keys_[k]; }, [](std::size_t) { return 1.0; });
  }
}

void ClassCriterion::leave_out(std::uint32_t y, double weight) { totals_[y] -= weight; }

void ClassCriterion::count_keys(const std::uint32_t* keys, const TreeColumn& column, const NodeRows& node) {
  const std::size_t first_missing = static_cast<std::size_t>(column.n_codes) << data_.label_bits;
  const std::size_t n_cells =
      first_missing + (column.has_missing ? std::size_t{1} << data_.label_bits : std::size_t{0});
  std::fill(table_.begin(), table_.begin() + static_cast<std::ptrdiff_t>(n_cells), 0);
  count_cells(node.n, n_cells, table_.data(), [&](std::size_t k) { return keys[node.rows[k]]; });
  if (!column.has_missing) return;
  for (std::uint32_t y = 0; y < data_.n_classes; ++y) {
    const std::int32_t missing = table_[first_missing + y];
    if (missing == 0) continue;
    leave_out(y, missing);
    groups_.n_rows -= static_cast<std::size_t>(missing);
  }
}

void ClassCriterion::gather_keys(const std::uint32_t* keys, const TreeColumn& column, const NodeRows& node) {
  if (!column.has_missing) {
    for (std::size_t k = 0; k < node.n; ++k) keys_[k] = keys[node.rows[k]];
    return;
  }
  const std::uint32_t first_missing = column.n_codes << data_.label_bits;
  std::size_t n = 0;
  for (std::size_t k = 0; k < node.n; ++k) {
    const std::uint32_t key = keys[node.rows[k]];
    keys_[n] = key;
    n += key < first_missing;
    if (key >= first_missing) leave_out(key - first_missing, 1);
  }
  groups_.n_rows = n;
}

void ClassCriterion::gather_items(const std::uint32_t* keys, const TreeColumn& column, const NodeRows& node) {
  const std::uint32_t first_missing = column.n_codes << data_.label_bits;
  std::size_t n = 0;
  for (std::size_t k = 0; k < node.n; ++k) {
    const std::uint32_t row = node.rows[k], key = keys[row];
    if (key >= first_missing) {
      leave_out(key - first_missing, data_.weights[row]);
    } else {
      items_[n++] = static_cast<std::uint64_t>(key) << 32 | row;
    }
  }
  groups_.n_rows = n;
}

void ClassCriterion::take_table_of_two(const TreeColumn& column) {
  std::size_t count = 0;
  std::int32_t left = 0, ones = 0;
  for (std::uint32_t code = 0; code < column.n_codes; ++code) {
    const std::int32_t second = table_[2 * code + 1], size = table_[2 * code] + second;
    left += size;
    ones += second;
    groups_.code[count] = code;
    groups_.left[count] = left;
    ones_[count] = ones;
    count += size > 0;
  }
  groups_.count = count;
}

void ClassCriterion::take_keys_of_two() {
  const std::size_t n = groups_.n_rows;
  std::size_t count = 0;
  std::int32_t ones = 0;
  keys_[n] = ~std::uint32_t{0};
  for (std::size_t k = 0; k < n; ++k) {
    const std::uint32_t key = keys_[k];
    ones += static_cast<std::int32_t>(key & 1);
    groups_.code[count] = key >> 1;
    groups_.left[count] = static_cast<double>(k + 1);
    ones_[count] = ones;
    count += (key ^ keys_[k + 1]) > 1;
  }
  groups_.count = count;
}

void ClassCriterion::start() {
  left_ = left_now_ = right_now_ = own_now_ = 0;
  std::fill(moved_.begin(), moved_.end(), 0.0);
  std::fill(own_.begin(), own_.end(), 0.0);
  for (const double total : totals_) right_now_ += sum_term(total);
}

void ClassCriterion::move_left(std::uint32_t y, double weight) {
  const double before = moved_[y], after = before + weight, own = own_[y];
  left_now_ += sum_term(after) - sum_term(before);
  right_now_ += sum_term(totals_[y] - after) - sum_term(totals_[y] - before);
  own_now_ += sum_term(own + weight) - sum_term(own);
  moved_[y] = after;
  own_[y] = own + weight;
  left_ += weight;
}

void ClassCriterion::end_group(std::uint32_t code, double rows) {
  const std::size_t g = groups_.count++;
  groups_.code[g] = code;
  groups_.left[g] = left_;
  groups_.rows[g] = rows;
  ones_[g] = moved_[1];
  left_sum_[g] = left_now_;
  right_sum_[g] = right_now_;
  own_sum_[g] = own_now_;
  own_now_ = 0;
  std::fill(own_.begin(), own_.end(), 0.0);
}

void ClassCriterion::take_table(const TreeColumn& column) {
  start();
  for (std::uint32_t code = 0; code < column.n_codes; ++code) {
    const std::int32_t* cells = table_.data() + (static_cast<std::size_t>(code) << data_.label_bits);
    const double before = left_;
    for (std::uint32_t y = 0; y < data_.n_classes; ++y) {
      if (cells[y] > 0) move_left(y, cells[y]);
    }
    if (left_ > before) end_group(code, left_);
  }
}

// Sorted rows: the key of row k, and its weight.
template <class KeyOf, class WeightOf>
void ClassCriterion::take_sorted(KeyOf key_of, WeightOf weight_of) {
  start();
  const std::size_t n = groups_.n_rows;
  for (std::size_t k = 0; k < n; ++k) {
    const std::uint32_t key = key_of(k), code = key >> data_.label_bits;
    move_left(key & data_.label_mask(), weight_of(k));
    if (k + 1 == n || key_of(k + 1) >> data_.label_bits != code) end_group(code, static_cast<double>(k + 1));
  }
}

}  // namespace bychance::forest
