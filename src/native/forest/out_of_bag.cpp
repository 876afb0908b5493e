// The rows go down a tree together, depth first with a stack of row ranges, and get the answers of their
// ends.
#include "forest/out_of_bag.hpp"

#include <algorithm>
#include <numeric>

#include "forest/partition.hpp"

namespace bychance::forest {
namespace {

constexpr double kPriorRows = 4, kChancePart = 0.5;

using Answers = std::vector<double>;  // n_outputs numbers per node

double sum_of_squares(const double* values, std::size_t n) {
  return std::inner_product(values, values + n, values, 0.0);
}

std::size_t first_child(const Split& split) { return static_cast<std::size_t>(split.first_child); }

std::size_t last_child(const Split& split) {
  return first_child(split) + static_cast<std::size_t>(split.n_children);
}

// Answers of the root and of the children of these parents, each by its own rows.
Answers own_answers(const Tree& tree, const std::vector<std::size_t>& parents) {
  const std::size_t n_outputs = tree.n_outputs();
  Answers own(tree.n_nodes() * n_outputs, 0.0);
  add_own_answer(tree, 0, own.data());
  for (const std::size_t node : parents) {
    const Split& split = split_at(tree, node);
    for (std::size_t child = first_child(split); child < last_child(split); ++child) {
      add_own_answer(tree, child, own.data() + child * n_outputs);
    }
  }
  return own;
}

// The weight of the children's answers under `chance`.
double kept_from_chance(const Tree& tree, std::size_t node, const Split& split, const Answers& answers) {
  const std::size_t n_outputs = tree.n_outputs();
  const double n = tree.size_of[node], *own = answers.data() + node * n_outputs;
  const double squares = sum_of_squares(own, n_outputs);
  const double impurity = tree.is_of_numbers() ? tree.variance_of[node] : 1 - squares;
  double gain = tree.is_of_numbers() ? 0 : -squares;
  for (std::size_t child = first_child(split); child < last_child(split); ++child) {
    const double* answer = answers.data() + child * n_outputs;
    const double share = tree.size_of[child] / n;
    gain += tree.is_of_numbers() ? share * (*answer - *own) * (*answer - *own)
                                 : share * sum_of_squares(answer, n_outputs);
  }
  const double by_chance = (split.n_children - 1) / (n - 1) * impurity;
  return n > 1 && gain > 0 ? std::max(0.0, 1 - kChancePart * by_chance / gain) : 0;
}

// Shrunk answers of the same nodes. Parents come before their children.
Answers shrunk_answers(const Tree& tree, const std::vector<std::size_t>& parents, const Answers& own,
                       Shrinkage shrinkage) {
  if (shrinkage == Shrinkage::none) return own;
  const bool is_by_chance = shrinkage == Shrinkage::chance;
  const double fewest = shrinkage == Shrinkage::leaf5 ? 5 : shrinkage == Shrinkage::leaf10 ? 10 : 0;
  const std::size_t n_outputs = tree.n_outputs();
  const double* sizes = tree.size_of.data();
  Answers shrunk = own;
  std::vector<char> is_undone(tree.n_nodes(), 0);
  for (const std::size_t node : parents) {
    const Split& split = split_at(tree, node);
    const std::size_t first = first_child(split), last = last_child(split);
    if (fewest > 0 && *std::min_element(sizes + first, sizes + last) < fewest) is_undone[node] = 1;
    const double kept = is_undone[node] ? 0
                        : is_by_chance  ? kept_from_chance(tree, node, split, own)
                                        : sizes[node] / (sizes[node] + kPriorRows);
    const double* above = shrunk.data() + node * n_outputs;
    const double* from = is_by_chance ? above : own.data() + node * n_outputs;
    for (std::size_t child = first; child < last; ++child) {
      is_undone[child] = is_undone[node];
      const double* answer = own.data() + child * n_outputs;
      double* out = shrunk.data() + child * n_outputs;
      for (std::size_t j = 0; j < n_outputs; ++j) out[j] = above[j] + kept * (answer[j] - from[j]);
    }
  }
  return shrunk;
}

struct RowRange {
  std::size_t node, begin, end;
};

// End nodes of training rows, in the order that `rows` receive, and the parents on their way.
struct Ends {
  std::vector<std::size_t> nodes, parents;
};

Ends ends_of(const Tree& tree, const FeatureTable& table, std::vector<std::uint32_t>& rows, Watch& watch) {
  Ends ends{std::vector<std::size_t>(rows.size()), {}};
  std::vector<std::size_t> starts;
  std::vector<std::uint32_t> scratch(rows.size());
  std::vector<RowRange> open{{0, 0, rows.size()}};
  while (!open.empty()) {
    const RowRange range = open.back();
    open.pop_back();
    const std::size_t n = range.end - range.begin;
    watch.done(n);
    const bool is_leaf = tree.split_of[range.node] < 0;
    if (is_leaf || split_at(tree, range.node).kind == SplitKind::multiway) {
      std::fill_n(ends.nodes.data() + range.begin, n, range.node);
    }
    if (is_leaf) continue;
    ends.parents.push_back(range.node);
    const Split& split = split_at(tree, range.node);
    std::uint32_t* here = rows.data() + range.begin;
    with_children(tree, table, split, [&](auto child_of) {
      const auto part_of_row = [&](std::size_t k) { return part_of(split, child_of(here[k])); };
      part_rows(here, scratch.data(), n, n_parts(split), part_of_row, starts);
    });
    for (std::size_t i = 0; i < static_cast<std::size_t>(split.n_children); ++i) {
      if (starts[i] == starts[i + 1]) continue;
      open.push_back({first_child(split) + i, range.begin + starts[i], range.begin + starts[i + 1]});
    }
  }
  return ends;
}

}  // namespace

void shrink(Tree& tree, Shrinkage shrinkage) {
  tree.answers.clear();
  if (shrinkage != Shrinkage::none) {
    std::vector<std::size_t> parents;
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
      if (tree.split_of[node] >= 0) parents.push_back(node);
    }
    tree.answers = shrunk_answers(tree, parents, own_answers(tree, parents), shrinkage);
  }
  take_steps(tree);
}

void add_out_of_bag(const Tree& tree, const SampledRows& sampled, const FeatureTable& table,
                    const Votes& votes, Watch& watch) {
  std::vector<std::uint32_t> rows = rows_of_role(sampled, kOutOfBag, votes.step);
  const Ends ends = ends_of(tree, table, rows, watch);
  const std::size_t n_outputs = tree.n_outputs();
  const auto step = static_cast<std::uint32_t>(votes.step);
  for (std::uint32_t& row : rows) {
    if (step > 1) row /= step;
    ++votes.n_trees[row];
  }
  const Answers own = own_answers(tree, ends.parents);
  double* layer = votes.answers;
  for (const Shrinkage shrinkage : votes.layers) {
    const Answers answers = shrunk_answers(tree, ends.parents, own, shrinkage);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const double* answer = answers.data() + ends.nodes[k] * n_outputs;
      double* out = layer + rows[k] * n_outputs;
      for (std::size_t j = 0; j < n_outputs; ++j) out[j] += answer[j];
    }
    layer += votes.n_rows(table.n_rows) * n_outputs;
  }
}

}  // namespace bychance::forest
