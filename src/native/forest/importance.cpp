// Rows grown on fit a function at every split; rows out of bag say what it is worth.
#include "forest/importance.hpp"

#include <algorithm>
#include <cmath>

#include "forest/walk.hpp"

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

// What a row meets on its way down.
struct Visit {
  std::uint32_t row, split;
  std::int32_t child;
};

class Importances {
 public:
  Importances(const Tree& tree, const FeatureTable& table, const Target& target);

  void fit(const SampledRows& sampled, Watch& watch);
  void measure(const SampledRows& sampled, const ImportanceSums& out, Watch& watch);

 private:
  template <class Each>
  void visit(std::uint32_t row, Watch& watch, Each each) const;
  double place(const Split& split, std::uint32_t row) const;
  bool has_line(const Split& split) const {
    return split.kind == SplitKind::threshold || split.kind == SplitKind::ordered;
  }
  void choose(std::size_t number);
  double* step(std::size_t number, std::int32_t child) {
    return cells_.data() + first_cell_[number] + static_cast<std::size_t>(child) * (1 + d_);
  }
  // Of the fitted function, for a row that goes to this child.
  double fitted(std::size_t number, std::int32_t child, std::uint32_t row, std::size_t j) const;

  const Tree& tree_;
  const FeatureTable& table_;
  const Target& target_;
  const Responses responses_;
  const std::size_t d_;
  const double least_size_;
  std::vector<std::size_t> first_cell_;  // per split
  std::vector<double> cells_;            // per child: weight, then sums of responses, later their means
  std::vector<double> lines_;            // per split: weight, x, xx, yy, then y and xy
  std::vector<double> slopes_;           // per split and response; empty lines have step functions
  std::vector<std::uint8_t> is_line_;
};

Importances::Importances(const Tree& tree, const FeatureTable& table, const Target& target)
    : tree_(tree),
      table_(table),
      target_(target),
      responses_(tree, target),
      d_(responses_.size()),
      least_size_(std::max(kFewestRows, tree.size_of[0] * kSmallestShare)),
      lines_(tree.splits.size() * (4 + 2 * d_), 0.0),
      slopes_(tree.splits.size() * d_, 0.0),
      is_line_(tree.splits.size(), 0) {
  std::size_t n_cells = 0;
  for (const Split& split : tree.splits) {
    first_cell_.push_back(n_cells);
    n_cells += static_cast<std::size_t>(split.n_children) * (1 + d_);
  }
  cells_.assign(n_cells, 0.0);
}

template <class Each>
void Importances::visit(std::uint32_t row, Watch& watch, Each each) const {
  const TrainingRows access{table_};
  for (std::size_t node = 0; tree_.split_of[node] >= 0 && tree_.size_of[node] >= least_size_;) {
    watch.done(1);
    const auto number = static_cast<std::uint32_t>(tree_.split_of[node]);
    const Split& split = tree_.splits[number];
    const std::int32_t child = child_by_value(tree_, split, access, row);
    if (child == kUnseen) return;
    if (child >= 0) each(number, child);
    node = static_cast<std::size_t>(split.first_child + (child < 0 ? split.missing_child : child));
  }
}

double Importances::place(const Split& split, std::uint32_t row) const {
  const auto feature = static_cast<std::size_t>(split.feature);
  const std::uint32_t code = table_.columns[feature].code(row);
  if (split.kind == SplitKind::threshold) return code;
  return tree_.positions[static_cast<std::size_t>(tree_.order_start[feature]) + code];
}

void Importances::fit(const SampledRows& sampled, Watch& watch) {
  const std::size_t width = 4 + 2 * d_;
  for (const std::uint32_t row : rows_of_role(sampled, kGrow)) {
    const double copies = sampled.repetitions.empty() ? 1 : sampled.repetitions[row];
    const double weight = target_.weight(row) * copies;
    if (weight == 0) continue;
    visit(row, watch, [&](std::uint32_t number, std::int32_t child) {
      const Split& split = tree_.splits[number];
      double *cell = step(number, child), *line = lines_.data() + number * width;
      const double x = has_line(split) ? place(split, row) : 0;
      cell[0] += weight;
      line[0] += weight;
      line[1] += weight * x;
      line[2] += weight * x * x;
      responses_.each(row, [&](std::size_t j, double y) {
        cell[1 + j] += weight * y;
        line[3] += weight * y * y;
        line[4 + j] += weight * y;
        line[4 + d_ + j] += weight * x * y;
      });
    });
  }
  for (std::size_t number = 0; number < tree_.splits.size(); ++number) choose(number);
}

