// Rows and answers go down a tree together, depth first with a stack of row ranges, as trees are grown.
#include "forest/out_of_bag.hpp"

#include <algorithm>
#include <numeric>

#include "forest/partition.hpp"

namespace bychance::forest {
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

void shrink(Tree& tree, Shrinkage shrinkage) {
  const std::size_t n_outputs = tree.n_outputs();
  std::vector<double> answers;
  if (shrinkage != Shrinkage::none) {
    answers.resize(tree.n_nodes() * n_outputs);
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
  }
  tree.answers = std::move(answers);
  take_steps(tree);
}

void OutOfBag::add(const Tree& tree, const SampledRows& sampled, Watch& watch) {
  rows_ = rows_of_role(sampled, kOutOfBag, votes_.step);
  scratch_.resize(rows_.size());
  if (rows_.empty()) return;
  const std::size_t n_outputs = tree.n_outputs(), n_answers = votes_.layers.size() * n_outputs;
  ShrunkChildren children(tree);
  open_answers_.assign(n_answers, 0.0);
  answers_.resize(n_answers);
  for (std::size_t k = 0; k < n_answers; k += n_outputs) add_own_answer(tree, 0, open_answers_.data() + k);
  open_.assign(1, {0, 0, rows_.size(), 0});
  while (!open_.empty()) {
    const OpenNode open = open_.back();
    open_.pop_back();
    const std::size_t n_left = open_answers_.size() - n_answers;
    std::copy_n(open_answers_.data() + n_left, n_answers, answers_.data());
    open_answers_.resize(n_left);
    watch.done(open.end - open.begin);
    if (tree.split_of[open.node] < 0) {
      vote(open.begin, open.end, n_outputs);
    } else {
      pass_split(open, children);
    }
  }
}

void OutOfBag::pass_split(const OpenNode& open, ShrunkChildren& children) {
  const Tree& tree = children.tree();
  const Split& split = tree.splits[static_cast<std::size_t>(tree.split_of[open.node])];
  const std::size_t n = open.end - open.begin, n_children = static_cast<std::size_t>(split.n_children);
  std::uint32_t* rows = rows_.data() + open.begin;
  with_children(tree, table_, split, n, [&](auto child_of) {
    const auto part_of = [&](std::size_t k) {  // rows whose category has no child come last
      const std::int32_t child = child_of(rows[k]);
      return static_cast<std::size_t>(child == kMissing  ? split.missing_child
                                      : child == kUnseen ? split.n_children
                                                         : child);
    };
    part_rows(rows, scratch_.data(), n, n_children + (split.kind == SplitKind::multiway), part_of, starts_);
  });
  for (std::size_t& start : starts_) start += open.begin;
  starts_.resize(n_children + 1);
  const std::size_t n_outputs = tree.n_outputs(), n_layers = votes_.layers.size();
  vote(starts_.back(), open.end, n_outputs);
  if (starts_.back() == open.begin) return;
  children.enter(open.node);
  std::uint32_t undone = open.undone;
  for (std::size_t layer = 0; layer < n_layers; ++layer) {
    undone |= static_cast<std::uint32_t>(children.are_undone(votes_.layers[layer])) << layer;
  }
  for (std::size_t i = 0; i + 1 < starts_.size(); ++i) {
    if (starts_[i] == starts_[i + 1]) continue;
    open_.push_back({static_cast<std::size_t>(split.first_child) + i, starts_[i], starts_[i + 1], undone});
    const std::size_t end = open_answers_.size();
    open_answers_.resize(end + n_layers * n_outputs);
    for (std::size_t layer = 0; layer < n_layers; ++layer) {
      const double kept = undone >> layer & 1 ? 0 : children.kept(votes_.layers[layer]);
      children.answer(votes_.layers[layer], kept, i, answers_.data() + layer * n_outputs,
                      open_answers_.data() + end + layer * n_outputs);
    }
  }
}

void OutOfBag::vote(std::size_t begin, std::size_t end, std::size_t n_outputs) {
  const std::size_t n_rows = votes_.n_rows(table_.n_rows);
  const auto step = static_cast<std::uint32_t>(votes_.step);
  for (std::size_t k = begin; k < end; ++k) {
    const std::size_t place = step == 1 ? rows_[k] : rows_[k] / step;
    const double* answer = answers_.data();
    double* out = votes_.answers + place * n_outputs;
    for (std::size_t layer = 0; layer < votes_.layers.size(); ++layer, out += n_rows * n_outputs) {
      for (std::size_t j = 0; j < n_outputs; ++j) out[j] += *answer++;
    }
    ++votes_.n_trees[place];
  }
}

}  // namespace bychance::forest
