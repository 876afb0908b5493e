// The rows of a node grouped by the value of a column, with class sums on both sides of every cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forest/columns.hpp"

namespace bychance {

// A node's rows and their class weights, and how often a row was drawn, in the mean over those rows.
struct NodeRows {
  const std::uint32_t* rows;
  std::size_t n;
  const double* totals;
  double copies;
};

// What is summed over the classes of a child: squares for the Gini gain, x ln x for entropy.
enum class ClassSum { squares, xlogx };

// The groups in ascending order of their codes; "so far" includes the group itself.
struct NodeGroups {
  std::size_t count = 0;
  std::size_t n_rows = 0;      // rows that have the value
  std::vector<double> totals;  // their class weights
  bool is_whole = true;        // every row of the node has it
  std::vector<std::uint32_t> code;
  std::vector<double> left;  // weight so far
  std::vector<double> rows;  // rows so far
  std::vector<double> ones;  // two classes and squares: weight of the second class so far
  std::vector<double> left_sum, right_sum, own_sum;  // otherwise: sums so far, of the rest, of the group
  std::vector<double> other_sum;                     // and of all other groups, for single splits
};

class Grouping {
 public:
  Grouping(const TreeColumns& data, ClassSum sum);

  const NodeGroups& group(const TreeColumn& column, const NodeRows& node);

  bool is_of_two() const { return is_of_two_; }
  double sum_term(double x) const;  // x^2 or x ln x

 private:
  template <class Key>
  void group_keys(const Key* keys, const TreeColumn& column, const NodeRows& node);
  template <class Key>
  void count_keys(const Key* keys, const TreeColumn& column, const NodeRows& node);
  template <class Key>
  void gather_keys(const Key* keys, const TreeColumn& column, const NodeRows& node);
  template <class Key>
  void gather_items(const Key* keys, const TreeColumn& column, const NodeRows& node);
  void take_table(const TreeColumn& column);
  void take_table_of_two(const TreeColumn& column);
  void take_keys(const TreeColumn& column);
  void take_keys_of_two();
  void take_items(const TreeColumn& column);
  void leave_out(std::uint32_t y, double weight);
  void start(const TreeColumn& column);
  void move_left(std::uint32_t y, double weight);
  void end_group(std::uint32_t code, double rows);

  const TreeColumns& data_;
  const ClassSum sum_;
  const bool is_of_two_;
  NodeGroups groups_;
  std::vector<std::int32_t> table_;                   // cells by key
  std::vector<std::uint32_t> keys_, keys_scratch_;    // sorted
  std::vector<std::uint64_t> items_, items_scratch_;  // weighted rows: key << 32 | row, sorted
  std::vector<double> moved_, own_;                   // class weights so far, and of the group
  double left_ = 0, left_sum_ = 0, right_sum_ = 0, own_sum_ = 0;
  bool is_single_ = false;
  std::vector<double> xlogx_;  // of whole numbers
};

}  // namespace bychance
