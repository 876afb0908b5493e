// Classes as the target of a tree: class totals of children and of groups, with sums on both sides of every
// cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forest/columns.hpp"
#include "forest/criterion.hpp"

namespace bychance::forest {

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

  const double* of_child(std::size_t child) const { return totals_.data() + child * n_classes_; }

 private:
  std::size_t n_classes_;
  std::uint32_t mask_;
  std::size_t n_children_ = 0;
  std::vector<double> totals_;
};

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
  double gap_gain() const;
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

}  // namespace bychance::forest
