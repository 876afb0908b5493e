// What trees answer for rows that they were not grown on, for each way of shrinking their nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forest/tree.hpp"

namespace bychance::forest {

// Shrinkage: a node's class shares, or its mean, drawn towards those of the nodes above it, the more so the
// less its rows say. The children of a split, with p the class shares of a node's own rows, s its answer, n
// and r the rows and the children of the parent, from the root down:
//   rows: s_child = s_parent + n / (n + 4) (p_child - p_parent)
//     (hierarchical shrinkage: Agarwal et al., ICML 2022);
//   chance: s_child = s_parent + (1 - q / 2) (p_child - s_parent), where q, at most 2, is what chance alone
//   gains over what the split gains: (r - 1) / (n - 1) (1 - sum p_j^2), or with numbers their variance
//   instead of the last factor. Rows drawn twice count as different ones;
//   leaf5, leaf10: as rows, but a split with a child of fewer rows is undone, and all below it: the nodes
//   there answer as its own does.
// All are averages of the class shares, or means, of the nodes on the way.
class ShrunkChildren {
 public:
  explicit ShrunkChildren(const Tree& tree) : tree_(tree), n_outputs_(tree.n_outputs()) {}

  const Tree& tree() const { return tree_; }
  // The split of this node is next.
  void enter(std::size_t node);
  // Whether it is undone, with all below it.
  bool are_undone(Shrinkage shrinkage) const;
  // How much of the difference that it makes is kept where it is not undone.
  double kept(Shrinkage shrinkage) const;
  // What child number i answers, its node answering `above`.
  void answer(Shrinkage shrinkage, double kept, std::size_t i, const double* above, double* out) const;

 private:
  double kept_from_chance(const Split& split) const;

  const Tree& tree_;
  const std::size_t n_outputs_;
  std::size_t node_ = 0;
  double smallest_ = 0;      // child
  std::vector<double> own_;  // answers of the rows of the node, then of its children
  double kept_by_rows_ = 0, kept_from_chance_ = 0;
};

// Lets the nodes answer so: n_outputs numbers each; by their own rows for `none`.
void shrink(Tree& tree, Shrinkage shrinkage);

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

  void pass_split(const OpenNode& open, ShrunkChildren& children);
  void vote(std::size_t begin, std::size_t end, std::size_t n_outputs);

  const FeatureTable& table_;
  const Votes& votes_;
  std::vector<std::uint32_t> rows_, scratch_;
  std::vector<std::size_t> starts_;  // of the children of a split, and the end
  std::vector<OpenNode> open_;
  std::vector<double> open_answers_, answers_;  // n_outputs numbers per layer: of open nodes, of this one
};

}  // namespace bychance::forest
