// The interface of a criterion, which is made for one tree and has
//   Tally                       sums over the rows of each child of a node (partition.hpp);
//   add_node(tree, …)           adds a node with its answer, and returns true if it may be split;
//   count_again(…)              sets the answer of a node if rows count as often as they were drawn;
//   enter(node)                 prepares a node for its split, and returns the null of its gains;
//   group(column, node)         groups the node's rows by the value of a column;
//   null_of_present()           the null of the rows with a value;
//   cut_gains, multiway_gain    the gains of the splits of these groups;
//   missing_gain()              the gain of a split by missing values;
//   least_gain()                splits with a smaller or equal gain are not made;
//   kStopsAtTwoRows             true if the first split of two rows is taken, since columns split them alike;
//   gain_unit()                 the unit of gains, in squared units of the target.
// The two criteria are ClassCriterion (Gini, entropy) and NumberCriterion (variance). NodeNull and
// SplitSearch score the gains of both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forest/columns.hpp"
#include "forest/null_moments.hpp"

namespace bychance::forest {

// Scores by which columns are compared. The first three are of the best split: its gain, the gain in standard
// deviations from the null mean, or the gain less a quantile of the null. `fair` is of the mean gain over all
// cuts, and then takes the cut with the largest gain.
enum class Score { raw, standardized, adjusted, fair };
enum class Quantile { cantelli, gamma };
// Terms summed over the classes of a child: squares for the Gini gain, x ln x for entropy.
enum class ClassSum { squares, xlogx };

struct SplitRules {
  Score score = Score::raw;
  ClassSum class_sum = ClassSum::squares;
  NullModel null = NullModel::moments;
  Quantile quantile = Quantile::cantelli;
  double deviation = 0;  // adjusted: standard deviations above the mean (cantelli), or normal score (gamma)
  std::size_t min_samples_leaf = 1;
  bool random_cuts = false;  // one cut per column, drawn between its least and largest value in the node
};

// A node's rows, and its number.
struct NodeRows {
  const std::uint32_t* rows;
  std::size_t n;
  std::size_t node;
};

// Groups in ascending order of their codes. "So far" includes the group itself.
struct NodeGroups {
  std::size_t count = 0;
  std::size_t n_rows = 0;  // rows with a value
  std::vector<std::uint32_t> code;
  std::vector<double> left;  // weight so far
  std::vector<double> rows;  // rows so far
};

// A cut with weight l and sum s on its left, of n and S, gains scale (s n - l S)^2 / (l (n - l)).
struct CutGains {
  double n, total, scale;

  void at(const double* left, const double* sums, std::size_t first, std::size_t last, double* gains,
          double* reciprocals) const {
    for (std::size_t g = first; g < last; ++g) {
      const double excess = sums[g] * n - left[g] * total;
      reciprocals[g] = 1 / (left[g] * (n - left[g]));
      gains[g] = scale * (excess * excess) * reciprocals[g];
    }
  }
};

// Most cells of a table of codes per row. With more codes, rows are sorted.
constexpr std::size_t kCellsPerRow = 2;

// Class totals of the children of a split. Rows without a value are child n_children until they join a child.
class ClassTally {
 public:
  explicit ClassTally(const TreeColumns& data) : n_classes_(data.n_classes), mask_(data.label_mask()) {}

  void start(std::size_t n_children);
  void add(std::size_t child, std::uint32_t /*row*/, std::uint32_t key, double weight) {
    totals_[child * n_classes_ + (key & mask_)] += weight;
  }
  // The child where rows without a value increase the gain most, or the heaviest child.
  std::size_t child_for_missing(bool is_by_gain) const;
  void join_missing(std::size_t child);

  // Counts two children in one pass, for rows that all have a value and weight one. `each` is called with a
  // function of (goes_right, key).
  template <class Each>
  void add_in_two(Each each);

  const double* of_child(std::size_t child) const { return totals_.data() + child * n_classes_; }

 private:
  std::size_t n_classes_;
  std::uint32_t mask_;
  std::size_t n_children_ = 0;
  std::vector<double> totals_;
  std::vector<std::size_t> cells_;
};

template <class Each>
void ClassTally::add_in_two(Each each) {
  const std::size_t c = n_classes_;
  const std::uint32_t mask = mask_;
  cells_.assign(2 * c, 0);
  std::size_t* cells = cells_.data();
  each([cells, c, mask](bool goes_right, std::uint32_t key) { ++cells[goes_right * c + (key & mask)]; });
  totals_.assign(cells_.begin(), cells_.end());
}

// Gini gain or entropy of classes, from class totals of groups and sums on both sides of every threshold.
class ClassCriterion {
 public:
  using Tally = ClassTally;
  static constexpr bool kStopsAtTwoRows = false;  // recorded forests draw more columns

  ClassCriterion(const TreeColumns& data, const SplitRules& rules);

  static bool add_root(const TreeColumns& data, Tree& tree);
  bool add_node(const Tally& tally, std::size_t child, const NodeRows& node, Tree& tree) const;
  static void count_again(const TreeColumns& data, const NodeRows& node, Tree& tree);
  NodeNull enter(const NodeRows& node, const Tree& tree);
  const NodeGroups& group(const TreeColumn& column, const NodeRows& node);
  NodeNull null_of_present() const;
  void cut_gains(double n, std::size_t first, std::size_t last, double* gains, double* reciprocals) const;
  double multiway_gain(double n) const;
  double missing_gain() const;
  double least_gain() const { return 1e-6; }
  double gain_unit() const { return 1; }

