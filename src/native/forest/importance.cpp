// Node by node, rows grown on fit a function, rows out of bag test it, and both go down to the children.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "forest/out_of_bag.hpp"
#include "forest/partition.hpp"

namespace bychance::forest {
namespace {

constexpr double kFewestRows = 10, kSmallestShare = 1.0 / 256;
constexpr double kStepRatio = 3, kStepExcess = 6;  // of squares explained, over those of a line

// Responses as vectors: numbers, class indicators, or for two classes the indicator of the second. A row is
// stored as one number: its entry or, for more classes, the position of the entry that is 1.
class Responses {
 public:
  Responses(const Tree& tree, const Target& target)
      : target_(target),
        size_(target.is_of_numbers() || target.n_classes == 2 ? 1 : target.n_classes),
        center_(target.is_of_numbers() ? tree.values.front() : 0) {}

  std::size_t size() const { return size_; }
  double unit() const { return !target_.is_of_numbers() && target_.n_classes == 2 ? 2 : 1; }
  double of(std::size_t row) const {
    return target_.is_of_numbers() ? target_.numbers[row] - center_ : target_.classes[row];
  }

 private:
  const Target& target_;
  const std::size_t size_;
  const double center_;
};

// Calls add(j, entry) for all entries of a response that are not 0.
template <bool kIsOne, class Add>
void each_entry(double response, Add add) {
  if constexpr (kIsOne) {
    add(std::size_t{0}, response);
  } else {
    add(static_cast<std::size_t>(response), 1.0);
  }
}

// A row at a node: its child, and the rank of its value if values are ordered.
struct RowHere {
  std::uint32_t row;
  std::int32_t way = 0;
  double place = 0, response, weight;
};

struct Range {
  std::size_t begin, end;
};

// Rows of one role, those of a node together, and the starts of the children of the last node.
struct RowsOfRole {
  std::vector<RowHere> rows, scratch;
  std::vector<std::size_t> starts;

