// How rows go down a tree, many at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "forest/tree.hpp"

namespace bychance {

constexpr std::int32_t kMissing = -1, kUnseen = -2;

// A training row, its values as numbers (NaN: missing) or categories.
struct TrainingRow {
  const FeatureTable* table;
  std::size_t row;

  double number(std::size_t feature) const {
    const FeatureColumn& column = table->columns[feature];
    const std::uint32_t code = column.codes[row];
    return code == column.n_codes ? std::nan("") : column.values[code];
  }
  float rounded(std::size_t feature) const { return static_cast<float>(number(feature)); }
  std::int32_t category(std::size_t feature) const {
    const FeatureColumn& column = table->columns[feature];
    const std::uint32_t code = column.codes[row];
    return code == column.n_codes ? kMissing : static_cast<std::int32_t>(code);
  }
};

struct TrainingRows {
  const FeatureTable& table;
  TrainingRow at(std::size_t row) const { return {&table, row}; }
};

// The child of a category, or what it is: missing, or without a child.
inline std::int32_t child_by_category(const Tree& tree, const Split& split, std::int32_t category) {
  if (split.threshold == kGap) return category == kMissing ? kMissing : 0;  // any value, seen or not
  if (category < 0) return category;
  if (split.kind == SplitKind::ordered) {
    const auto start = static_cast<std::size_t>(tree.order_start[static_cast<std::size_t>(split.feature)]);
    return tree.positions[start + static_cast<std::size_t>(category)] > split.threshold;
  }
  const std::int32_t* first = tree.categories.data() + split.first_category;
  const std::int32_t* last = first + split.n_children;
  const std::int32_t* found = std::lower_bound(first, last, category);
  return found != last && *found == category ? static_cast<std::int32_t>(found - first) : kUnseen;
}

// The node after a split of categories, or the same: a category without a child stops the row.
template <class Row>
std::size_t next_of(const Tree& tree, const Split& split, const Step& step, std::size_t node,
                    const Row& row) {
  std::int32_t child = child_by_category(tree, split, row.category(step.feature));
  if (child == kUnseen) return node;
  if (child == kMissing) child = split.missing_child;
  return step.first_child + static_cast<std::size_t>(child);
}

inline std::size_t itself(std::size_t row) { return row; }

// Calls visit(k, node) with the node where row_of(k) ends, 0 < n, k < n, in the order of arrival. Some rows
// go down together, in lanes that the next row takes where one has ended: while one waits for its next node,
// the others move. They take two steps before they are asked whether they still move. The way is asked for
// its steps, whether a number that rounds to the threshold's is above it, and the node after a category.
template <bool kHasCategories, class Way, class Rows, class RowOf, class Visit>
void walk(const Way& way, const Rows& rows, std::size_t n, RowOf row_of, Watch& watch, Visit visit) {
  constexpr std::size_t kLanes = 16, kSteps = 2;
  const Step* steps = way.steps();
  std::size_t nodes[kLanes] = {}, before[kLanes] = {}, numbers[kLanes];
  decltype(rows.at(0)) row[kLanes];
  std::size_t n_started = 0, n_ended = 0;
  for (std::size_t i = 0; i < kLanes; ++i) {
    numbers[i] = n_started < n ? n_started++ : n;  // n: the lane is empty, and its row stays at its leaf
    row[i] = rows.at(row_of(std::min(numbers[i], n - 1)));
  }
  while (n_ended < n) {
    watch.done(kLanes * kSteps);
    for (std::size_t k = 0; k < kSteps; ++k) {
      for (std::size_t i = 0; i < kLanes; ++i) {
        before[i] = nodes[i];
        const Step& step = steps[nodes[i]];
        if (kHasCategories && step.is_by_category) {
          nodes[i] = way.next_by_category(nodes[i], row[i]);
          continue;
        }
        const float x = row[i].rounded(step.feature);
        bool is_right = x > step.threshold;
        if (x == step.threshold) is_right = way.is_above(nodes[i], row[i].number(step.feature));
        nodes[i] = step.first_child + (is_right | (std::isnan(x) & step.missing_right));
      }
    }
    for (std::size_t i = 0; i < kLanes; ++i) {
      if (nodes[i] != before[i] || numbers[i] == n) continue;
      visit(numbers[i], nodes[i]);
      ++n_ended;
      numbers[i] = n_started < n ? n_started++ : n;
      if (numbers[i] == n) continue;
      row[i] = rows.at(row_of(numbers[i]));
      nodes[i] = 0;
    }
  }
}

// A tree as it was grown.
struct GrownWay {
  const Tree& tree;

  const Step* steps() const { return tree.steps.data(); }
  const Split& split(std::size_t node) const {
    return tree.splits[static_cast<std::size_t>(tree.split_of[node])];
  }
  bool is_above(std::size_t node, double number) const {
    return tree.split_of[node] >= 0 && number > split(node).threshold;
  }
  template <class Row>
  std::size_t next_by_category(std::size_t node, const Row& row) const {
    return tree.split_of[node] < 0 ? node : next_of(tree, split(node), tree.steps[node], node, row);
  }
};

template <class Rows, class RowOf, class Visit>
void visit_ends(const Tree& tree, const Rows& rows, std::size_t n, RowOf row_of, Watch& watch, Visit visit) {
  if (n == 0) return;
  if (tree.has_categories) {
    walk<true>(GrownWay{tree}, rows, n, row_of, watch, visit);
  } else {
    walk<false>(GrownWay{tree}, rows, n, row_of, watch, visit);
  }
}

}  // namespace bychance
