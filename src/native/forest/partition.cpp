// A stable partition of row numbers by the child that each row goes to.
#include "forest/partition.hpp"

#include <algorithm>

#include "forest/criterion.hpp"

namespace bychance::forest {

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
const PartedRows& Partition<Tally>::part(const TreeColumn& column, std::uint32_t last_left,
                                         std::uint32_t* rows, std::size_t n) {
  std::size_t n_children = 2;
  if (column.kind == SplitKind::multiway) {
    list_codes(column, rows, n);
    n_children = out_.codes.size();
    tally_children(column, rows, n, n_children, [this](std::uint32_t code) { return child_of_code_[code]; });
  } else if (!column.has_missing && data_.weights.empty()) {  // a single pass
    const std::uint32_t *keys = data_.keys_of(column), first_right = (last_left + 1) << data_.label_bits;
    tally_.add_in_two([&](auto add) {
      const auto child_of = [&](std::size_t k) {
        const std::uint32_t key = keys[rows[k]];
        add(key >= first_right, key);
        return key >= first_right;
      };
      part_rows(rows, scratch_.data(), n, 2, child_of, out_.starts);
    });
    out_.missing_child = n - out_.starts[1] > out_.starts[1];
    return out_;
  } else {
    tally_children(column, rows, n, n_children,
                   [last_left](std::uint32_t code) { return std::uint32_t{code > last_left}; });
  }
  const std::size_t missing_child = out_.missing_child = tally_.child_for_missing(is_missing_best_);
  tally_.join_missing(missing_child);
  const auto child_of = [&](std::size_t k) {
    return child_of_row_[k] == n_children ? missing_child : child_of_row_[k];
  };
  part_rows(rows, scratch_.data(), n, n_children, child_of, out_.starts);
  return out_;
}

template <class Tally>
void Partition<Tally>::list_codes(const TreeColumn& column, const std::uint32_t* rows, std::size_t n) {
  const std::uint32_t* keys = data_.keys_of(column);
  out_.codes.clear();
  for (std::size_t k = 0; k < n; ++k) {
    const std::uint32_t code = keys[rows[k]] >> data_.label_bits;
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

// Adds the rows of each child to the tally, and those without a value as child n_children.
template <class Tally>
template <class ChildOf>
void Partition<Tally>::tally_children(const TreeColumn& column, const std::uint32_t* rows, std::size_t n,
                                      std::size_t n_children, ChildOf child_of) {
  const std::uint32_t* keys = data_.keys_of(column);
  tally_.start(n_children);
  for (std::size_t k = 0; k < n; ++k) {
    const std::uint32_t key = keys[rows[k]], code = key >> data_.label_bits;
    const std::size_t child = code < column.n_codes ? child_of(code) : n_children;
    tally_.add(child, rows[k], key, data_.weight(rows[k]));
    child_of_row_[k] = static_cast<std::uint32_t>(child);
  }
}

template class Partition<ClassTally>;
template class Partition<NumberTally>;

}  // namespace bychance::forest
