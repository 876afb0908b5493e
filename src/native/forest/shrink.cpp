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

// The weight of the children's class shares under `chance`; `own` has the class shares of every node's rows.
double kept_from_chance(const Tree& tree, const Split& split, std::size_t node,
                        const std::vector<double>& own) {
  const double n = tree.size_of[node];
  if (tree.is_of_numbers()) {
    double gain = 0;
    for (std::int32_t i = 0; i < split.n_children; ++i) {
      const auto child = static_cast<std::size_t>(split.first_child + i);
      gain += tree.size_of[child] / n * (own[child] - own[node]) * (own[child] - own[node]);
    }
    return kept_of(n, gain, (split.n_children - 1) / (n - 1) * tree.variance_of[node]);
  }
  const auto n_classes = static_cast<std::size_t>(tree.n_classes);
  const double squares = sum_of_squares(own.data() + node * n_classes, n_classes);
  double gain = -squares;
  for (std::int32_t i = 0; i < split.n_children; ++i) {
    const auto child = static_cast<std::size_t>(split.first_child + i);
    gain += tree.size_of[child] / n * sum_of_squares(own.data() + child * n_classes, n_classes);
  }
  return kept_of(n, gain, (split.n_children - 1) / (n - 1) * (1 - squares));
}

// A split with a smaller child is undone.
double least_rows_of(Shrinkage shrinkage) {
  if (shrinkage == Shrinkage::leaf5) return 5;
  return shrinkage == Shrinkage::leaf10 ? 10 : 0;
}

double smallest_child(const Tree& tree, const Split& split) {
  const auto first = tree.size_of.begin() + split.first_child;
  return *std::min_element(first, first + split.n_children);
}

}  // namespace

std::vector<double> own_answers(const Tree& tree) {
  const std::size_t n_outputs = tree.n_outputs();
  std::vector<double> own(tree.n_nodes() * n_outputs, 0.0);
  for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
    add_own_answer(tree, node, own.data() + node * n_outputs);
  }
  return own;
}

std::vector<double> shrunk_answers(const Tree& tree, Shrinkage shrinkage, const std::vector<double>& own) {
  if (shrinkage == Shrinkage::none) return {};
  const std::size_t n_outputs = tree.n_outputs();
  const double least_rows = least_rows_of(shrinkage);
  std::vector<double> answers = own;
  std::vector<char> is_undone(tree.n_nodes(), 0);
  // Children have higher numbers than their parent.
  for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
    if (tree.split_of[node] < 0) continue;
    const Split& split = tree.splits[static_cast<std::size_t>(tree.split_of[node])];
    const bool by_rows = shrinkage != Shrinkage::chance;
    const double n = tree.size_of[node];
    if (!is_undone[node] && smallest_child(tree, split) < least_rows) is_undone[node] = 1;
    const double kept = is_undone[node] ? 0
                        : by_rows       ? n / (n + kPriorRows)
                                        : kept_from_chance(tree, split, node, own);
    const double* above = answers.data() + node * n_outputs;
    const double* from = by_rows ? own.data() + node * n_outputs : above;
    for (std::int32_t i = 0; i < split.n_children; ++i) {
      const auto child = static_cast<std::size_t>(split.first_child + i);
      is_undone[child] = is_undone[node];
      double* below = answers.data() + child * n_outputs;
      for (std::size_t j = 0; j < n_outputs; ++j) below[j] = above[j] + kept * (below[j] - from[j]);
    }
  }
  return answers;
}

}  // namespace bychance
