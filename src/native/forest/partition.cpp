// A stable partition of row numbers by the child that each row goes to.
#include "forest/partition.hpp"

#include <algorithm>

#include "forest/class_tally.hpp"
#include "forest/number_criterion.hpp"

namespace bychance {

template <class Tally>
Partition<Tally>::Partition(const TreeColumns& data, bool is_missing_best)
    : data_(data),
      is_missing_best_(is_missing_best),
      tally_(data),
      child_of_row_(data.n_rows),
      scratch_(data.n_rows) {
  std::uint32_t most = 0;
  for (const TreeColumn& column : data.columns) {
    if (column.kind == SplitKind::multiway) most = std::max(most, column.n_codes);
  }
  child_of_code_.resize(most), is_listed_.assign(most, 0);
}

template <class Tally>
const PartedRows& Partition<Tally>::by_cut(const TreeColumn& column, std::uint32_t last_left,
                                           std::uint32_t* rows, std::size_t n) {
  const std::uint32_t first_right = (last_left + 1) << data_.label_bits;
  const auto part_keys = [&](const auto* keys) {
    if (!column.has_missing && data_.weights.empty()) {
      whole_in_two(keys, first_right, rows, n);
    } else {
      out_.codes.assign(2, 0);
      part(keys, column, rows, n,
           [first_right](std::uint32_t key) { return std::uint32_t{key >= first_right}; });
    }
  };
  if (column.is_wide) {
    part_keys(data_.wide.data() + column.start);
  } else {
    part_keys(data_.narrow.data() + column.start);
  }
  return out_;
}

// Every row has the value and weighs one: a single pass.
template <class Tally>
template <class Key>
void Partition<Tally>::whole_in_two(const Key* keys, std::uint32_t first_right, std::uint32_t* rows,
                                    std::size_t n) {
  std::size_t n_left = 0, n_right = 0;
  tally_.add_in_two([&](auto add) {
    for (std::size_t k = 0; k < n; ++k) {
      const std::uint32_t row = rows[k], key = keys[row];
      const bool goes_right = key >= first_right;
      rows[n_left] = row;
      scratch_[n_right] = row;
      n_left += !goes_right;
      n_right += goes_right;
      add(goes_right, key);
    }
  });
  std::copy(scratch_.begin(), scratch_.begin() + static_cast<std::ptrdiff_t>(n_right), rows + n_left);
  out_.starts.resize(3);
  out_.starts[0] = 0, out_.starts[1] = n_left, out_.starts[2] = n;
  out_.missing_child = n_right > n_left;
}

template <class Tally>
const PartedRows& Partition<Tally>::by_category(const TreeColumn& column, std::uint32_t* rows,
                                                std::size_t n) {
  const auto child_of = [this](std::uint32_t key) { return child_of_code_[key >> data_.label_bits]; };
  if (column.is_wide) {
    list_codes(data_.wide.data() + column.start, column, rows, n);
    part(data_.wide.data() + column.start, column, rows, n, child_of);
  } else {
    list_codes(data_.narrow.data() + column.start, column, rows, n);
    part(data_.narrow.data() + column.start, column, rows, n, child_of);
  }
  return out_;
}

template <class Tally>
template <class Key>
void Partition<Tally>::list_codes(const Key* keys, const TreeColumn& column, const std::uint32_t* rows,
                                  std::size_t n) {
  out_.codes.clear();
  for (std::size_t k = 0; k < n; ++k) {
    const std::uint32_t code = static_cast<std::uint32_t>(keys[rows[k]]) >> data_.label_bits;
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

template <class Tally>
template <class Key, class ChildOf>
void Partition<Tally>::part(const Key* keys, const TreeColumn& column, std::uint32_t* rows, std::size_t n,
                            ChildOf child_of) {
  const std::size_t r = out_.codes.size();
  const std::uint32_t first_missing = column.n_codes << data_.label_bits,
                      missing = static_cast<std::uint32_t>(r);
  tally_.start(r);
  places_.assign(r + 1, 0);
  for (std::size_t k = 0; k < n; ++k) {
    const std::uint32_t key = keys[rows[k]];
    const std::uint32_t child = key < first_missing ? child_of(key) : missing;
    tally_.add(child, rows[k], key, data_.weights.empty() ? 1 : data_.weights[rows[k]]);
    child_of_row_[k] = child;
    ++places_[child];
  }
  out_.missing_child = tally_.child_for_missing(is_missing_best_);
  tally_.join_missing(out_.missing_child);
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

template class Partition<ClassTally>;
template class Partition<NumberTally>;

}  // namespace bychance
