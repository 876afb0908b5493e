// Votes of out-of-bag rows: what a tree answers for rows that it was not grown on, for each way of shrinking
// its nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forest/shrink.hpp"
#include "forest/tree.hpp"

namespace bychance {

// Where votes are counted: one layer of answers for each way of shrinking the nodes, and how many trees a row
// is out of bag for. Of the rows of training, each `step`th has votes.
struct Votes {
  std::vector<Shrinkage> layers;
  std::size_t step;
  double* answers;
  std::int64_t* n_trees;

  std::size_t n_rows(std::size_t n_training) const { return (n_training + step - 1) / step; }
};

// The rows go down together, parted at each split, with the answers of all layers: nodes that no row reaches
// are not asked. Made once for many trees.
class OutOfBag {
 public:
  OutOfBag(const FeatureTable& table, const Votes& votes) : table_(table), votes_(votes) {}

  void add(const Tree& tree, const SampledRows& sampled, Watch& watch);

 private:
  struct OpenNode {
    std::size_t node, begin, end;
    std::uint32_t undone;  // one bit per layer
  };

  void take_rows(const SampledRows& sampled);
  void pass_split(const OpenNode& open, ShrunkChildren& children);
  std::size_t part_in_two(const Tree& tree, const Split& split, const OpenNode& open);
  void part_in_many(const Tree& tree, const Split& split, const OpenNode& open);
  template <class GoesRight>
  std::size_t move_right(const OpenNode& open, GoesRight goes_right);
  void vote(std::size_t begin, std::size_t end, std::size_t n_outputs);

  const FeatureTable& table_;
  const Votes& votes_;
  std::vector<std::uint32_t> rows_, scratch_;
  std::vector<std::int32_t> ways_;
  std::vector<std::size_t> starts_;  // of the children of a split, and the end
  std::vector<OpenNode> open_;
  std::vector<double> open_answers_, answers_;  // n_outputs numbers per layer: of open nodes, of this one
};

}  // namespace bychance
