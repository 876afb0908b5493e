// Complete columns are placed once; other pairs are placed on the rows that both columns have.
#include "moments/bent_traces.hpp"

#include <algorithm>
#include <cmath>

#include "core/column_order.hpp"
#include "moments/lines.hpp"

namespace bychance {
namespace {

std::int64_t smallest_group(const BentLine& a) {
  if (!a.has_groups_only || a.n_columns == 0) return 0;
  const auto end = a.group_sizes.begin() + static_cast<std::ptrdiff_t>(a.n_columns);
  return *std::min_element(a.group_sizes.begin(), end);
}

// All but y's sizes; `n_distinct` of x.
void put(PairTraces& out, std::size_t k, const BentLine& a, std::int64_t n_distinct, double trace,
         const Invariants& b) {
  out.trace[k] = trace;
  out.x[k] = a.invariants;
  out.y[k] = b;
  out.sizes.n[k] = static_cast<std::int64_t>(a.columns.size());
  out.sizes.x_distinct[k] = a.rank == 1 ? n_distinct : static_cast<std::int64_t>(a.rank) + 1;
  out.sizes.x_smallest[k] = smallest_group(a);
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
      values_.push_back(x.values[row]);
      take_y(static_cast<std::size_t>(row));
    }
    const std::size_t n = values_.size();
    if (x_.is_ranked) make_midranks(values_.data(), n);
    line_.fit(values_.data(), n, find_bends(values_.data(), n, x_.pieces_of(n)));
  }

  const BentLine& line() const { return line_; }
  std::int64_t n_distinct() const { return count_distinct(values_, CenteredLine::kManyValues); }

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
    column.order.push_back(rows[each.row]);
    ascending.push_back(present[each.row]);
  }
  if (!column.has_missing()) {
    column.line.fit(values, n, find_bends(ascending.data(), n, pieces_of(n)));
    column.n_distinct = count_distinct(ascending, CenteredLine::kManyValues);
  }
  n_rows = n;
  columns.push_back(std::move(column));
}

PairTraces bent_traces(const BentColumns& x, const NumberColumns& y, const PairIndices& pairs) {
  PairTraces out(pairs.count);
  SharedRows shared(x);
  CenteredLine own;
  const auto take = [&](std::size_t k, const BentLine& a, std::int64_t n_distinct, const CenteredLine& line) {
    const double trace = trace_of_line(a, [&](std::size_t row) { return line.values[row]; });
    put(out, k, a, n_distinct, trace, line.invariants);
    out.sizes.y_distinct[k] = line.n_distinct;
  };
  for (std::size_t k = 0; k < pairs.count; ++k) {
    const BentColumn& first = x.columns[pairs.first[k]];
    const NumberColumn& second = y.columns[pairs.second[k]];
    if (!first.has_missing() && !second.has_missing) {
      take(k, first.line, first.n_distinct, second.line);
      continue;
    }
    own.values.clear();
    shared.gather(
        first, [&](std::size_t row) { return !std::isnan(second.values[row]); },
        [&](std::size_t row) { own.values.push_back(second.values[row]); });
    if (x.is_ranked) make_midranks(own.values.data(), own.values.size());
    own.center();
    take(k, shared.line(), shared.n_distinct(), own);
  }
  return out;
}

PairTraces bent_traces(const BentColumns& x, const LabelColumns& y, const PairIndices& pairs) {
  PairTraces out(pairs.count);
  SharedRows shared(x);
  GroupSizes own;
  std::vector<std::int32_t> own_codes;
  std::vector<double> sums;
  PartitionInvariants invariants;
  for (std::size_t k = 0; k < pairs.count; ++k) {
    const BentColumn& first = x.columns[pairs.first[k]];
    const LabelColumn& second = y.columns[pairs.second[k]];
    const auto take = [&](const BentLine& a, std::int64_t n_distinct, const std::vector<std::int32_t>& codes,
                          const GroupSizes& classes) {
      const double trace =
          trace_of_classes(a, [&](std::size_t row) { return codes[row]; }, classes.sizes, sums);
      put(out, k, a, n_distinct, trace, invariants.of(second, classes, Weights::indicator));
      out.sizes.y_distinct[k] = static_cast<std::int64_t>(classes.n_distinct());
      out.sizes.y_smallest[k] = classes.smallest();
    };
    if (!first.has_missing() && !second.has_missing) {
      take(first.line, first.n_distinct, second.codes, second.groups);
      continue;
    }
    const auto missing = static_cast<std::int32_t>(second.n_labels());
    own_codes.clear();
    own.sizes.assign(second.n_labels(), 0);
    shared.gather(
        first, [&](std::size_t row) { return second.codes[row] != missing; },
        [&](std::size_t row) {
          own_codes.push_back(second.codes[row]);
          ++own.sizes[second.codes[row]];
        });
    own.n = static_cast<std::int64_t>(own_codes.size());
    take(shared.line(), shared.n_distinct(), own_codes, own);
  }
  return out;
}

}  // namespace bychance
