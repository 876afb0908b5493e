// Training rows as they go down a tree, and the children of categories.
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
    const std::uint32_t code = column.code(row);
    return code == column.n_codes ? std::nan("") : column.values[code];
  }
  float rounded(std::size_t feature) const { return static_cast<float>(number(feature)); }
  std::int32_t category(std::size_t feature) const {
    const FeatureColumn& column = table->columns[feature];
    const std::uint32_t code = column.code(row);
    return code == column.n_codes ? kMissing : static_cast<std::int32_t>(code);
  }
};

struct TrainingRows {
  const FeatureTable& table;
  TrainingRow at(std::size_t row) const { return {&table, row}; }
};

// The child of a category, or what it is: missing, or without a child.
inline std::int32_t child_by_category(const Tree& tree, const Split& split, std::int32_t category) {
  if (category == kUnseen && split.threshold == kGap) return 1;  // it is a value, whichever
  if (category < 0) return category;
  if (split.kind == SplitKind::ordered) {
    const auto start = static_cast<std::size_t>(tree.order_start[static_cast<std::size_t>(split.feature)]);
    return tree.positions[start + static_cast<std::size_t>(category)] > split.threshold;
  }
  if (split.kind == SplitKind::single) return category != split.threshold;
  const std::int32_t* first = tree.categories.data() + split.first_category;
  const std::int32_t* last = first + split.n_children;
  const std::int32_t* found = std::lower_bound(first, last, category);
  return found != last && *found == category ? static_cast<std::int32_t>(found - first) : kUnseen;
}

}  // namespace bychance
