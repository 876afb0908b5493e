// Trees grow depth first, with a stack of row ranges that splits partition in place.
#include "forest/grow.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "forest/partition.hpp"
#include "forest/split.hpp"

namespace bychance::forest {
namespace {

// A node to be split, with the rows begin … end-1.
struct OpenNode {
  std::size_t node, begin, end, depth;
};

// A copy of the rows begin … end-1 of a larger table. It has no rows if it is not in use.
struct SmallTable {
  std::size_t begin = 0, end = 0;
  std::vector<std::uint32_t> row_in_larger;
  TreeColumns other;  // the larger table while this one is in use
};

// A split between two values, by their codes.
struct Cut {
  std::size_t split;
  std::uint32_t low, high;
};

constexpr std::size_t kMostTableRows = 2048, kFewestTableRows = 64;  // of a small table
constexpr std::size_t kLargeTableRows = 8192;  // fewest rows of a tree with small tables
constexpr std::size_t kColumnUses = 8;         // small tables pay if a node tries at least 1/8 of the columns

double halfway(double low, double high) {
  const double middle = low / 2 + high / 2;
  return middle >= low && middle < high ? middle : low;
}

// True if ties are broken at random. A tree of all rows that tries all columns draws nothing, so that it is
// the same for every seed.
bool is_drawn(const Sample& sample, const GrowRules& rules, std::size_t n_features) {
  return sample.bootstrap || sample.n_grow < sample.n_rows || rules.max_features < n_features;
}

template <class Criterion>
class Grower {
 public:
  Grower(const FeatureTable& table, TreeColumns& data, const GrowRules& rules, const Sample& sample,
         Watch& watch);

  Tree grow();

 private:
  void choose_table(const OpenNode& open);
  void leave_small_table();
  void open_node(std::size_t begin, std::size_t end, std::size_t depth, bool can_split);
  bool find_split(const NodeRows& node, Candidate& out);
  bool is_better(const Candidate& a, const Candidate& b) const;
  void make_split(const OpenNode& open, const Candidate& chosen);
  void set_thresholds();
  void count_copies();
  void list_rows();

