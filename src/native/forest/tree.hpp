// A grown tree in flat arrays, and its answers for new rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/watch.hpp"
#include "forest/data.hpp"

namespace bychance::forest {

// Numbered as in src/bychance/forest/tree.py.
enum class SplitKind : std::uint8_t { threshold = 0, multiway = 1, ordered = 2 };

// Children are consecutive nodes. A threshold sends x <= threshold to the first of two, and an ordered split
// does so with the position of x's category. A multiway split has one child per category, in ascending order.
// A split of numbers or categories with the threshold kMissingSplit separates rows with a value from rows
// without.
constexpr double kMissingSplit = std::numeric_limits<double>::infinity();

struct Split {
  double threshold;
  std::int32_t feature;
  std::int32_t first_child;
  std::int32_t n_children;
  std::int32_t missing_child;  // 0 … n_children-1: the child of rows without a value
  std::int32_t first_category;
  SplitKind kind;
  double gain;   // on the rows that have the value
  double score;  // the gain on the scale of the criterion
};

// A node in compact form, to stay in the cache. The step of an end leads to itself. Numbers are rounded: if
// they equal the threshold, the split decides. Ordered categories are compared by their positions.
struct Step {
  float threshold;
  std::uint32_t first_child;
  std::uint32_t feature : 30, is_by_category : 1, missing_right : 1;
};

// Explained in forest/out_of_bag.hpp.
enum class Shrinkage : std::uint8_t { none = 0, rows = 1, chance = 2, leaf5 = 3, leaf10 = 4 };

struct Tree {
  std::int32_t n_classes = 0;          // 0: of numbers
  std::vector<std::int32_t> split_of;  // per node: its split, or -1 for a leaf
  std::vector<std::int32_t> value_of;  // per node: its row of `values`, or ~class if it is pure
  std::vector<double> size_of;         // per node: the weight of its rows
  std::vector<Split> splits;
  std::vector<double> values;             // class totals, n_classes per row, or means
  std::vector<double> answers;            // of shrunk nodes, n_outputs per node; empty if not shrunk
  std::vector<std::int32_t> categories;   // of multiway splits
  std::vector<std::int32_t> order_start;  // per feature: start of its positions, and the end
  std::vector<std::int32_t> positions;    // of categories in the order of the tree
  Sample sample;
  // For numbers: the variance of a node's rows, their start in `rows`, and their number.
  std::vector<double> variance_of;
  std::vector<std::int32_t> first_row, n_rows_of;
  std::vector<std::uint32_t> rows;  // rows of the table, those of a node together
  // Computed by take_steps.
  std::vector<Step> steps;
  std::vector<std::uint32_t> ordered;  // features whose categories are compared by positions
  bool has_categories = false;         // true if a step is by category

  std::size_t n_nodes() const { return split_of.size(); }
  bool is_of_numbers() const { return n_classes == 0; }
  // Numbers that a node answers with: class shares, or a mean.
  std::size_t n_outputs() const { return is_of_numbers() ? 1 : static_cast<std::size_t>(n_classes); }
};

// The split of a node that has one.
inline const Split& split_at(const Tree& tree, std::size_t node) {
  return tree.splits[static_cast<std::size_t>(tree.split_of[node])];
}

// Computes the steps of a tree, again after each change of its answers: rows end at the first node below
// which all answers are equal.
void take_steps(Tree& tree);

// Throws if an index leaves the arrays or leads back up the tree, so that answers cannot read or loop beyond.
void check_tree(const Tree& tree);

// The child of a category, kMissing, or kUnseen if it has no child.
std::int32_t child_of_category(const Tree& tree, const Split& split, std::int32_t category);

// Adds the class shares, or the mean, of the rows that a node was grown on.
void add_own_answer(const Tree& tree, std::size_t node, double* out);

// Adds the answers of trees, one after the other: of the leaf of each row, or of the node where an unseen
// category stops it.
void add_answers(const std::vector<const Tree*>& trees, const FeatureRows& rows, double* out, Watch& watch);

// Returns the node where a row ends.
std::size_t end_of(const Tree& tree, const FeatureRows& rows, std::size_t row);

// Computes, per new row and level, the least training number with at least this share of the weight up to it.
// In each tree a training row has as weight its share of the node where the new row ends (Meinshausen 2006).
struct RankedNumbers {
  std::vector<double> sorted;        // ascending
  std::vector<std::uint32_t> ranks;  // of each row among them
  std::vector<double> weights;       // of the rows; empty: all one
};
void leaf_quantiles(const std::vector<const Tree*>& trees, const FeatureRows& rows,
                    const RankedNumbers& numbers, const std::vector<double>& levels, double* out,
                    Watch& watch);

}  // namespace bychance::forest
