// Checks of trees, and the answers of nodes.
#include "forest/tree.hpp"

#include <algorithm>
#include <stdexcept>

namespace bychance::forest {
namespace {

void check(bool holds, const char* rule) {
  if (!holds) throw std::invalid_argument(rule);
}

// True if `count` places from `first` on lie among `size` places.
bool is_within(std::int64_t first, std::int64_t count, std::size_t size) {
  return first >= 0 && count >= 0 && first + count <= static_cast<std::int64_t>(size);
}

void check_split(const Tree& tree, const Split& split) {
  check(split.kind <= SplitKind::ordered, "kinds of splits must be numbered from 0 to 2");
  check(is_within(split.feature, 1, tree.order_start.size() - 1), "splits must be on columns of the tree");
  const bool is_multiway = split.kind == SplitKind::multiway;
  check(is_multiway ? split.n_children >= 1 : split.n_children == 2, "cuts must have two children");
  check(is_within(split.first_child, split.n_children, tree.n_nodes()), "children must be nodes of the tree");
  check(is_within(split.missing_child, 1, static_cast<std::size_t>(split.n_children)),
        "rows without a value must go to a child of the split");
  check(!is_multiway || is_within(split.first_category, split.n_children, tree.categories.size()),
        "multiway splits must have one category a child");
}

void check_node(const Tree& tree, std::size_t node) {
  const std::int32_t value = tree.value_of[node], split = tree.split_of[node];
  const std::size_t n_values = tree.values.size() / tree.n_outputs();
  check(value < 0 ? ~value < tree.n_classes : is_within(value, 1, n_values), "nodes must have values");
  if (split < 0) return;
  check(is_within(split, 1, tree.splits.size()), "nodes must have a split of the tree, or none");
  check(static_cast<std::size_t>(tree.splits[static_cast<std::size_t>(split)].first_child) > node,
        "children must have higher numbers than their parent");
}

void check_rows(const Tree& tree) {
  const std::size_t n_nodes = tree.n_nodes();
  check(tree.variance_of.size() == n_nodes && tree.first_row.size() == n_nodes &&
            tree.n_rows_of.size() == n_nodes,
        "arrays of nodes must be of one length");
  for (std::size_t node = 0; node < n_nodes; ++node) {
    check(is_within(tree.first_row[node], tree.n_rows_of[node], tree.rows.size()),
          "rows of a node must be rows of the tree");
  }
  for (const std::uint32_t row : tree.rows) check(row < tree.sample.n_rows, "rows must be those of training");
}

}  // namespace

void check_tree(const Tree& tree) {
  const std::size_t n_nodes = tree.n_nodes();
  check(n_nodes > 0 && tree.n_classes >= 0, "a tree must have a node and not fewer than 0 classes");
  check(tree.value_of.size() == n_nodes && tree.size_of.size() == n_nodes,
        "arrays of nodes must be of one length");
  check(tree.answers.empty() || tree.answers.size() == n_nodes * tree.n_outputs(),
        "answers must have one number a node and class");
  if (tree.is_of_numbers()) check_rows(tree);
  check(!tree.order_start.empty() && tree.order_start.front() == 0 &&
            tree.order_start.back() == static_cast<std::int64_t>(tree.positions.size()) &&
            std::is_sorted(tree.order_start.begin(), tree.order_start.end()),
        "starts of the columns must ascend from 0 to the number of positions");
  const Sample& sample = tree.sample;
  check(
      sample.bootstrap || (sample.n_grow <= sample.n_rows && sample.n_order <= sample.n_rows - sample.n_grow),
      "a tree must not use more rows than there are");
  for (const Split& split : tree.splits) check_split(tree, split);
  for (std::size_t node = 0; node < n_nodes; ++node) check_node(tree, node);
}

void add_own_answer(const Tree& tree, std::size_t node, double* out) {
  const std::int32_t value = tree.value_of[node];
  if (value < 0) {
    out[~value] += 1;
    return;
  }
  const auto n_classes = static_cast<std::size_t>(tree.n_classes);
  if (n_classes == 0) {
    *out += tree.values[static_cast<std::size_t>(value)];
    return;
  }
  const double* counts = tree.values.data() + static_cast<std::size_t>(value) * n_classes;
  for (std::size_t j = 0; j < n_classes; ++j) out[j] += counts[j] / tree.size_of[node];
}

}  // namespace bychance::forest
