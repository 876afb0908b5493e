// The ends of new rows in trees, one by one or in blocks, and the answers there.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "forest/tree.hpp"

namespace bychance::forest {
namespace {

// Positions below this, and the midpoints between them, are exact in single precision.
constexpr std::size_t kMostPositions = std::size_t{1} << 22;

// Flags nodes where rows may end: leaves, and nodes with the same answer as all nodes below.
std::vector<char> ends_of(const Tree& tree) {
  const std::size_t n_outputs = tree.n_outputs();
  std::vector<char> is_end(tree.n_nodes());
  // Children have higher numbers than their parent.
  for (std::size_t node = tree.n_nodes(); node-- > 0;) {
    is_end[node] = tree.split_of[node] < 0 || !tree.answers.empty();
    if (tree.split_of[node] < 0) continue;
    const Split& split = split_at(tree, node);
    for (std::int32_t i = 0; i < split.n_children && is_end[node]; ++i) {
      const auto child = static_cast<std::size_t>(split.first_child + i);
      const double* answer = tree.answers.data() + node * n_outputs;
      is_end[node] =
          is_end[child] && std::equal(answer, answer + n_outputs, answer + (child - node) * n_outputs);
    }
  }
  return is_end;
}

// Adds the answer of a node, shrunk if the tree is.
void add_answer(const Tree& tree, std::size_t node, double* out) {
  if (tree.answers.empty()) return add_own_answer(tree, node, out);
  const std::size_t n_outputs = tree.n_outputs();
  const double* own = tree.answers.data() + node * n_outputs;
  for (std::size_t j = 0; j < n_outputs; ++j) out[j] += own[j];
}

// A block of rows, with the positions of ordered categories in place of their numbers, NaN if these are
// missing or unseen. Rows with an unseen category are listed, since they may end before a leaf.
class Block {
 public:
  Block(const FeatureRows& rows, std::size_t start, std::size_t end)
      : rows_(rows), start_(start), end_(end) {}

  void enter(const Tree& tree) {
    unseen_.clear();
    if (tree.ordered.empty()) {
      first_ = rows_.at(start_);
      return;
    }
    const std::size_t n = rows_.n_columns();
    cells_.assign(rows_.at(start_), rows_.at(end_ - 1) + n);
    for (std::size_t row = start_; row < end_; ++row) {
      Cell* cells = cells_.data() + (row - start_) * n;
      bool is_unseen = false;
      for (const std::uint32_t column : tree.ordered) {
        const std::int32_t category = cells[column].category;
        const std::int32_t* positions = tree.positions.data() + tree.order_start[column];
        is_unseen |= category == kUnseen;
        cells[column].rounded =
            category < 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(positions[category]);
      }
      if (is_unseen) unseen_.push_back(row);
    }
    first_ = cells_.data();
  }

  const FeatureRows& rows() const { return rows_; }
  std::size_t start() const { return start_; }
  std::size_t size() const { return end_ - start_; }
  const Cell* at(std::size_t k) const { return first_ + k * rows_.n_columns(); }
  double number(std::size_t k, std::size_t column) const { return rows_.number(start_ + k, column); }
  const std::vector<std::size_t>& unseen() const { return unseen_; }

