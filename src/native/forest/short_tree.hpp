// A tree for the answers of many rows: without the splits that change no answer, and with categories
// that have an order as numbers.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "forest/tree.hpp"
#include "forest/walk.hpp"

namespace bychance {

// Categories of a column that is only cut in their order: rows must have their positions, as numbers.
struct OrderedColumn {
  std::uint32_t column;
  std::int64_t start;  // where the position of category 0 is
};

class ShortTree {
 public:
  // Becomes that of a tree, which must stay where it is.
  void take(const Tree& tree);

  const Tree& tree() const { return *tree_; }
  const std::vector<OrderedColumn>& ordered_columns() const { return ordered_columns_; }
  // NaN for those that are missing or unseen.
  float position(const OrderedColumn& ordered, std::int32_t category) const {
    return positions_[static_cast<std::size_t>(ordered.start + category)];
  }
  std::size_t n_bytes() const { return steps_.size() * sizeof(Step) + answers_.size() * sizeof(double); }
  // Whether a step is by the category that a row has.
  bool has_categories() const { return has_categories_; }
  // Where a row ends that has its categories as they are.
  template <class Row>
  std::uint32_t end_of(const Row& row) const {
    for (std::size_t node = 0;;) {
      const Step& step = steps_[node];
      const std::size_t before = node;
      if (step.first_child != node) node = next_exact(split(node), step, node, row);
      if (node == before) return static_cast<std::uint32_t>(node);
    }
  }
  // Adds the answer of the node where each row of a block has ended.
  void add_answers(const std::vector<std::uint32_t>& ends, double* out) const;

  // What forest/walk.hpp asks.
  const Step* steps() const { return steps_.data(); }
  bool is_above(std::size_t node, double number) const {
    return steps_[node].first_child != node && number > split(node).threshold;
  }
  template <class Row>
  std::size_t next_by_category(std::size_t node, const Row& row) const {
    const Step& step = steps_[node];
    if (step.first_child == node) return node;
    return next_of(*tree_, split(node), step, node, row);
  }

 private:
  const Split& split(std::size_t node) const {
    return tree_->splits[static_cast<std::size_t>(tree_->split_of[node_of_[node]])];
  }
  template <class Row>
  std::size_t next_exact(const Split& split, const Step& step, std::size_t node, const Row& row) const {
    if (split.kind != SplitKind::threshold) return next_of(*tree_, split, step, node, row);
    const double number = row.number(step.feature);
    return step.first_child + (std::isnan(number) ? step.missing_right : number > split.threshold);
  }
  void take_columns();
  void take_ends();
  void take_nodes();
  void take_answers();
  Step step_of(const Split& split, std::uint32_t first_child) const;

  const Tree* tree_ = nullptr;
  bool has_categories_ = false;
  Step end_{};  // what rows look at in an end
  std::vector<OrderedColumn> ordered_columns_;
  std::vector<float> positions_;
  std::vector<char> is_ordered_;  // per column: whether it is one of those
  std::vector<char> is_end_;      // per node of the tree: whether rows may end there, as they do in a leaf
  std::vector<std::uint32_t> place_of_;  // per node of the tree: its step
  std::vector<Step> steps_;
  std::vector<std::uint32_t> node_of_;  // in the tree
  std::vector<double> answers_;         // of one or two outputs
};

}  // namespace bychance
