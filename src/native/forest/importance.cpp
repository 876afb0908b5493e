// Node by node: rows grown on fit a function, rows out of bag say what it is worth, and both move on.
#include "forest/importance.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace bychance {
namespace {

constexpr double kFewestRows = 10, kSmallestShare = 1.0 / 256;
constexpr double kStepRatio = 3, kStepExcess = 6;  // of a step's T over that of a line

// The responses as vectors: numbers, class indicators, or of two classes the second.
class Responses {
 public:
  Responses(const Tree& tree, const Target& target)
      : target_(target),
        size_(target.is_of_numbers() || target.n_classes == 2 ? 1 : target.n_classes),
        center_(target.is_of_numbers() ? tree.values.front() : 0) {}

  std::size_t size() const { return size_; }
  double unit() const { return !target_.is_of_numbers() && target_.n_classes == 2 ? 2 : 1; }
  // Calls add(j, value) for those that are not 0.
  template <class Add>
  void each(std::size_t row, Add add) const {
    if (target_.is_of_numbers()) {
      add(std::size_t{0}, target_.numbers[row] - center_);
    } else if (target_.n_classes == 2) {
      if (target_.classes[row] == 1) add(std::size_t{0}, 1.0);
    } else {
      add(static_cast<std::size_t>(target_.classes[row]), 1.0);
    }
  }

 private:
  const Target& target_;
  const std::size_t size_;
  const double center_;
};

constexpr std::int32_t kMissing = -1, kUnseen = -2;

// Rows of one role, those of a node together, the child that each goes to, and its place among the values in
// order where they have one.
struct RowsOfRole {
  std::vector<std::uint32_t> rows, scratch;
  std::vector<std::int32_t> ways;
  std::vector<double> places;

  explicit RowsOfRole(std::vector<std::uint32_t> of_role)
      : rows(std::move(of_role)), scratch(rows.size()), ways(rows.size()), places(rows.size(), 0.0) {}
};

struct Range {
  std::size_t begin, end;
};

struct OpenNode {
  std::size_t node;
  Range grown, judged;
};

class Importances {
 public:
  Importances(const Tree& tree, const FeatureTable& table, const Target& target, const ImportanceSums& out);

  void run(Watch& watch);

 private:
  void measure(const OpenNode& open, const Split& split);
  void find_ways(const Split& split, const Range& range, RowsOfRole& of_role);
  void fit(const Split& split, const Range& range);
  void judge(const Split& split, const Range& range);
  std::vector<Range> part(const Split& split, const Range& range, RowsOfRole& of_role) const;
  double fitted(std::size_t k, std::size_t j) const {
    return is_line_ ? slopes_[j] * judged_.places[k]
                    : cells_[static_cast<std::size_t>(judged_.ways[k]) * (1 + d_) + 1 + j];
  }
  double weight(std::uint32_t row) const {
    return target_.weight(row) * (sampled_.repetitions.empty() ? 1 : sampled_.repetitions[row]);
  }

