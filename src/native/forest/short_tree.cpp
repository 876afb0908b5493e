// Shortens trees: where all nodes below one answer as it does, rows need not go on.
#include "forest/short_tree.hpp"

#include <algorithm>
#include <limits>

namespace bychance {
namespace {

// Positions up to here are numbers of single precision, as is what lies halfway between two.
constexpr std::size_t kMostPositions = std::size_t{1} << 22;

// The numbers of categories below 0: unseen and missing.
constexpr std::size_t kBefore = 2;

constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

}  // namespace

void ShortTree::take(const Tree& tree) {
  tree_ = &tree;
  take_columns();
  take_ends();
  take_nodes();
  take_answers();
}

void ShortTree::take_columns() {
  const std::size_t n_columns = tree_->order_start.size() - 1;
  const bool are_few = tree_->positions.size() < kMostPositions;
  std::vector<char> is_otherwise(n_columns, 0);
  is_ordered_.assign(n_columns, 0);
  ordered_columns_.clear();
  positions_.clear();
  for (const Split& split : tree_->splits) {
    if (split.threshold == kGap) continue;
    const bool is_ordered = split.kind == SplitKind::ordered && are_few;
    (is_ordered ? is_ordered_ : is_otherwise)[static_cast<std::size_t>(split.feature)] = 1;
  }
  for (std::size_t column = 0; column < n_columns; ++column) {
    is_ordered_[column] &= !is_otherwise[column];
    if (!is_ordered_[column]) continue;
    positions_.insert(positions_.end(), kBefore, std::numeric_limits<float>::quiet_NaN());
    ordered_columns_.push_back(
        {static_cast<std::uint32_t>(column), static_cast<std::int64_t>(positions_.size())});
    const auto begin = tree_->positions.begin();
    positions_.insert(positions_.end(), begin + tree_->order_start[column],
                      begin + tree_->order_start[column + 1]);
  }
  // Ends look at a number too, of any column that has numbers.
  const auto has_number = [this](const Split& split) { return !step_of(split, 0).is_by_category; };
  const auto any = std::find_if(tree_->splits.begin(), tree_->splits.end(), has_number);
  has_categories_ = any == tree_->splits.end();
  const std::uint32_t column = has_categories_ ? 0 : static_cast<std::uint32_t>(any->feature);
  end_ = {std::numeric_limits<float>::infinity(), 0, column, has_categories_, false};
}

void ShortTree::take_ends() {
  const std::size_t n_outputs = tree_->n_outputs();
  const std::vector<double>& answers = tree_->answers;
  is_end_.resize(tree_->n_nodes());
  // Children have higher numbers than their parent.
  for (std::size_t node = tree_->n_nodes(); node-- > 0;) {
    is_end_[node] = tree_->split_of[node] < 0;
    if (is_end_[node] || answers.empty()) continue;
    const Split& split = tree_->splits[static_cast<std::size_t>(tree_->split_of[node])];
    const double* answer = answers.data() + node * n_outputs;
    is_end_[node] = true;
    for (std::int32_t i = 0; i < split.n_children && is_end_[node]; ++i) {
      const auto child = static_cast<std::size_t>(split.first_child + i);
      is_end_[node] =
          is_end_[child] && std::equal(answer, answer + n_outputs, answers.data() + child * n_outputs);
    }
  }
}

// In the order of the tree, where most rows go on nearby: children stay together, and above their parent.
void ShortTree::take_nodes() {
  place_of_.assign(tree_->n_nodes(), kNowhere);
  node_of_.clear();
  place_of_[0] = 0;
  for (std::size_t node = 0; node < tree_->n_nodes(); ++node) {
    if (place_of_[node] == kNowhere) continue;
    place_of_[node] = static_cast<std::uint32_t>(node_of_.size());
    node_of_.push_back(static_cast<std::uint32_t>(node));
    if (is_end_[node]) continue;
    const Split& split = tree_->splits[static_cast<std::size_t>(tree_->split_of[node])];
    std::fill_n(place_of_.begin() + split.first_child, split.n_children, 0);
  }
  steps_.resize(node_of_.size());
  for (std::uint32_t place = 0; place < node_of_.size(); ++place) {
    if (is_end_[node_of_[place]]) {
      steps_[place] = {end_.threshold, place, end_.feature, end_.is_by_category, end_.missing_right};
    } else {
      const Split& own = split(place);
      steps_[place] = step_of(own, place_of_[static_cast<std::size_t>(own.first_child)]);
      has_categories_ |= steps_[place].is_by_category;
    }
  }
}

Step ShortTree::step_of(const Split& split, std::uint32_t first_child) const {
  const auto column = static_cast<std::uint32_t>(split.feature);
  const bool missing_right = split.missing_child == 1;
  const auto rounded = static_cast<float>(split.threshold);
  if (split.kind == SplitKind::threshold) return {rounded, first_child, column, false, missing_right};
  if (is_ordered_[column]) {
    // Halfway to the next position: none is equal to it.
    const auto halfway = static_cast<float>(std::floor(split.threshold) + 0.5);
    return {halfway, first_child, column, false, missing_right};
  }
  return {std::numeric_limits<float>::quiet_NaN(), first_child, column, true, missing_right};
}

void ShortTree::take_answers() {
  const std::size_t n_outputs = tree_->n_outputs();
  answers_.clear();
  if (n_outputs > 2) return;
  answers_.resize(steps_.size() * n_outputs);
  for (std::size_t place = 0; place < steps_.size(); ++place) {
    const Step& step = steps_[place];
    // Only a category stops rows before an end.
    if (step.first_child != place && !step.is_by_category && !is_ordered_[step.feature]) continue;
    add_answer(*tree_, tree_->answers, node_of_[place], answers_.data() + place * n_outputs);
  }
}

void ShortTree::add_answers(const std::vector<std::uint32_t>& ends, double* out) const {
  const std::size_t n_outputs = tree_->n_outputs();
  if (n_outputs == 1) {
    for (const std::uint32_t end : ends) *out++ += answers_[end];
  } else if (n_outputs == 2) {
    for (const std::uint32_t end : ends) {
      *out++ += answers_[2 * end];
      *out++ += answers_[2 * end + 1];
    }
  } else {
    for (const std::uint32_t end : ends) {
      add_answer(*tree_, tree_->answers, node_of_[end], out);
      out += n_outputs;
    }
  }
}

}  // namespace bychance