  const FeatureTable& table_;
  TreeColumns& data_;  // of all rows, or of those below one node
  const GrowRules& rules_;
  Watch& watch_;
  const std::size_t n_words_;  // of a set of features
  Tree tree_;
  SplitSearch<Criterion> search_;
  Partition<typename Criterion::Tally> partition_;
  DrawStream stream_;
  const bool has_small_tables_;
  const bool is_drawn_;        // answers count rows as often as they were drawn
  const bool are_ties_drawn_;  // among tied scores, the first column drawn wins
  SmallTable small_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::pair<std::size_t, std::size_t>> ranges_;  // row ranges of nodes, if rows were drawn
  std::vector<std::uint32_t> features_;                      // drawn in place
  std::vector<OpenNode> open_;
  std::vector<std::uint64_t> open_constants_;  // per open node: features known to be constant there
  std::vector<std::uint64_t> constants_;
  std::vector<std::vector<Cut>> cuts_;  // per feature
};

template <class Criterion>
Grower<Criterion>::Grower(const FeatureTable& table, TreeColumns& data, const GrowRules& rules,
                          const Sample& sample, Watch& watch)
    : table_(table),
      data_(data),
      rules_(rules),
      watch_(watch),
      n_words_((table.columns.size() + 63) / 64),
      search_(data, rules.split),
      partition_(data, rules.missing == MissingRows::best),
      stream_(sample.key, kFeatureStream),
      has_small_tables_(data.n_rows > kLargeTableRows &&
                        rules.max_features * kColumnUses >= table.columns.size()),
      is_drawn_(!data.copies.empty()),
      are_ties_drawn_(rules.split.score == Score::fair && is_drawn(sample, rules, table.columns.size())),
      rows_(data.n_rows),
      features_(table.columns.size()),
      constants_(n_words_, 0),
      cuts_(table.columns.size()) {
  std::iota(rows_.begin(), rows_.end(), 0u);
  std::iota(features_.begin(), features_.end(), 0u);
  tree_.n_classes = static_cast<std::int32_t>(data.n_classes);
  tree_.order_start = data.order_start;
  tree_.positions = data.positions;
  tree_.sample = sample;
}

template <class Criterion>
Tree Grower<Criterion>::grow() {
  open_node(0, data_.n_rows, 0, Criterion::add_root(data_, tree_));
  while (!open_.empty()) {
    const OpenNode open = open_.back();
    open_.pop_back();
    for (std::size_t k = n_words_; k-- > 0; open_constants_.pop_back())
      constants_[k] = open_constants_.back();
    choose_table(open);
    Candidate chosen;
    if (find_split({rows_.data() + open.begin, open.end - open.begin, open.node}, chosen))
      make_split(open, chosen);
  }
  leave_small_table();
  if (is_drawn_) count_copies();
  if (tree_.is_of_numbers()) list_rows();
  set_thresholds();
  take_steps(tree_);
  return std::move(tree_);
}

// Recomputes the answers of nodes with all copies of rows. Splits are chosen by rows that count once, since
// the null of gains assumes independent rows.
template <class Criterion>
void Grower<Criterion>::count_copies() {
  data_.weights.resize(data_.n_rows, 1.0);
  for (std::size_t k = 0; k < data_.n_rows; ++k) data_.weights[k] *= data_.copies[k];
  for (std::size_t node = 0; node < ranges_.size(); ++node) {
    const auto [begin, end] = ranges_[node];
    Criterion::count_again(data_, {rows_.data() + begin, end - begin, node}, tree_);
  }
}

// Lists the rows of every node, as often as they were drawn.
template <class Criterion>
void Grower<Criterion>::list_rows() {
  tree_.rows.reserve(tree_.sample.n_grow);
  if (!is_drawn_) {
    for (const std::uint32_t row : rows_) tree_.rows.push_back(data_.source[row]);
    return;
  }
  std::vector<std::int32_t> starts;
  for (const std::uint32_t row : rows_) {
    starts.push_back(static_cast<std::int32_t>(tree_.rows.size()));
    tree_.rows.insert(tree_.rows.end(), data_.copies[row], data_.source[row]);
  }
  starts.push_back(static_cast<std::int32_t>(tree_.rows.size()));
  for (std::size_t node = 0; node < ranges_.size(); ++node) {
    const auto [begin, end] = ranges_[node];
    tree_.first_row[node] = starts[begin];
    tree_.n_rows_of[node] = starts[end] - starts[begin];
  }
}

// Sets all thresholds at the end, feature by feature: values are scattered in memory, and reads overlap here.
template <class Criterion>
void Grower<Criterion>::set_thresholds() {
  for (std::size_t feature = 0; feature < cuts_.size(); ++feature) {
    const std::vector<double>& values = table_.columns[feature].values;
    for (const Cut& cut : cuts_[feature]) {
      tree_.splits[cut.split].threshold = halfway(values[cut.low], values[cut.high]);
    }
  }
}

// Copies a node of few rows to a small table for all nodes below it, since rows of a large table are
// scattered in memory.
template <class Criterion>
void Grower<Criterion>::choose_table(const OpenNode& open) {
  if (!has_small_tables_ || (open.begin >= small_.begin && open.end <= small_.end)) return;
  leave_small_table();
  const std::size_t n = open.end - open.begin;
  if (n < kFewestTableRows || n > kMostTableRows) return;
  const auto first = rows_.begin() + static_cast<std::ptrdiff_t>(open.begin);
  small_.row_in_larger.assign(first, first + static_cast<std::ptrdiff_t>(n));
  take_rows(data_, small_.row_in_larger.data(), n, small_.other);
  std::iota(first, first + static_cast<std::ptrdiff_t>(n), 0u);
  std::swap(data_, small_.other);
  small_.begin = open.begin, small_.end = open.end;
}

template <class Criterion>
void Grower<Criterion>::leave_small_table() {
  if (small_.begin == small_.end) return;
  std::swap(data_, small_.other);
  for (std::size_t k = small_.begin; k < small_.end; ++k) rows_[k] = small_.row_in_larger[rows_[k]];
  small_.begin = small_.end = 0;
}

// Opens the last node of the tree if it may be split.
template <class Criterion>
void Grower<Criterion>::open_node(std::size_t begin, std::size_t end, std::size_t depth, bool can_split) {
  if (is_drawn_) ranges_.emplace_back(begin, end);
  if (tree_.is_of_numbers()) {
    tree_.first_row.push_back(static_cast<std::int32_t>(begin));
    tree_.n_rows_of.push_back(static_cast<std::int32_t>(end - begin));
  }
  const bool is_too_deep = rules_.max_depth > 0 && depth >= rules_.max_depth;
  if (!can_split || is_too_deep || end - begin < rules_.min_samples_split) return;
  open_.push_back({tree_.n_nodes() - 1, begin, end, depth});
  for (const std::uint64_t word : constants_) open_constants_.push_back(word);
}

// Finds the best split of max_features random features, or of more until one has a usable split.
template <class Criterion>
bool Grower<Criterion>::find_split(const NodeRows& node, Candidate& out) {
  const NodeNull null = search_.criterion().enter(node, tree_);
  const auto n_features = static_cast<std::uint32_t>(features_.size());
  const std::size_t n_tried = Criterion::kStopsAtTwoRows && node.n == 2 ? 1 : rules_.max_features;
  double best = -std::numeric_limits<double>::infinity();
  bool is_found = false;
  for (std::uint32_t k = 0; k < n_features; ++k) {
    if (k >= n_tried && is_found) break;
    std::swap(features_[k], features_[k + stream_.below(n_features - k)]);
    const std::uint32_t feature = features_[k];
    if (constants_[feature / 64] >> (feature % 64) & 1) continue;
    bool is_constant = true;
    for (std::size_t c = data_.first_column[feature]; c < data_.first_column[feature + 1]; ++c) {
      if (rules_.split.score == Score::fair && data_.columns[c].is_missingness) continue;
      Candidate candidate;
      search_.best(c, node, null, best, stream_, candidate);
      watch_.done(node.n);
      is_constant &= candidate.is_constant;
      if (!candidate.is_usable || candidate.score < best - kTie) continue;
      if (!is_found || candidate.score > best + kTie || is_better(candidate, out)) out = candidate;
      best = std::max(best, candidate.score);
      is_found = true;
    }
    if (is_constant) constants_[feature / 64] |= std::uint64_t{1} << (feature % 64);
  }
  return is_found && out.score >= rules_.min_score;
}

// Breaks ties: by the first column drawn, so that no position in the table is preferred. If ties are not
// drawn, the split with the fewest children wins, then the first feature.
template <class Criterion>
bool Grower<Criterion>::is_better(const Candidate& a, const Candidate& b) const {
  if (are_ties_drawn_) return false;
  return a.n_children != b.n_children ? a.n_children < b.n_children : a.column < b.column;
}

template <class Criterion>
void Grower<Criterion>::make_split(const OpenNode& open, const Candidate& chosen) {
  const TreeColumn& column = data_.columns[chosen.column];
  Split split{};
  split.gain = chosen.gain * search_.criterion().gain_unit();
  split.score = chosen.score;
  split.feature = column.feature;
  split.kind = column.kind;
  split.first_child = static_cast<std::int32_t>(tree_.n_nodes());
  split.first_category = static_cast<std::int32_t>(tree_.categories.size());
  if (column.is_missingness) {
    split.threshold = kMissingSplit;
  } else if (column.kind == SplitKind::threshold) {
    split.threshold = chosen.threshold;
    if (std::isnan(split.threshold)) {
      const auto feature = static_cast<std::size_t>(split.feature);
      cuts_[feature].push_back({tree_.splits.size(), chosen.low, chosen.high});
    }
  } else {
    split.threshold = chosen.low;
  }
  std::uint32_t* rows = rows_.data() + open.begin;
  const std::size_t n = open.end - open.begin;
  const PartedRows& parted = partition_.part(column, chosen.low, rows, n);
  split.n_children = static_cast<std::int32_t>(parted.starts.size() - 1);
  split.missing_child = column.is_missingness ? 1 : static_cast<std::int32_t>(parted.missing_child);
  if (column.kind == SplitKind::multiway) {
    tree_.categories.insert(tree_.categories.end(), parted.codes.begin(), parted.codes.end());
  }
  tree_.split_of[open.node] = static_cast<std::int32_t>(tree_.splits.size());
  tree_.splits.push_back(split);
  for (std::size_t i = 0; i + 1 < parted.starts.size(); ++i) {
    const std::size_t begin = open.begin + parted.starts[i], end = open.begin + parted.starts[i + 1];
    const NodeRows child{rows_.data() + begin, end - begin, tree_.n_nodes()};
    const bool can_split = search_.criterion().add_node(partition_.tally(), i, child, tree_);
    open_node(begin, end, open.depth + 1, can_split);
  }
}

}  // namespace

std::vector<Tree> grow_trees(const FeatureTable& table, const Target& target, const TreeSettings& settings,
                             const std::vector<PhiloxKey>& keys, const Votes& votes, Watch& watch) {
  const GrowRules& rules = settings.rules;
  std::vector<Tree> trees;
  std::vector<SampledRows> rows;
  for (const PhiloxKey& key : keys) {
    const Sample sample{table.n_rows, settings.n_grow, settings.n_order, settings.bootstrap, key};
    rows.push_back(sample_rows(sample));
    TreeColumns data =
        tree_columns(table, target, rows.back(), rules.categorical,
                     {rules.missing == MissingRows::best, rules.split.score == Score::fair}, watch);
    trees.push_back(target.is_of_numbers()
                        ? Grower<NumberCriterion>(table, data, rules, sample, watch).grow()
                        : Grower<ClassCriterion>(table, data, rules, sample, watch).grow());
  }
  // All votes together, so that the rows of the table stay in the cache.
  for (std::size_t k = 0; k < trees.size() && !votes.layers.empty(); ++k) {
    add_out_of_bag(trees[k], rows[k], table, votes, watch);
  }
  return trees;
}

}  // namespace bychance::forest
