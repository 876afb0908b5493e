// Depth first with a stack of row ranges, as trees are grown.
#include "forest/out_of_bag.hpp"

#include <algorithm>

#include "forest/walk.hpp"

namespace bychance {

void OutOfBag::add(const Tree& tree, const SampledRows& sampled, Watch& watch) {
  take_rows(sampled);
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

void OutOfBag::take_rows(const SampledRows& sampled) {
  const std::size_t n = sampled.roles.size();
  rows_.resize(votes_.n_rows(n));
  std::size_t count = 0;
  for (std::size_t row = 0; row < n; row += votes_.step) {  // roles are random: nothing to foresee
    rows_[count] = static_cast<std::uint32_t>(row);
    count += sampled.roles[row] == kOutOfBag;
  }
  rows_.resize(count), scratch_.resize(count), ways_.resize(count);
}

void OutOfBag::pass_split(const OpenNode& open, ShrunkChildren& children) {
  const Tree& tree = children.tree();
  const Split& split = tree.splits[static_cast<std::size_t>(tree.split_of[open.node])];
  if (split.kind == SplitKind::multiway) {
    part_in_many(tree, split, open);
  } else {
    starts_ = {open.begin, part_in_two(tree, split, open), open.end};
  }
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

// Where the second child's rows begin.
std::size_t OutOfBag::part_in_two(const Tree& tree, const Split& split, const OpenNode& open) {
  constexpr std::size_t kManyRows = 8;  // to be worth a search for the threshold's code
  const FeatureColumn& column = table_.columns[static_cast<std::size_t>(split.feature)];
  const bool missing_right = split.missing_child == 1;
  if (split.kind != SplitKind::threshold) {
    const TrainingRows rows{table_};
    const auto feature = static_cast<std::size_t>(split.feature);
    return move_right(open, [&](std::uint32_t row) {
      const std::int32_t child = child_by_category(tree, split, rows.at(row).category(feature));
      return child == kMissing ? missing_right : child == 1;
    });
  }
  const std::uint32_t* codes = column.codes.data();
  if (open.end - open.begin < kManyRows) {
    return move_right(open, [&](std::uint32_t row) {
      const std::uint32_t code = codes[row];
      return code == column.n_codes ? missing_right : column.values[code] > split.threshold;
    });
  }
  const std::uint32_t first_right = column.first_above(split.threshold);
  return move_right(open, [&](std::uint32_t row) {
    return codes[row] == column.n_codes ? missing_right : codes[row] >= first_right;
  });
}

template <class GoesRight>
std::size_t OutOfBag::move_right(const OpenNode& open, GoesRight goes_right) {
  std::size_t n_left = open.begin, n_right = 0;
  for (std::size_t k = open.begin; k < open.end; ++k) {
    const std::uint32_t row = rows_[k];
    const bool is_right = goes_right(row);
    rows_[n_left] = row;
    scratch_[n_right] = row;
    n_left += !is_right;
    n_right += is_right;
  }
  std::copy_n(scratch_.data(), n_right, rows_.data() + n_left);
  return n_left;
}

// Rows whose category has no child come last.
void OutOfBag::part_in_many(const Tree& tree, const Split& split, const OpenNode& open) {
  const TrainingRows rows{table_};
  const auto feature = static_cast<std::size_t>(split.feature);
  const auto n_children = static_cast<std::size_t>(split.n_children);
  starts_.assign(n_children + 2, 0);
  for (std::size_t k = open.begin; k < open.end; ++k) {
    std::int32_t child = child_by_category(tree, split, rows.at(rows_[k]).category(feature));
    if (child == kMissing) child = split.missing_child;
    ways_[k] = child == kUnseen ? split.n_children : child;
    ++starts_[static_cast<std::size_t>(ways_[k]) + 1];
  }
  starts_[0] = open.begin;
  for (std::size_t i = 1; i <= n_children; ++i) starts_[i] += starts_[i - 1];
  for (std::size_t k = open.begin; k < open.end; ++k) {
    scratch_[starts_[static_cast<std::size_t>(ways_[k])]++] = rows_[k];
  }
  std::copy(scratch_.begin() + static_cast<std::ptrdiff_t>(open.begin),
            scratch_.begin() + static_cast<std::ptrdiff_t>(open.end),
            rows_.begin() + static_cast<std::ptrdiff_t>(open.begin));
  for (std::size_t i = n_children; i > 0; --i) starts_[i] = starts_[i - 1];  // they have moved to their ends
  starts_[0] = open.begin;
  starts_.pop_back();
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

}  // namespace bychance
