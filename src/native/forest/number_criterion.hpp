// Numbers as the target of a tree. In a node they are standardized to mean 0 and variance 1, so that gains
// are shares of the node's variance, and precise however far the numbers lie from 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forest/columns.hpp"
#include "forest/criterion.hpp"

namespace bychance::forest {

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

 private:
  const TreeColumns& data_;
  std::size_t n_children_ = 0;
  double center_ = 0;  // mean of all numbers, subtracted for precision
  std::vector<double> weights_, sums_;
};

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
  double gap_gain() const;
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