 private:
  const FeatureRows& rows_;
  const std::size_t start_, end_;
  const Cell* first_ = nullptr;
  std::vector<Cell> cells_;
  std::vector<std::size_t> unseen_;
};

// Finds the nodes where the rows of a block end. Several rows go down together in lanes, so that memory
// latency of one overlaps with steps of the others. The next row takes the lane of a row that has ended.
// Lanes take two steps between checks.
template <bool kHasCategories>
void walk(const Tree& tree, const Block& block, std::vector<std::uint32_t>& ends, Watch& watch) {
  constexpr std::size_t kLanes = 16, kSteps = 2;
  const std::size_t n = block.size();
  const Step* steps = tree.steps.data();
  std::size_t nodes[kLanes] = {}, before[kLanes] = {}, numbers[kLanes];
  const Cell* cells[kLanes];
  std::size_t n_started = 0, n_ended = 0;
  for (std::size_t i = 0; i < kLanes; ++i) {
    numbers[i] = n_started < n ? n_started++ : n;  // n: the lane is empty
    cells[i] = block.at(std::min(numbers[i], n - 1));
  }
  while (n_ended < n) {
    watch.done(kLanes * kSteps);
    for (std::size_t k = 0; k < kSteps; ++k) {
      for (std::size_t i = 0; i < kLanes; ++i) {
        const std::size_t node = before[i] = nodes[i];
        const Step& step = steps[node];
        if (kHasCategories && step.is_by_category) {
          if (step.first_child == node) continue;
          const Split& split = split_at(tree, node);
          std::int32_t child = child_of_category(tree, split, cells[i][step.feature].category);
          if (child == kMissing) child = split.missing_child;
          if (child != kUnseen) nodes[i] = step.first_child + static_cast<std::size_t>(child);
          continue;
        }
        const float x = cells[i][step.feature].rounded;
        bool is_right = x > step.threshold;
        if (x == step.threshold) {
          is_right = step.first_child != node && numbers[i] < n &&
                     block.number(numbers[i], step.feature) > split_at(tree, node).threshold;
        }
        nodes[i] = step.first_child + (is_right | (std::isnan(x) & step.missing_right));
      }
    }
    for (std::size_t i = 0; i < kLanes; ++i) {
      if (nodes[i] != before[i] || numbers[i] == n) continue;
      ends[numbers[i]] = static_cast<std::uint32_t>(nodes[i]);
      ++n_ended;
      numbers[i] = n_started < n ? n_started++ : n;
      if (numbers[i] == n) continue;
      cells[i] = block.at(numbers[i]);
      nodes[i] = 0;
    }
  }
}

void add_block(const Tree& tree, Block& block, std::vector<std::uint32_t>& ends, double* out, Watch& watch) {
  block.enter(tree);
  tree.has_categories ? walk<true>(tree, block, ends, watch) : walk<false>(tree, block, ends, watch);
  for (const std::size_t row : block.unseen()) {
    ends[row - block.start()] = static_cast<std::uint32_t>(end_of(tree, block.rows(), row));
  }
  double* answer = out + block.start() * tree.n_outputs();
  for (const std::uint32_t end : ends) {
    add_answer(tree, end, answer);
    answer += tree.n_outputs();
  }
}

}  // namespace

void take_steps(Tree& tree) {
  const std::size_t n_columns = tree.order_start.size() - 1;
  const std::vector<char> is_end = ends_of(tree);
  std::vector<char> is_ordered(n_columns, 0);
  for (const Split& split : tree.splits) {
    if (split.kind == SplitKind::ordered && split.threshold != kMissingSplit &&
        tree.positions.size() < kMostPositions) {
      is_ordered[static_cast<std::size_t>(split.feature)] = 1;
    }
  }
  tree.ordered.clear();
  for (std::uint32_t column = 0; column < n_columns; ++column) {
    if (is_ordered[column]) tree.ordered.push_back(column);
  }
  // Rows that have ended also read a number, of any column with numbers.
  const auto has_number = [&](const Split& split) {
    return split.kind == SplitKind::threshold || is_ordered[static_cast<std::size_t>(split.feature)];
  };
  const auto any = std::find_if(tree.splits.begin(), tree.splits.end(), has_number);
  const bool has_none = any == tree.splits.end();
  const std::uint32_t column = has_none ? 0 : static_cast<std::uint32_t>(any->feature);
  tree.has_categories = has_none;
  tree.steps.resize(tree.n_nodes());
  for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
    Step& step = tree.steps[node];
    step = {std::numeric_limits<float>::infinity(), static_cast<std::uint32_t>(node), column, has_none,
            false};
    if (is_end[node]) continue;
    const Split& split = split_at(tree, node);
    const bool is_by_category = !has_number(split);
    tree.has_categories |= is_by_category;
    // Halfway to the next position, none is equal to the threshold.
    const double threshold =
        split.kind == SplitKind::threshold ? split.threshold : std::floor(split.threshold) + 0.5;
    step = {static_cast<float>(threshold), static_cast<std::uint32_t>(split.first_child),
            static_cast<std::uint32_t>(split.feature), is_by_category, split.missing_child == 1};
  }
}

