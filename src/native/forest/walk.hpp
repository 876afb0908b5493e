// How a row answers a split: by a number or a category.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "forest/tree.hpp"

namespace bychance {

constexpr std::int32_t kMissing = -1, kUnseen = -2;

// As a number (NaN: missing) or a category.
struct TrainingRows {
  const FeatureTable& table;
  double number(std::size_t feature, std::size_t row) const {
    const FeatureColumn& column = table.columns[feature];
    const std::uint32_t code = column.code(row);
    return code == column.n_codes ? std::nan("") : column.values[code];
  }
  std::int32_t category(std::size_t feature, std::size_t row) const {
    const FeatureColumn& column = table.columns[feature];
    const std::uint32_t code = column.code(row);
    return code == column.n_codes ? kMissing : static_cast<std::int32_t>(code);
  }
};

// The child of a row, or where it is: missing, or a category without a child.
template <class Rows>
std::int32_t child_by_value(const Tree& tree, const Split& split, const Rows& rows, std::size_t row) {
  const auto feature = static_cast<std::size_t>(split.feature);
  if (split.kind == SplitKind::threshold) {
    const double x = rows.number(feature, row);
    return std::isnan(x) ? kMissing : !(x <= split.threshold);
  }
  const std::int32_t category = rows.category(feature, row);
  if (category < 0) return category;
  if (split.kind == SplitKind::ordered) {
    const auto start = static_cast<std::size_t>(tree.order_start[feature]);
    return tree.positions[start + static_cast<std::size_t>(category)] > split.threshold;
  }
  if (split.kind == SplitKind::single) return category != split.threshold;
  const std::int32_t* first = tree.categories.data() + split.first_category;
  const std::int32_t* last = first + split.n_children;
  const std::int32_t* found = std::lower_bound(first, last, category);
  return found != last && *found == category ? static_cast<std::int32_t>(found - first) : kUnseen;
}

}  // namespace bychance