// A line, or the means of the children.
void Importances::choose(std::size_t number) {
  const Split& split = tree_.splits[number];
  const double* line = lines_.data() + number * (4 + 2 * d_);
  const double n = line[0], xx = n > 0 ? line[2] - line[1] * line[1] / n : 0;
  if (n == 0) return;
  double of_line = 0, of_step = 0, total = line[3];
  for (std::size_t j = 0; j < d_; ++j) {
    const double y = line[4 + j], xy = line[4 + d_ + j] - line[1] * y / n;
    total -= y * y / n;
    of_step -= y * y / n;
    if (xx > 0) {
      slopes_[number * d_ + j] = xy / xx;
      of_line += xy * xy / xx;
    }
  }
  for (std::int32_t i = 0; i < split.n_children; ++i) {
    double* cell = step(number, i);
    if (cell[0] == 0) continue;
    for (std::size_t j = 0; j < d_; ++j) {
      of_step += cell[1 + j] * cell[1 + j] / cell[0];
      cell[1 + j] /= cell[0];
    }
  }
  is_line_[number] = has_line(split) && xx > 0 && of_step <= kStepRatio * of_line + kStepExcess * total / n;
}

double Importances::fitted(std::size_t number, std::int32_t child, std::uint32_t row, std::size_t j) const {
  if (is_line_[number]) return slopes_[number * d_ + j] * place(tree_.splits[number], row);
  return cells_[first_cell_[number] + static_cast<std::size_t>(child) * (1 + d_) + 1 + j];
}

void Importances::measure(const SampledRows& sampled, const ImportanceSums& out, Watch& watch) {
  const std::size_t width = 1 + 2 * d_;
  std::vector<Visit> visits;
  std::vector<double> sums(tree_.splits.size() * width, 0.0), rows_of(tree_.splits.size(), 0.0);
  std::vector<double> y(d_);
  double total = 0;
  for (const std::uint32_t row : rows_of_role(sampled, kOutOfBag)) {
    const double weight = target_.weight(row);
    if (weight == 0) continue;
    total += weight;
    visit(row, watch, [&](std::uint32_t number, std::int32_t child) {
      visits.push_back({row, number, child});
      double* sum = sums.data() + number * width;
      sum[0] += weight;
      rows_of[number] += 1;
      responses_.each(row, [&](std::size_t j, double value) { sum[1 + j] += weight * value; });
      for (std::size_t j = 0; j < d_; ++j) sum[1 + d_ + j] += weight * fitted(number, child, row, j);
    });
  }
  const double size = tree_.size_of[0];
  const std::size_t n_features = table_.columns.size();
  for (const Visit& each : visits) {
    const double* sum = sums.data() + each.split * width;
    const double n = rows_of[each.split], weight = target_.weight(each.row);
    if (n < 2) continue;
    std::fill(y.begin(), y.end(), 0.0);
    responses_.each(each.row, [&](std::size_t j, double value) { y[j] = value; });
    double product = 0;
    for (std::size_t j = 0; j < d_; ++j) {
      const double f = fitted(each.split, each.child, each.row, j);
      product += (f - sum[1 + d_ + j] / sum[0]) * (y[j] - sum[1 + j] / sum[0]);
    }
    const double in_bag = lines_[each.split * (4 + 2 * d_)];
    product *= responses_.unit() * weight / total * n / (n - 1) * std::sqrt(in_bag / size);
    const auto feature = static_cast<std::size_t>(tree_.splits[each.split].feature);
    out.importance[feature] += product;
    out.by_block[(each.row % out.n_blocks) * n_features + feature] += product;
  }
  for (std::size_t number = 0; number < tree_.splits.size(); ++number) {
    const Split& split = tree_.splits[number];
    const double share = lines_[number * (4 + 2 * d_)] / size;
    out.weight[split.feature] += share * share;
    out.freedom[split.feature] += share * share * (is_line_[number] ? 1 : split.n_children - 1);
  }
}

}  // namespace

void add_importances(const Tree& tree, const FeatureTable& rows, const Target& target,
                     const ImportanceSums& sums, Watch& watch) {
  const SampledRows sampled = sample_rows(tree.sample);
  Importances importances(tree, rows, target);
  importances.fit(sampled, watch);
  importances.measure(sampled, sums, watch);
}

}  // namespace bychance