  const Tree& tree_;
  const FeatureTable& table_;
  const Target& target_;
  const ImportanceSums& out_;
  const SampledRows sampled_;
  const Responses responses_;
  const std::size_t d_;
  RowsOfRole grown_, judged_;
  double total_ = 0;                   // weight of all rows out of bag
  std::vector<std::int32_t> way_of_;   // by category
  std::vector<double> cells_;          // per child: weight, then sums of responses, later their means
  std::vector<double> line_, slopes_;  // weight, x, xx, yy, then y and xy; slope by response
  std::vector<double> sums_, y_;       // of the judged: weight, responses, fitted
  bool is_line_ = false;
};

std::vector<std::uint32_t> weighty_rows(const SampledRows& sampled, Role role, const Target& target) {
  std::vector<std::uint32_t> rows = rows_of_role(sampled, role);
  const auto is_weightless = [&target](std::uint32_t row) { return target.weight(row) == 0; };
  rows.erase(std::remove_if(rows.begin(), rows.end(), is_weightless), rows.end());
  return rows;
}

Importances::Importances(const Tree& tree, const FeatureTable& table, const Target& target,
                         const ImportanceSums& out)
    : tree_(tree),
      table_(table),
      target_(target),
      out_(out),
      sampled_(sample_rows(tree.sample)),
      responses_(tree, target),
      d_(responses_.size()),
      grown_(weighty_rows(sampled_, kGrow, target)),
      judged_(weighty_rows(sampled_, kOutOfBag, target)),
      line_(4 + 2 * d_),
      slopes_(d_),
      sums_(1 + 2 * d_),
      y_(d_) {
  for (const std::uint32_t row : judged_.rows) total_ += target.weight(row);
}

void Importances::run(Watch& watch) {
  const double least = std::max(kFewestRows, tree_.size_of[0] * kSmallestShare);
  std::vector<OpenNode> open{{0, {0, grown_.rows.size()}, {0, judged_.rows.size()}}};
  while (!open.empty()) {
    const OpenNode node = open.back();
    open.pop_back();
    const std::int32_t number = tree_.split_of[node.node];
    if (number < 0 || tree_.size_of[node.node] < least || node.judged.begin == node.judged.end) continue;
    const Split& split = tree_.splits[static_cast<std::size_t>(number)];
    watch.done(node.grown.end - node.grown.begin + 2 * (node.judged.end - node.judged.begin));
    find_ways(split, node.grown, grown_);
    find_ways(split, node.judged, judged_);
    measure(node, split);
    const std::vector<Range> grown = part(split, node.grown, grown_),
                             judged = part(split, node.judged, judged_);
    for (std::size_t i = 0; i < grown.size(); ++i) {
      open.push_back({static_cast<std::size_t>(split.first_child) + i, grown[i], judged[i]});
    }
  }
}

// The child of each row; kMissing without a value, kUnseen where a category has none.
void Importances::find_ways(const Split& split, const Range& range, RowsOfRole& of_role) {
  const std::int32_t without = split.threshold == kGap ? split.missing_child : kMissing;
  const auto feature = static_cast<std::size_t>(split.feature);
  const FeatureColumn& column = table_.columns[feature];
  if (split.kind == SplitKind::threshold) {
    const auto first_right = static_cast<std::uint32_t>(column.values.n_up_to(split.threshold));
    for (std::size_t k = range.begin; k < range.end; ++k) {
      const std::uint32_t code = column.code(of_role.rows[k]);
      of_role.ways[k] = code == column.n_codes ? without : code >= first_right;
      of_role.places[k] = code;
    }
    return;
  }
  way_of_.assign(column.n_codes + 1, kUnseen);
  way_of_.back() = without;
  if (split.kind == SplitKind::multiway) {
    const std::int32_t* categories = tree_.categories.data() + split.first_category;
    for (std::int32_t i = 0; i < split.n_children; ++i) way_of_[static_cast<std::size_t>(categories[i])] = i;
  } else {
    const std::int32_t* positions = tree_.positions.data() + tree_.order_start[feature];
    for (std::uint32_t code = 0; code < column.n_codes; ++code) {
      way_of_[code] =
          split.kind == SplitKind::ordered ? positions[code] > split.threshold : code != split.threshold;
    }
  }
  const bool has_places = split.kind == SplitKind::ordered;
  const std::int32_t* positions = tree_.positions.data() + tree_.order_start[feature];
  for (std::size_t k = range.begin; k < range.end; ++k) {
    const std::uint32_t code = column.code(of_role.rows[k]);
    of_role.ways[k] = way_of_[code];
    if (has_places && code < column.n_codes) of_role.places[k] = positions[code];
  }
}

void Importances::measure(const OpenNode& open, const Split& split) {
  fit(split, open.grown);
  const double share = line_[0] / tree_.size_of[0];
  out_.weight[split.feature] += share * share;
  out_.freedom[split.feature] += share * share * (is_line_ ? 1 : split.n_children - 1);
  judge(split, open.judged);
}

// A line, or the means of the children.
void Importances::fit(const Split& split, const Range& range) {
  const bool is_cut = split.kind == SplitKind::threshold || split.kind == SplitKind::ordered;
  const bool has_line = is_cut && split.threshold != kGap;
  cells_.assign(static_cast<std::size_t>(split.n_children) * (1 + d_), 0.0);
  std::fill(line_.begin(), line_.end(), 0.0);
  for (std::size_t k = range.begin; k < range.end; ++k) {
    if (grown_.ways[k] < 0) continue;
    const std::uint32_t row = grown_.rows[k];
    const double w = weight(row), x = has_line ? grown_.places[k] : 0;
    double* cell = cells_.data() + static_cast<std::size_t>(grown_.ways[k]) * (1 + d_);
    cell[0] += w;
    line_[0] += w;
    line_[1] += w * x;
    line_[2] += w * x * x;
    responses_.each(row, [&](std::size_t j, double y) {
      cell[1 + j] += w * y;
      line_[3] += w * y * y;
      line_[4 + j] += w * y;
      line_[4 + d_ + j] += w * x * y;
    });
  }
  const double n = line_[0], xx = n > 0 ? line_[2] - line_[1] * line_[1] / n : 0;
  double of_line = 0, of_step = 0, total = line_[3];
  for (std::size_t j = 0; j < d_ && n > 0; ++j) {
    const double y = line_[4 + j], xy = line_[4 + d_ + j] - line_[1] * y / n;
    total -= y * y / n;
    of_step -= y * y / n;
    slopes_[j] = xx > 0 ? xy / xx : 0;
    of_line += slopes_[j] * xy;
  }
  for (std::size_t first = 0; first < cells_.size(); first += 1 + d_) {
    if (cells_[first] == 0) continue;
    for (std::size_t j = 1; j <= d_; ++j) {
      of_step += cells_[first + j] * cells_[first + j] / cells_[first];
      cells_[first + j] /= cells_[first];
    }
  }
  is_line_ = has_line && xx > 0 && of_step <= kStepRatio * of_line + kStepExcess * total / n;
}

void Importances::judge(const Split& split, const Range& range) {
  std::fill(sums_.begin(), sums_.end(), 0.0);
  double n = 0;
  for (std::size_t k = range.begin; k < range.end; ++k) {
    if (judged_.ways[k] < 0) continue;
    const std::uint32_t row = judged_.rows[k];
    const double w = target_.weight(row);
    n += 1;
    sums_[0] += w;
    responses_.each(row, [&](std::size_t j, double value) { sums_[1 + j] += w * value; });
    for (std::size_t j = 0; j < d_; ++j) sums_[1 + d_ + j] += w * fitted(k, j);
  }
  if (n < 2) return;
  const double unit = responses_.unit() / total_ * n / (n - 1) * std::sqrt(line_[0] / tree_.size_of[0]);
  const auto feature = static_cast<std::size_t>(split.feature);
  const auto n_blocks = static_cast<std::uint32_t>(out_.n_blocks);
  double importance = out_.importance[feature];
  double* by_block = out_.by_block + feature * out_.n_blocks;
  for (std::size_t k = range.begin; k < range.end; ++k) {
    if (judged_.ways[k] < 0) continue;
    const std::uint32_t row = judged_.rows[k];
    std::fill(y_.begin(), y_.end(), 0.0);
    responses_.each(row, [&](std::size_t j, double value) { y_[j] = value; });
    double product = 0;
    for (std::size_t j = 0; j < d_; ++j) {
      const double f = fitted(k, j);
      product += (f - sums_[1 + d_ + j] / sums_[0]) * (y_[j] - sums_[1 + j] / sums_[0]);
    }
    product *= unit * target_.weight(row);
    importance += product;
    by_block[row % n_blocks] += product;
  }
  out_.importance[feature] = importance;
}

// In place and in their order; rows that end here are left behind.
std::vector<Range> Importances::part(const Split& split, const Range& range, RowsOfRole& of_role) const {
  std::vector<Range> ranges;
  std::vector<std::size_t> counts(static_cast<std::size_t>(split.n_children), 0);
  for (std::size_t k = range.begin; k < range.end; ++k) {
    if (of_role.ways[k] == kMissing) of_role.ways[k] = split.missing_child;
    if (of_role.ways[k] >= 0) ++counts[static_cast<std::size_t>(of_role.ways[k])];
  }
  std::size_t start = range.begin;
  for (std::size_t& count : counts) {
    ranges.push_back({start, start + count});
    start += count;
    count = ranges.back().begin;
  }
  for (std::size_t k = range.begin; k < range.end; ++k) {
    if (of_role.ways[k] >= 0)
      of_role.scratch[counts[static_cast<std::size_t>(of_role.ways[k])]++] = of_role.rows[k];
  }
  std::copy(of_role.scratch.begin() + static_cast<std::ptrdiff_t>(range.begin),
            of_role.scratch.begin() + static_cast<std::ptrdiff_t>(start),
            of_role.rows.begin() + static_cast<std::ptrdiff_t>(range.begin));
  return ranges;
}

}  // namespace

void add_importances(const Tree& tree, const FeatureTable& rows, const Target& target,
                     const ImportanceSums& sums, Watch& watch) {
  Importances(tree, rows, target, sums).run(watch);
}

}  // namespace bychance
