// A stable partition of row numbers by the child that each row goes to.
#include "forest/partition.hpp"

#include <algorithm>

namespace bychance {

Partition::Partition(const TreeColumns& data, bool is_missing_best)
    : data_(data),
      is_missing_best_(is_missing_best),
      child_of_row_(data.n_rows),
      scratch_(data.n_rows),
      missing_(data.n_classes) {
  std::uint32_t most = 0;
  for (const TreeColumn& column : data.columns) {
    if (column.kind == SplitKind::multiway) most = std::max(most, column.n_codes);
  }
  child_of_code_.resize(most), is_listed_.assign(most, 0);
}

const PartedRows& Partition::by_cut(const TreeColumn& column, std::uint32_t last_left, std::uint32_t* rows,
                                    std::size_t n) {
  const std::uint32_t first_right = (last_left + 1) << data_.class_bits;
  in_two(column, rows, n, [first_right](std::uint32_t key) { return key >= first_right; });
  return out_;
}

const PartedRows& Partition::by_single(const TreeColumn& column, std::uint32_t code, std::uint32_t* rows,
                                       std::size_t n) {
  const unsigned bits = data_.class_bits;
  in_two(column, rows, n, [code, bits](std::uint32_t key) { return key >> bits != code; });
  return out_;
}

template <class IsRight>
void Partition::in_two(const TreeColumn& column, std::uint32_t* rows, std::size_t n, IsRight is_right) {
  out_.codes.assign(2, 0);
  const auto part_keys = [&](const auto* keys) {
    if (!column.has_missing && data_.weights.empty()) {
      whole_in_two(keys, rows, n, is_right);
    } else {
      part(keys, column, rows, n, [is_right](std::uint32_t key) -> std::uint32_t { return is_right(key); });
    }
  };
  if (column.is_wide) {
    part_keys(data_.wide.data() + column.start);
  } else {
    part_keys(data_.narrow.data() + column.start);
  }
}

// Every row has the value and weighs one: a single pass.
template <class Key, class IsRight>
void Partition::whole_in_two(const Key* keys, std::uint32_t* rows, std::size_t n, IsRight is_right) {
  const std::size_t c = data_.n_classes;
  const std::uint32_t mask = data_.class_mask();
  cells_.assign(2 * c, 0);
  std::size_t n_left = 0, n_right = 0, right_ones = 0, ones = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const std::uint32_t row = rows[k], key = keys[row];
    const bool goes_right = is_right(key);
    rows[n_left] = row;
    scratch_[n_right] = row;
    n_left += !goes_right;
    n_right += goes_right;
    if (c == 2) {
      ones += key & 1;
      right_ones += key & goes_right;
    } else {
      ++cells_[goes_right * c + (key & mask)];
    }
  }
  if (c == 2) {
    cells_ = {n_left - (ones - right_ones), ones - right_ones, n_right - right_ones, right_ones};
  }
  std::copy(scratch_.begin(), scratch_.begin() + static_cast<std::ptrdiff_t>(n_right), rows + n_left);
  out_.totals.assign(cells_.begin(), cells_.end());
  out_.starts = {0, n_left, n};
  out_.missing_child = n_right > n_left;
}

const PartedRows& Partition::by_category(const TreeColumn& column, std::uint32_t* rows, std::size_t n) {
  const auto child_of = [this](std::uint32_t key) { return child_of_code_[key >> data_.class_bits]; };
  if (column.is_wide) {
    list_codes(data_.wide.data() + column.start, column, rows, n);
    part(data_.wide.data() + column.start, column, rows, n, child_of);
  } else {
    list_codes(data_.narrow.data() + column.start, column, rows, n);
    part(data_.narrow.data() + column.start, column, rows, n, child_of);
  }
  return out_;
}

template <class Key>
void Partition::list_codes(const Key* keys, const TreeColumn& column, const std::uint32_t* rows,
                           std::size_t n) {
  out_.codes.clear();
  for (std::size_t k = 0; k < n; ++k) {
    const std::uint32_t code = static_cast<std::uint32_t>(keys[rows[k]]) >> data_.class_bits;
    if (code == column.n_codes || is_listed_[code]) continue;
    is_listed_[code] = 1;
    out_.codes.push_back(static_cast<std::int32_t>(code));
  }
  std::sort(out_.codes.begin(), out_.codes.end());
  for (std::size_t i = 0; i < out_.codes.size(); ++i) {
    const auto code = static_cast<std::size_t>(out_.codes[i]);
    child_of_code_[code] = static_cast<std::uint32_t>(i);
    is_listed_[code] = 0;
  }
}

template <class Key, class ChildOf>
void Partition::part(const Key* keys, const TreeColumn& column, std::uint32_t* rows, std::size_t n,
                     ChildOf child_of) {
  const std::size_t r = out_.codes.size(), c = data_.n_classes;
  const std::uint32_t first_missing = column.n_codes << data_.class_bits,
                      missing = static_cast<std::uint32_t>(r);
  out_.totals.assign(r * c, 0.0);
  places_.assign(r + 1, 0);
  std::fill(missing_.begin(), missing_.end(), 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    const std::uint32_t key = keys[rows[k]], y = key & data_.class_mask();
    const std::uint32_t child = key < first_missing ? child_of(key) : missing;
    const double weight = data_.weights.empty() ? 1 : data_.weights[rows[k]];
    (child == missing ? missing_[y] : out_.totals[child * c + y]) += weight;
    child_of_row_[k] = child;
    ++places_[child];
  }
  out_.missing_child = child_for_missing(r);
  for (std::size_t j = 0; j < c; ++j) out_.totals[out_.missing_child * c + j] += missing_[j];
  places_[out_.missing_child] += places_[r];
  out_.starts.assign(1, 0);
  for (std::size_t i = 0; i < r; ++i) {
    out_.starts.push_back(out_.starts.back() + places_[i]);
    places_[i] = out_.starts[i];
  }
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t child = child_of_row_[k] == missing ? out_.missing_child : child_of_row_[k];
    scratch_[places_[child]++] = rows[k];
  }
  std::copy(scratch_.begin(), scratch_.begin() + static_cast<std::ptrdiff_t>(n), rows);
}

// Joining m missing rows to a child changes the sum over children of (class weight)^2/size by
// (S + 2X + M)/(size + m) - S/size, X the product of the class weights, S and M their squares.
std::size_t Partition::child_for_missing(std::size_t n_children) const {
  const std::size_t c = data_.n_classes;
  std::size_t best_child = 0;
  double best = 0, m = 0;
  for (const double weight : missing_) m += weight;
  const bool is_by_gain = is_missing_best_ && m > 0;
  for (std::size_t i = 0; i < n_children; ++i) {
    double size = 0, squares = 0, joined = 0;
    for (std::size_t j = 0; j < c; ++j) {
      const double weight = out_.totals[i * c + j];
      size += weight;
      squares += weight * weight;
      joined += (weight + missing_[j]) * (weight + missing_[j]);
    }
    const double merit = is_by_gain ? joined / (size + m) - squares / size : size;
    if (i == 0 || merit > best) {
      best = merit;
      best_child = i;
    }
  }
  return best_child;
}

}  // namespace bychance
