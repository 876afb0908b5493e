// Groups are counted by code where codes are few, and sorted where they are many.
#include "forest/groups.hpp"

#include <cmath>

#include "forest/count.hpp"
#include "forest/sort.hpp"

namespace bychance {
namespace {

// A table of cells is counted where it has at most this many a row; otherwise keys are sorted.
constexpr std::size_t kCellsPerRow = 2;

unsigned bits_of(std::uint32_t value) {
  unsigned bits = 0;
  while (value >> bits) ++bits;
  return bits;
}

}  // namespace

Grouping::Grouping(const TreeColumns& data, ClassSum sum)
    : data_(data), sum_(sum), is_of_two_(data.n_classes == 2 && sum == ClassSum::squares) {
  const std::size_t n = data.n_rows;
  groups_.totals.resize(data.n_classes);
  for (auto* column : {&groups_.left, &groups_.rows, &groups_.ones, &groups_.left_sum, &groups_.right_sum,
                       &groups_.own_sum, &groups_.other_sum}) {
    column->resize(n + 1);
  }
  groups_.code.resize(n + 1);
  keys_.resize(n + 1), keys_scratch_.resize(n + 1);
  table_.resize(kCellsPerRow * n + (std::size_t{1} << data.class_bits) + kByteCells);
  moved_.resize(data.n_classes), own_.resize(data.n_classes);
  if (!data.weights.empty()) items_.resize(n + 1), items_scratch_.resize(n + 1);
  if (sum == ClassSum::xlogx && data.weights.empty()) {
    xlogx_.resize(n + 1);
    for (std::size_t k = 1; k <= n; ++k) xlogx_[k] = static_cast<double>(k) * std::log(k);
  }
}

double Grouping::sum_term(double x) const {
  if (sum_ == ClassSum::squares) return x * x;
  if (!xlogx_.empty()) return xlogx_[static_cast<std::size_t>(x)];
  return x > 0 ? x * std::log(x) : 0;
}

const NodeGroups& Grouping::group(const TreeColumn& column, const NodeRows& node) {
  groups_.count = 0;
  groups_.n_rows = node.n;
  groups_.is_whole = true;
  std::copy(node.totals, node.totals + data_.n_classes, groups_.totals.begin());
  if (column.is_wide) {
    group_keys(data_.wide.data() + column.start, column, node);
  } else {
    group_keys(data_.narrow.data() + column.start, column, node);
  }
  return groups_;
}

template <class Key>
void Grouping::group_keys(const Key* keys, const TreeColumn& column, const NodeRows& node) {
  const unsigned last_bit = bits_of(column.n_codes << data_.class_bits);
  if (!data_.weights.empty()) {
    gather_items(keys, column, node);
    sort_by_bits(items_.data(), items_scratch_.data(), groups_.n_rows, 32 + data_.class_bits, 32 + last_bit);
    take_items(column);
  } else if ((static_cast<std::size_t>(column.n_codes) << data_.class_bits) <= kCellsPerRow * node.n) {
    count_keys(keys, column, node);
    is_of_two_ ? take_table_of_two(column) : take_table(column);
  } else {
    gather_keys(keys, column, node);
    sort_by_bits(keys_.data(), keys_scratch_.data(), groups_.n_rows, data_.class_bits, last_bit);
    is_of_two_ ? take_keys_of_two() : take_keys(column);
  }
}

void Grouping::leave_out(std::uint32_t y, double weight) {
  groups_.totals[y] -= weight;
  groups_.is_whole = false;
}

template <class Key>
void Grouping::count_keys(const Key* keys, const TreeColumn& column, const NodeRows& node) {
  const std::size_t first_missing = static_cast<std::size_t>(column.n_codes) << data_.class_bits;
  const std::size_t n_cells = first_missing + (std::size_t{1} << data_.class_bits);
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

template <class Key>
void Grouping::gather_keys(const Key* keys, const TreeColumn& column, const NodeRows& node) {
  if (!column.has_missing) {
    for (std::size_t k = 0; k < node.n; ++k) keys_[k] = keys[node.rows[k]];
    return;
  }
  const std::uint32_t first_missing = column.n_codes << data_.class_bits;
  std::size_t n = 0;
  for (std::size_t k = 0; k < node.n; ++k) {
    const std::uint32_t key = keys[node.rows[k]];
    keys_[n] = key;
    n += key < first_missing;
    if (key >= first_missing) leave_out(key - first_missing, 1);
  }
  groups_.n_rows = n;
}

template <class Key>
void Grouping::gather_items(const Key* keys, const TreeColumn& column, const NodeRows& node) {
  const std::uint32_t first_missing = column.n_codes << data_.class_bits;
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

void Grouping::take_table_of_two(const TreeColumn& column) {
  std::size_t count = 0;
  std::int32_t left = 0, ones = 0;
  for (std::uint32_t code = 0; code < column.n_codes; ++code) {
    const std::int32_t second = table_[2 * code + 1], size = table_[2 * code] + second;
    left += size;
    ones += second;
    groups_.code[count] = code;
    groups_.left[count] = left;
    groups_.ones[count] = ones;
    count += size > 0;
  }
  groups_.count = count;
}

void Grouping::take_keys_of_two() {
  const std::size_t n = groups_.n_rows;
  std::size_t count = 0;
  std::int32_t ones = 0;
  keys_[n] = ~std::uint32_t{0};
  for (std::size_t k = 0; k < n; ++k) {
    const std::uint32_t key = keys_[k];
    ones += static_cast<std::int32_t>(key & 1);
    groups_.code[count] = key >> 1;
    groups_.left[count] = static_cast<double>(k + 1);
    groups_.ones[count] = ones;
    count += (key ^ keys_[k + 1]) > 1;
  }
  groups_.count = count;
}

void Grouping::start(const TreeColumn& column) {
  is_single_ = column.kind == SplitKind::single;
  left_ = left_sum_ = right_sum_ = own_sum_ = 0;
  std::fill(moved_.begin(), moved_.end(), 0.0);
  std::fill(own_.begin(), own_.end(), 0.0);
  for (const double total : groups_.totals) right_sum_ += sum_term(total);
}

void Grouping::move_left(std::uint32_t y, double weight) {
  const double before = moved_[y], after = before + weight, own = own_[y];
  left_sum_ += sum_term(after) - sum_term(before);
  right_sum_ += sum_term(groups_.totals[y] - after) - sum_term(groups_.totals[y] - before);
  own_sum_ += sum_term(own + weight) - sum_term(own);
  moved_[y] = after;
  own_[y] = own + weight;
  left_ += weight;
}

void Grouping::end_group(std::uint32_t code, double rows) {
  const std::size_t g = groups_.count++;
  groups_.code[g] = code;
  groups_.left[g] = left_;
  groups_.rows[g] = rows;
  groups_.ones[g] = moved_[1];
  groups_.left_sum[g] = left_sum_;
  groups_.right_sum[g] = right_sum_;
  groups_.own_sum[g] = own_sum_;
  if (is_single_) {
    groups_.other_sum[g] = 0;
    for (std::size_t y = 0; y < own_.size(); ++y) {
      groups_.other_sum[g] += sum_term(groups_.totals[y] - own_[y]);
    }
  }
  own_sum_ = 0;
  std::fill(own_.begin(), own_.end(), 0.0);
}

void Grouping::take_table(const TreeColumn& column) {
  start(column);
  for (std::uint32_t code = 0; code < column.n_codes; ++code) {
    const std::int32_t* cells = table_.data() + (static_cast<std::size_t>(code) << data_.class_bits);
    const double before = left_;
    for (std::uint32_t y = 0; y < data_.n_classes; ++y) {
      if (cells[y] > 0) move_left(y, cells[y]);
    }
    if (left_ > before) end_group(code, left_);
  }
}

void Grouping::take_keys(const TreeColumn& column) {
  start(column);
  const std::size_t n = groups_.n_rows;
  keys_[n] = ~std::uint32_t{0};
  for (std::size_t k = 0; k < n; ++k) {
    const std::uint32_t code = keys_[k] >> data_.class_bits;
    move_left(keys_[k] & data_.class_mask(), 1);
    if (code != keys_[k + 1] >> data_.class_bits) end_group(code, static_cast<double>(k + 1));
  }
}

void Grouping::take_items(const TreeColumn& column) {
  start(column);
  const std::size_t n = groups_.n_rows;
  items_[n] = ~std::uint64_t{0};
  for (std::size_t k = 0; k < n; ++k) {
    const auto key = static_cast<std::uint32_t>(items_[k] >> 32);
    move_left(key & data_.class_mask(), data_.weights[items_[k] & 0xFFFFFFFFu]);
    if (key >> data_.class_bits != items_[k + 1] >> (32 + data_.class_bits)) {
      end_group(key >> data_.class_bits, static_cast<double>(k + 1));
    }
  }
}

}  // namespace bychance