std::int32_t child_of_category(const Tree& tree, const Split& split, std::int32_t category) {
  if (split.threshold == kMissingSplit) return category == kMissing ? kMissing : 0;  // unseen ones too
  if (category < 0) return category;
  if (split.kind == SplitKind::ordered) {
    const auto start = static_cast<std::size_t>(tree.order_start[static_cast<std::size_t>(split.feature)]);
    return tree.positions[start + static_cast<std::size_t>(category)] > split.threshold;
  }
  const std::int32_t* first = tree.categories.data() + split.first_category;
  const std::int32_t* last = first + split.n_children;
  const std::int32_t* found = std::lower_bound(first, last, category);
  return found != last && *found == category ? static_cast<std::int32_t>(found - first) : kUnseen;
}

std::size_t end_of(const Tree& tree, const FeatureRows& rows, std::size_t row) {
  for (std::size_t node = 0;;) {
    if (tree.split_of[node] < 0) return node;
    const Split& split = split_at(tree, node);
    const auto feature = static_cast<std::size_t>(split.feature);
    const double number = rows.number(row, feature);
    std::int32_t child = std::isnan(number) ? kMissing : number > split.threshold;
    if (split.kind != SplitKind::threshold)
      child = child_of_category(tree, split, rows.at(row)[feature].category);
    if (child == kUnseen) return node;
    node = static_cast<std::size_t>(split.first_child + (child == kMissing ? split.missing_child : child));
  }
}

// A few trees at a time, so that they stay in the cache, and blocks of rows one after the other.
void add_answers(const std::vector<const Tree*>& trees, const FeatureRows& rows, double* out, Watch& watch) {
  constexpr std::size_t kBlockCells = 16384, kLeastRows = 128, kNodesAtHand = 1 << 15;
  const std::size_t n_block = std::max(kLeastRows, kBlockCells / rows.n_columns());
  std::vector<std::uint32_t> ends;
  for (std::size_t first = 0, last = 0; first < trees.size(); first = last) {
    for (std::size_t n_nodes = 0; last < trees.size() && n_nodes < kNodesAtHand; ++last) {
      n_nodes += trees[last]->n_nodes();
    }
    for (std::size_t start = 0; start < rows.n_rows; start += n_block) {
      Block block(rows, start, std::min(rows.n_rows, start + n_block));
      ends.resize(block.size());
      for (std::size_t k = first; k < last; ++k) add_block(*trees[k], block, ends, out, watch);
    }
  }
}

// Gathers the rows that share a leaf, sorts them by their numbers and adds up their weights.
void leaf_quantiles(const std::vector<const Tree*>& trees, const FeatureRows& rows,
                    const RankedNumbers& numbers, const std::vector<double>& levels, double* out,
                    Watch& watch) {
  // Rounding may keep a sum of shares just below a level.
  constexpr double kRounding = 1e-12;
  std::vector<std::pair<std::uint32_t, double>> weighed;  // rank, weight
  for (std::size_t row = 0; row < rows.n_rows; ++row) {
    weighed.clear();
    for (const Tree* tree : trees) {
      const std::size_t node = end_of(*tree, rows, row);
      const std::uint32_t* first = tree->rows.data() + tree->first_row[node];
      for (const std::uint32_t* each = first; each < first + tree->n_rows_of[node]; ++each) {
        const double weight = numbers.weights.empty() ? 1 : numbers.weights[*each];
        weighed.emplace_back(numbers.ranks[*each], weight / tree->size_of[node]);
      }
    }
    watch.done(weighed.size());
    std::sort(weighed.begin(), weighed.end());
    double total = 0;
    for (const auto& each : weighed) total += each.second;
    for (std::size_t q = 0; q < levels.size(); ++q) {
      const double wanted = levels[q] * total - kRounding * total;
      double sum = 0;
      std::size_t k = 0;
      while (k + 1 < weighed.size() && (sum += weighed[k].second) < wanted) ++k;
      out[row * levels.size() + q] = numbers.sorted[weighed[k].first];
    }
  }
}

}  // namespace bychance::forest