 private:
  void group_keys(const std::uint32_t* keys, const TreeColumn& column, const NodeRows& node);
  void count_keys(const std::uint32_t* keys, const TreeColumn& column, const NodeRows& node);
  void gather_keys(const std::uint32_t* keys, const TreeColumn& column, const NodeRows& node);
  void gather_items(const std::uint32_t* keys, const TreeColumn& column, const NodeRows& node);
  void take_table(const TreeColumn& column);
  void take_table_of_two(const TreeColumn& column);
  template <class KeyOf, class WeightOf>
  void take_sorted(KeyOf key_of, WeightOf weight_of);
  void take_keys_of_two();
  void leave_out(std::uint32_t y, double weight);
  void start();
  void move_left(std::uint32_t y, double weight);
  void end_group(std::uint32_t code, double rows);

  double sum_term(double x) const;  // x^2 or x ln x
  double child_term(double class_sum, double size) const;
  double node_term(double n) const;
  double gain_of(double children, double node_term, double n) const;

  const TreeColumns& data_;
  const NullModel null_;
  const ClassSum sum_;
  const bool is_of_two_;
  NodeGroups groups_;
  std::vector<double> node_totals_;                     // class weights of the node
  std::vector<double> totals_;                          // class weights of the rows with a value
  std::vector<double> ones_;                            // two classes and squares: of the second class so far
  std::vector<double> left_sum_, right_sum_, own_sum_;  // otherwise: sums so far, of the rest, of the group
  std::vector<std::int32_t> table_;                     // cells by key
  std::vector<std::uint32_t> keys_, keys_scratch_;      // sorted
  std::vector<std::uint64_t> items_, items_scratch_;    // weighted rows: key << 32 | row, sorted
  std::vector<double> moved_, own_;                     // class weights so far, and of the group
  double left_ = 0, left_now_ = 0, right_now_ = 0, own_now_ = 0;
  std::vector<double> xlogx_;  // of whole numbers
};

// Weights and sums of the children of a split, to choose the child of rows without a value.
class NumberTally {
 public:
  explicit NumberTally(const TreeColumns& data);

  void start(std::size_t n_children);
  void add(std::size_t child, std::uint32_t row, std::uint32_t /*key*/, double weight) {
    weights_[child] += weight;
    sums_[child] += weight * (data_.numbers[row] - center_);
  }
  std::size_t child_for_missing(bool is_by_gain) const;
  void join_missing(std::size_t) {}
  template <class Each>
  void add_in_two(Each each) {
    each([](bool, std::uint32_t) {});
  }

 private:
  const TreeColumns& data_;
  std::size_t n_children_ = 0;
  double center_ = 0;  // mean of all numbers, subtracted for precision
  std::vector<double> weights_, sums_;
};

// Reduction of variance. In a node numbers are standardized to mean 0 and variance 1, so that gains are
// shares of the node's variance, and precise however far the numbers lie from 0.
class NumberCriterion {
 public:
  using Tally = NumberTally;
  static constexpr bool kStopsAtTwoRows = true;

  NumberCriterion(const TreeColumns& data, const SplitRules&);

  static bool add_root(const TreeColumns& data, Tree& tree);
  bool add_node(const Tally& tally, std::size_t child, const NodeRows& node, Tree& tree) const;
  static void count_again(const TreeColumns& data, const NodeRows& node, Tree& tree);
  NodeNull enter(const NodeRows& node, const Tree& tree);
  const NodeGroups& group(const TreeColumn& column, const NodeRows& node);
  NodeNull null_of_present() const;
  void cut_gains(double n, std::size_t first, std::size_t last, double* gains, double* reciprocals) const;
  double multiway_gain(double n) const;
  double missing_gain() const;
  double least_gain() const { return 1e-10; }
  double gain_unit() const { return variance_; }

 private:
  void group_keys(const std::uint32_t* keys, const TreeColumn& column, const NodeRows& node);
  void add_table(const std::uint32_t* keys, const TreeColumn& column, const NodeRows& node);
  template <class Item>
  struct Items {
    std::vector<Item> values, scratch;
  };
  template <class Item>
  void sort_items(const std::uint32_t* keys, const TreeColumn& column, const NodeRows& node,
                  unsigned place_bits, Items<Item>& items);
  void leave_out(std::size_t place, double weight);
  double weight(std::uint32_t row) const { return data_.weights.empty() ? 1 : data_.weights[row]; }

  struct Cell {
    double weight, sum;
    std::size_t rows;
  };

  const TreeColumns& data_;
  NodeGroups groups_;
  std::vector<double> numbers_;  // of the node's rows, standardized
  double mean_ = 0, variance_ = 0;
  std::vector<double> sums_;  // of the groups so far
  double sum_ = 0;            // of the rows with a value
  double missing_[5] = {};    // of the other rows: weight, and sums of powers 1 to 4
  double powers_[5] = {};     // of all rows of the node
  std::vector<Cell> cells_;   // by code
  Items<std::uint32_t> narrow_items_;
  Items<std::uint64_t> wide_items_;
};

}  // namespace bychance::forest
