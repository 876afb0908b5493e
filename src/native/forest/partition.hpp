// Partition of the rows of a node among the children of its split, in place and in their order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "forest/columns.hpp"

namespace bychance::forest {

// Splits n rows by child_of(k), a number below n_parts. `starts` receives the start of each part, and the
// end. `scratch` has room for n rows.
template <class Row, class ChildOf>
void part_rows(Row* rows, Row* scratch, std::size_t n, std::size_t n_parts, ChildOf child_of,
               std::vector<std::size_t>& starts) {
  starts.assign(n_parts + 1, 0);
  starts.back() = n;
  if (n_parts == 2) {
    std::size_t n_left = 0, n_right = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const bool is_right = child_of(k);
      scratch[n_right] = rows[n_left] = rows[k];
      n_left += !is_right, n_right += is_right;
    }
    std::copy(scratch, scratch + n_right, rows + n_left);
    starts[1] = n_left;
    return;
  }
  std::vector<std::size_t> places(n_parts + 1, 0);
  for (std::size_t k = 0; k < n; ++k) ++places[child_of(k) + 1];
  for (std::size_t i = 0; i < n_parts; ++i) starts[i] = places[i + 1] += places[i];
  std::copy(places.begin(), places.end() - 1, starts.begin());
  for (std::size_t k = 0; k < n; ++k) scratch[places[child_of(k)]++] = rows[k];
  std::copy(scratch, scratch + n, rows);
}

// Calls body(child_of) with a function from a training row to its child, kMissing without a value, or kUnseen
// if its category has no child.
template <class Body>
void with_children(const Tree& tree, const FeatureTable& table, const Split& split, Body body) {
  const FeatureColumn& column = table.columns[static_cast<std::size_t>(split.feature)];
  const std::uint32_t *codes = column.codes.data(), missing = column.n_codes;
  if (split.kind == SplitKind::threshold) {
    const std::uint32_t first_right = column.first_above(split.threshold);
    body([=](std::uint32_t row) {
      return codes[row] == missing ? kMissing : std::int32_t{codes[row] >= first_right};
    });
  } else if (split.kind == SplitKind::ordered && split.threshold != kMissingSplit) {
    const std::int32_t* positions =
        tree.positions.data() + tree.order_start[static_cast<std::size_t>(split.feature)];
    const double threshold = split.threshold;
    body([=](std::uint32_t row) {
      return codes[row] == missing ? kMissing : std::int32_t{positions[codes[row]] > threshold};
    });
  } else {
    body([=, &tree, &split](std::uint32_t row) {
      const std::uint32_t code = codes[row];
      return child_of_category(tree, split, code == missing ? kMissing : static_cast<std::int32_t>(code));
    });
  }
}

// How many parts the rows of a split fall into: those whose category has no child are the last of a multiway
// split.
inline std::size_t n_parts(const Split& split) {
  return static_cast<std::size_t>(split.n_children) + (split.kind == SplitKind::multiway);
}

// The part that a row with this child, kMissing or kUnseen belongs to.
inline std::size_t part_of(const Split& split, std::int32_t child) {
  return static_cast<std::size_t>(child == kMissing  ? split.missing_child
                                  : child == kUnseen ? split.n_children
                                                     : child);
}

struct PartedRows {
  std::vector<std::size_t> starts;  // per child, and the end
  std::vector<std::int32_t> codes;  // multiway: the category of each child, ascending
  std::size_t missing_child = 0;
};

// Adds every row to the criterion's Tally.
template <class Tally>
class Partition {
 public:
  // Rows without a value join the heaviest child, or the child where they increase the gain most.
  Partition(const TreeColumns& data, bool is_missing_best);

  // Parts rows at a threshold, codes up to `last_left` to the left, or by category.
  const PartedRows& part(const TreeColumn& column, std::uint32_t last_left, std::uint32_t* rows,
                         std::size_t n);

  const Tally& tally() const { return tally_; }

 private:
  void list_codes(const TreeColumn& column, const std::uint32_t* rows, std::size_t n);
  template <class ChildOf>
  void tally_children(const TreeColumn& column, const std::uint32_t* rows, std::size_t n,
                      std::size_t n_children, ChildOf child_of);

  const TreeColumns& data_;
  const bool is_missing_best_;
  Tally tally_;
  PartedRows out_;
  std::vector<std::uint32_t> child_of_code_;  // by category, valid for listed categories
  std::vector<std::uint8_t> is_listed_;
  std::vector<std::uint32_t> child_of_row_, scratch_;
};

}  // namespace bychance::forest