  Range child(const Range& parent, std::size_t i) const {
    return {parent.begin + starts[i], parent.begin + starts[i + 1]};
  }
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
  RowsOfRole of_role(Role role, const std::vector<std::uint32_t>& repetitions) const;
  void measure(const OpenNode& open, const Split& split);
  void find_ways(const Split& split, const Range& range, RowsOfRole& of_role) const;
  template <bool kIsOne>
  void fit(const Split& split, const Range& range);
  template <bool kIsOne>
  void judge(const Split& split, const Range& range);
  void part(const Split& split, const Range& range, RowsOfRole& of_role) const;
  double fitted(const RowHere& here, std::size_t j) const {
    return is_line_ ? slopes_[j] * here.place : cells_[static_cast<std::size_t>(here.way) * (1 + d_) + 1 + j];
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
  double n_grown_ = 0;                 // weight of the fitting rows of a node
  std::vector<double> cells_;          // per child: weight, then sums of responses, later their means
  std::vector<double> y_, xy_;         // sums of responses, and of responses times ranks
  std::vector<double> slopes_, fits_;  // by response; sums of fitted values
  bool is_line_ = false;
};

RowsOfRole Importances::of_role(Role role, const std::vector<std::uint32_t>& repetitions) const {
  RowsOfRole all;
  for (const std::uint32_t row : rows_of_role(sampled_, role)) {
    const double weight = target_.weight(row) * (repetitions.empty() ? 1 : repetitions[row]);
    if (target_.weight(row) != 0) all.rows.push_back({row, 0, 0, responses_.of(row), weight});
  }
  all.scratch.resize(all.rows.size());
  return all;
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
      grown_(of_role(kGrow, sampled_.repetitions)),
      judged_(of_role(kOutOfBag, {})),
      y_(d_),
      xy_(d_),
      slopes_(d_),
      fits_(d_) {
  for (const RowHere& here : judged_.rows) total_ += here.weight;
}

void Importances::run(Watch& watch) {
  const double least = std::max(kFewestRows, tree_.size_of[0] * kSmallestShare);
  const auto is_large = [&](std::size_t node) {
    return tree_.split_of[node] >= 0 && tree_.size_of[node] >= least;
  };
  std::vector<OpenNode> open;
  if (is_large(0)) open.push_back({0, {0, grown_.rows.size()}, {0, judged_.rows.size()}});
  while (!open.empty()) {
    const OpenNode node = open.back();
    open.pop_back();
    if (node.judged.begin == node.judged.end) continue;
    const Split& split = split_at(tree_, node.node);
    watch.done(node.grown.end - node.grown.begin + 2 * (node.judged.end - node.judged.begin));
    find_ways(split, node.grown, grown_);
    find_ways(split, node.judged, judged_);
    measure(node, split);
    const auto first = static_cast<std::size_t>(split.first_child);
    const auto n_children = static_cast<std::size_t>(split.n_children);
    std::size_t n_large = 0;
    for (std::size_t i = 0; i < n_children; ++i) n_large += is_large(first + i);
    if (n_large == 0) continue;
    part(split, node.grown, grown_);
    part(split, node.judged, judged_);
    for (std::size_t i = 0; i < n_children; ++i) {
      if (is_large(first + i))
        open.push_back({first + i, grown_.child(node.grown, i), judged_.child(node.judged, i)});
    }
  }
}

// The child of each row, kMissing without a value, kUnseen if its category has no child.
void Importances::find_ways(const Split& split, const Range& range, RowsOfRole& of_role) const {
  const auto feature = static_cast<std::size_t>(split.feature);
  const FeatureColumn& column = table_.columns[feature];
  const std::int32_t* positions = tree_.positions.data() + tree_.order_start[feature];
  const bool is_missingness = split.threshold == kMissingSplit;
  RowHere *first = of_role.rows.data() + range.begin, *last = of_role.rows.data() + range.end;
  with_children(tree_, table_, split, [&](auto child_of) {
    for (RowHere* here = first; here != last; ++here) {
      here->way = child_of(here->row);
      if (is_missingness && here->way == kMissing) here->way = split.missing_child;
      if (here->way < 0) continue;
      const std::uint32_t code = column.codes[here->row];
      here->place = split.kind == SplitKind::ordered && !is_missingness ? positions[code] : code;
    }
  });
}

void Importances::measure(const OpenNode& open, const Split& split) {
  d_ == 1 ? fit<true>(split, open.grown) : fit<false>(split, open.grown);
  const double share = n_grown_ / tree_.size_of[0];
  out_.weight[split.feature] += share * share;
  out_.freedom[split.feature] += share * share * (is_line_ ? 1 : split.n_children - 1);
  d_ == 1 ? judge<true>(split, open.judged) : judge<false>(split, open.judged);
}

// Fits a line, or the means of the children.
template <bool kIsOne>
void Importances::fit(const Split& split, const Range& range) {
  const bool has_line = split.kind != SplitKind::multiway && split.threshold != kMissingSplit;
  const std::size_t d = kIsOne ? 1 : d_;
  cells_.assign(static_cast<std::size_t>(split.n_children) * (1 + d), 0.0);
  std::fill(y_.begin(), y_.end(), 0.0);
  std::fill(xy_.begin(), xy_.end(), 0.0);
  double n = 0, x_sum = 0, xx = 0, yy = 0, one_y = 0, one_xy = 0;
  double *cells = cells_.data(), *y_sums = kIsOne ? &one_y : y_.data(),
         *xy_sums = kIsOne ? &one_xy : xy_.data();
  const RowHere* last = grown_.rows.data() + range.end;
  for (const RowHere* here = grown_.rows.data() + range.begin; here != last; ++here) {
    if (here->way < 0) continue;
    const double w = here->weight, x = has_line ? here->place : 0;
    double* cell = cells + static_cast<std::size_t>(here->way) * (1 + d);
    cell[0] += w;
    n += w;
    x_sum += w * x;
    xx += w * x * x;
    each_entry<kIsOne>(here->response, [&](std::size_t j, double y) {
      cell[1 + j] += w * y;
      yy += w * y * y;
      y_sums[j] += w * y;
      xy_sums[j] += w * x * y;
    });
  }
  n_grown_ = n;
  xx -= n > 0 ? x_sum * x_sum / n : xx;
  double of_line = 0, of_step = 0, total = yy;
  for (std::size_t j = 0; j < d && n > 0; ++j) {
    const double y = y_sums[j], xy = xy_sums[j] - x_sum * y / n;
    total -= y * y / n;
    of_step -= y * y / n;
    slopes_[j] = xx > 0 ? xy / xx : 0;
    of_line += slopes_[j] * xy;
  }
  for (std::size_t first = 0; first < cells_.size(); first += 1 + d) {
    if (cells[first] == 0) continue;
    for (std::size_t j = 1; j <= d; ++j) {
      of_step += cells[first + j] * cells[first + j] / cells[first];
      cells[first + j] /= cells[first];
    }
  }
  is_line_ = has_line && xx > 0 && of_step <= kStepRatio * of_line + kStepExcess * total / n;
}

template <bool kIsOne>
void Importances::judge(const Split& split, const Range& range) {
  const std::size_t d = kIsOne ? 1 : d_;
  const RowHere *begin = judged_.rows.data() + range.begin, *end = judged_.rows.data() + range.end;
  std::fill(y_.begin(), y_.end(), 0.0);
  std::fill(fits_.begin(), fits_.end(), 0.0);
  double n = 0, weight = 0, one_y = 0, one_fit = 0;
  double *y_means = kIsOne ? &one_y : y_.data(), *fit_means = kIsOne ? &one_fit : fits_.data();
  for (const RowHere* here = begin; here != end; ++here) {
    if (here->way < 0) continue;
    n += 1;
    weight += here->weight;
    each_entry<kIsOne>(here->response, [&](std::size_t j, double y) { y_means[j] += here->weight * y; });
    for (std::size_t j = 0; j < d; ++j) fit_means[j] += here->weight * fitted(*here, j);
  }
  if (n < 2) return;
  for (std::size_t j = 0; j < d; ++j) y_means[j] /= weight, fit_means[j] /= weight;
  const double unit = responses_.unit() / total_ * n / (n - 1) * std::sqrt(n_grown_ / tree_.size_of[0]);
  const auto feature = static_cast<std::size_t>(split.feature);
  const auto n_blocks = static_cast<std::uint32_t>(out_.n_blocks);
  double importance = out_.importance[feature];
  double* by_block = out_.by_block + feature * out_.n_blocks;
  for (const RowHere* here = begin; here != end; ++here) {
    if (here->way < 0) continue;
    double product = 0;
    for (std::size_t j = 0; j < d; ++j) {
      const double y = kIsOne ? here->response : here->response == static_cast<double>(j);
      product += (fitted(*here, j) - fit_means[j]) * (y - y_means[j]);
    }
    product *= unit * here->weight;
    importance += product;
    by_block[here->row % n_blocks] += product;
  }
  out_.importance[feature] = importance;
}

// Splits rows in place, in their order. Rows that end at the node come last.
void Importances::part(const Split& split, const Range& range, RowsOfRole& of_role) const {
  RowHere* rows = of_role.rows.data() + range.begin;
  const auto part_of_row = [&](std::size_t k) { return part_of(split, rows[k].way); };
  part_rows(rows, of_role.scratch.data(), range.end - range.begin, n_parts(split), part_of_row,
            of_role.starts);
}

}  // namespace

void add_importances(const Tree& tree, const FeatureTable& rows, const Target& target,
                     const ImportanceSums& sums, Watch& watch) {
  Importances(tree, rows, target, sums).run(watch);
}

}  // namespace bychance::forest
