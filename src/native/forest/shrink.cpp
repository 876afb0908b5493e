// From the root down, each node mixes its shares with those of the node above.
#include "forest/shrink.hpp"

#include <algorithm>
#include <numeric>

namespace bychance {
namespace {

double sum_of_squares(const double* values, std::size_t n) {
  return std::inner_product(values, values + n, values, 0.0);
}

constexpr double kPriorRows = 4, kChancePart = 0.5;

double kept_of(double n, double gain, double by_chance) {
  return n > 1 && gain > 0 ? std::max(0.0, 1 - kChancePart * by_chance / gain) : 0;
}

}  // namespace

void ShrunkChildren::enter(std::size_t node) {
  node_ = node;
  const Split& split = tree_.splits[static_cast<std::size_t>(tree_.split_of[node])];
  const auto first = static_cast<std::size_t>(split.first_child);
  const auto n_children = static_cast<std::size_t>(split.n_children);
  own_.assign((1 + n_children) * n_outputs_, 0.0);
  add_own_answer(tree_, node, own_.data());
  for (std::size_t i = 0; i < n_children; ++i) {
    add_own_answer(tree_, first + i, own_.data() + (1 + i) * n_outputs_);
  }
  const double n = tree_.size_of[node], *sizes = tree_.size_of.data() + first;
  smallest_ = *std::min_element(sizes, sizes + n_children);
  kept_by_rows_ = n / (n + kPriorRows);
  kept_from_chance_ = kept_from_chance(split);
}

// The weight of the children's answers under `chance`.
double ShrunkChildren::kept_from_chance(const Split& split) const {
  const double n = tree_.size_of[node_], *sizes = tree_.size_of.data() + split.first_child;
  const auto n_children = static_cast<std::size_t>(split.n_children);
  const double *own = own_.data(), *child = own + n_outputs_;
  if (tree_.is_of_numbers()) {
    double gain = 0;
    for (std::size_t i = 0; i < n_children; ++i) {
      gain += sizes[i] / n * (child[i] - *own) * (child[i] - *own);
    }
    return kept_of(n, gain, (split.n_children - 1) / (n - 1) * tree_.variance_of[node_]);
  }
  const double squares = sum_of_squares(own, n_outputs_);
  double gain = -squares;
  for (std::size_t i = 0; i < n_children; ++i, child += n_outputs_) {
    gain += sizes[i] / n * sum_of_squares(child, n_outputs_);
  }
  return kept_of(n, gain, (split.n_children - 1) / (n - 1) * (1 - squares));
}

bool ShrunkChildren::are_undone(Shrinkage shrinkage) const {
  return (shrinkage == Shrinkage::leaf5 && smallest_ < 5) ||
         (shrinkage == Shrinkage::leaf10 && smallest_ < 10);
}

double ShrunkChildren::kept(Shrinkage shrinkage) const {
  return shrinkage == Shrinkage::chance ? kept_from_chance_ : kept_by_rows_;
}

void ShrunkChildren::answer(Shrinkage shrinkage, double kept, std::size_t i, const double* above,
                            double* out) const {
  const double* own = own_.data() + (1 + i) * n_outputs_;
  if (shrinkage == Shrinkage::none) {
    std::copy_n(own, n_outputs_, out);
    return;
  }
  const double* from = shrinkage == Shrinkage::chance ? above : own_.data();
  for (std::size_t j = 0; j < n_outputs_; ++j) out[j] = above[j] + kept * (own[j] - from[j]);
}

std::vector<double> shrunk_answers(const Tree& tree, Shrinkage shrinkage) {
  if (shrinkage == Shrinkage::none) return {};
  const std::size_t n_outputs = tree.n_outputs();
  std::vector<double> answers(tree.n_nodes() * n_outputs, 0.0);
  std::vector<char> is_undone(tree.n_nodes(), 0);
  add_own_answer(tree, 0, answers.data());
  ShrunkChildren children(tree);
  // Children have higher numbers than their parent.
  for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
    if (tree.split_of[node] < 0) continue;
    const Split& split = tree.splits[static_cast<std::size_t>(tree.split_of[node])];
    const auto first = static_cast<std::size_t>(split.first_child);
    const auto n_children = static_cast<std::size_t>(split.n_children);
    children.enter(node);
    if (children.are_undone(shrinkage)) is_undone[node] = 1;
    const double kept = is_undone[node] ? 0 : children.kept(shrinkage);
    for (std::size_t i = 0; i < n_children; ++i) {
      is_undone[first + i] = is_undone[node];
      children.answer(shrinkage, kept, i, answers.data() + node * n_outputs,
                      answers.data() + (first + i) * n_outputs);
    }
  }
  return answers;
}

}  // namespace bychance
