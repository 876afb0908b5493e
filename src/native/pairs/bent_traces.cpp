// Complete columns are placed once; other pairs are placed on the rows that both columns have.
#include "pairs/bent_traces.hpp"

#include <algorithm>
#include <cmath>

#include "pairs/column_order.hpp"
#include "pairs/lines.hpp"

namespace bychance {
namespace {

constexpr std::size_t kStride = kMostBentColumns + 1;  // sums of one class

double trace_of(const BentLine& a, const std::vector<double>& line) {
  double sums[kStride] = {};
  for (std::size_t k = 0; k < line.size(); ++k) a.add(k, line[k], sums);
  return a.squared_length(sums, 0);
}

double trace_of(const BentLine& a, const std::vector<std::int32_t>& codes, const GroupSizes& classes,
                std::vector<double>& sums) {
  sums.assign(classes.sizes.size() * kStride, 0.0);
  for (std::size_t k = 0; k < codes.size(); ++k) {
    a.add(k, 1, sums.data() + static_cast<std::size_t>(codes[k]) * kStride);
  }
  double trace = 0;
  for (std::size_t g = 0; g < classes.sizes.size(); ++g) {
    trace += a.squared_length(sums.data() + g * kStride, static_cast<double>(classes.sizes[g]));
  }
  return trace;
}

std::int64_t smallest_group(const BentLine& a) {
  if (!a.has_groups_only || a.n_columns == 0) return 0;
  const auto end = a.group_sizes.begin() + static_cast<std::ptrdiff_t>(a.n_columns);
  return *std::min_element(a.group_sizes.begin(), end);
}

// How many distinct values there are, up to as many as lines count.
std::int64_t count_distinct(const std::vector<double>& ascending) {
  std::int64_t count = 0;
  for (std::size_t k = 0; k < ascending.size() && count < CenteredLine::kManyValues; ++k) {
    count += k == 0 || ascending[k] != ascending[k - 1];
  }
  return count;
}

struct Figures {
  double trace;
  std::int64_t x_distinct, y_distinct, y_smallest;
};

void put(BentTraces& out, std::size_t k, const BentLine& a, const Invariants& b, const Figures& figures) {
  const auto at = static_cast<std::ptrdiff_t>(k * kInvariants);
  out.n[k] = static_cast<std::int64_t>(a.columns.size());
  out.trace[k] = figures.trace;
  out.x_distinct[k] = a.rank == 1 ? figures.x_distinct : static_cast<std::int64_t>(a.rank) + 1;
  out.y_distinct[k] = figures.y_distinct;
  out.x_smallest[k] = smallest_group(a);
  out.y_smallest[k] = figures.y_smallest;
  std::copy(a.invariants.begin(), a.invariants.end(), out.x_invariants.begin() + at);
  std::copy(b.begin(), b.end(), out.y_invariants.begin() + at);
}

// The values of x on the rows that both columns have, ascending, and the bent line through them.
class SharedRows {
 public:
  explicit SharedRows(const BentColumns& x) : x_(x) {}

  template <class Has, class Take>
  void gather(const BentColumn& x, Has has_y, Take take_y) {
    values_.clear();
    for (const std::int32_t row : x.order) {
      if (!has_y(static_cast<std::size_t>(row))) continue;
      values_.push_back(x.values[static_cast<std::size_t>(row)]);
      take_y(static_cast<std::size_t>(row));
    }
    const std::size_t n = values_.size();
    if (x_.is_ranked) make_midranks(values_.data(), n);
    line_.fit(values_.data(), n, find_bends(values_.data(), n, x_.pieces_of(n)));
  }

  const BentLine& line() const { return line_; }
  std::int64_t n_distinct() const { return count_distinct(values_); }

 private:
  const BentColumns& x_;
  std::vector<double> values_;
  BentLine line_;
};

}  // namespace

void BentColumns::add(const double* values, std::size_t n) {
  BentColumn column;
  column.values.assign(values, values + n);
  std::vector<double> present;
  std::vector<std::int32_t> rows;
  for (std::size_t k = 0; k < n; ++k) {
    if (std::isnan(values[k])) continue;
    present.push_back(values[k]);
    rows.push_back(static_cast<std::int32_t>(k));
  }
  std::vector<double> ascending;
  for (const KeyedRow& each : ascending_rows(present.data(), present.size())) {
    column.order.push_back(rows[static_cast<std::size_t>(each.row)]);
    ascending.push_back(present[static_cast<std::size_t>(each.row)]);
  }
  if (!column.has_missing()) {
    column.line.fit(values, n, find_bends(ascending.data(), n, pieces_of(n)));
    column.n_distinct = count_distinct(ascending);
  }
  n_rows = n;
  columns.push_back(std::move(column));
}

BentTraces::BentTraces(std::size_t count)
    : n(count),
      x_distinct(count),
      y_distinct(count),
      x_smallest(count),
      y_smallest(count),
      trace(count),
      x_invariants(count * kInvariants),
      y_invariants(count * kInvariants) {}

void bent_traces(const BentColumns& x, const NumberColumns& y, const PairIndices& pairs, BentTraces& out) {
  SharedRows shared(x);
  CenteredLine own;
  for (std::size_t k = 0; k < pairs.count; ++k) {
    const BentColumn& first = x.columns[static_cast<std::size_t>(pairs.first[k])];
    const NumberColumn& second = y.columns[static_cast<std::size_t>(pairs.second[k])];
    if (!first.has_missing() && !second.has_missing) {
      const CenteredLine& line = second.line;
      const double trace = trace_of(first.line, line.values);
      put(out, k, first.line, line.invariants, {trace, first.n_distinct, line.n_distinct, 0});
      continue;
    }
    own.values.clear();
    shared.gather(
        first, [&](std::size_t row) { return !std::isnan(second.values[row]); },
        [&](std::size_t row) { own.values.push_back(second.values[row]); });
    if (x.is_ranked) make_midranks(own.values.data(), own.values.size());
    own.center();
    const double trace = trace_of(shared.line(), own.values);
    put(out, k, shared.line(), own.invariants, {trace, shared.n_distinct(), own.n_distinct, 0});
  }
}

void bent_traces(const BentColumns& x, const LabelColumns& y, const PairIndices& pairs, BentTraces& out) {
  SharedRows shared(x);
  GroupSizes own;
  std::vector<std::int32_t> codes;
  std::vector<double> sums;
  PartitionInvariants invariants;
  const auto of_classes = [](double trace, std::int64_t x_distinct, const GroupSizes& classes) {
    const auto count = static_cast<std::int64_t>(classes.n_distinct());
    return Figures{trace, x_distinct, count, classes.smallest()};
  };
  for (std::size_t k = 0; k < pairs.count; ++k) {
    const BentColumn& first = x.columns[static_cast<std::size_t>(pairs.first[k])];
    const LabelColumn& second = y.columns[static_cast<std::size_t>(pairs.second[k])];
    if (!first.has_missing() && !second.has_missing) {
      const double trace = trace_of(first.line, second.codes, second.groups, sums);
      put(out, k, first.line, second.as_indicator, of_classes(trace, first.n_distinct, second.groups));
      continue;
    }
    const auto missing = static_cast<std::int32_t>(second.n_labels());
    codes.clear();
    own.sizes.assign(second.n_labels(), 0);
    shared.gather(
        first, [&](std::size_t row) { return second.codes[row] != missing; },
        [&](std::size_t row) {
          codes.push_back(second.codes[row]);
          ++own.sizes[static_cast<std::size_t>(second.codes[row])];
        });
    own.n = static_cast<std::int64_t>(codes.size());
    const double trace = trace_of(shared.line(), codes, own, sums);
    const Invariants b = invariants.of(own, Weights::indicator);
    put(out, k, shared.line(), b, of_classes(trace, shared.n_distinct(), own));
  }
}

}  // namespace bychance
