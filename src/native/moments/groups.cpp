// Sums over groups in one pass over the shared rows of a pair.
#include "moments/groups.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bychance {
namespace {

constexpr std::size_t kInterleavedGroups = 512;  // four of each still fit the first cache

// Sums and sizes of the groups of one pair, rows taken in turn so that no sum waits for the last.
class GroupSums {
 public:
  // A row of no group has the code n_groups.
  void add_up(const std::vector<std::int32_t>& codes, const std::vector<double>& line, std::size_t n_groups) {
    const std::size_t stride = n_groups + 1, n_lanes = n_groups <= kInterleavedGroups ? 4 : 1;
    lanes_.assign(n_lanes * stride, 0.0);
    std::size_t k = 0;
    if (n_lanes == 4) {
      for (; k + 4 <= codes.size(); k += 4) {
        for (std::size_t lane = 0; lane < 4; ++lane) {
          lanes_[lane * stride + codes[k + lane]] += line[k + lane];
        }
      }
    }
    for (; k < codes.size(); ++k) lanes_[codes[k]] += line[k];
    sums.assign(lanes_.begin(), lanes_.begin() + n_groups);
    for (std::size_t lane = 1; lane < n_lanes; ++lane) {
      for (std::size_t g = 0; g < n_groups; ++g) sums[g] += lanes_[lane * stride + g];
    }
  }

  std::vector<double> sums;

 private:
  std::vector<double> lanes_;
};

class PairGroups {
 public:
  void set(const LabelColumn& labels, const NumberColumn& numbers) {
    labels_ = &labels;
    if (!labels.has_missing) return set_rows_of_numbers(numbers);
    set_shared_rows(numbers);
  }

  double trace(Weights weights) const {
    double total = 0;
    for (std::size_t g = 0; g < sums_.sums.size(); ++g) {
      total += groups_->weight(g, weights) * sums_.sums[g] * sums_.sums[g];
    }
    return total;
  }

  const GroupSizes& groups() const { return *groups_; }
  const CenteredLine& line() const { return *line_; }

 private:
  void set_rows_of_numbers(const NumberColumn& numbers) {
    line_ = &numbers.line;
    groups_ = &labels_->groups;
    sums_.add_up(labels_->codes, numbers.line.values, labels_->n_labels());
    if (!numbers.has_missing) return;
    shared_groups_.sizes.assign(labels_->n_labels(), 0);
    for (std::size_t k = 0; k < numbers.values.size(); ++k) {
      shared_groups_.sizes[labels_->codes[k]] += !std::isnan(numbers.values[k]);
    }
    shared_groups_.n = numbers.n;
    groups_ = &shared_groups_;
  }

  void set_shared_rows(const NumberColumn& numbers) {
    const std::size_t n = numbers.values.size();
    const std::int32_t missing = labels_->n_labels();
    codes_.resize(n);
    shared_line_.values.resize(n);
    shared_groups_.sizes.assign(labels_->n_labels() + 1, 0);
    std::size_t count = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const bool is_shared = labels_->codes[k] != missing && !std::isnan(numbers.values[k]);
      codes_[count] = labels_->codes[k];
      shared_line_.values[count] = numbers.values[k];
      shared_groups_.sizes[labels_->codes[k]] += is_shared;
      count += is_shared;
    }
    codes_.resize(count);
    shared_line_.values.resize(count);
    shared_groups_.sizes.pop_back();
    shared_groups_.n = count;
    shared_line_.center();
    sums_.add_up(codes_, shared_line_.values, labels_->n_labels());
    line_ = &shared_line_;
    groups_ = &shared_groups_;
  }

  const LabelColumn* labels_ = nullptr;
  const GroupSizes* groups_ = nullptr;
  const CenteredLine* line_ = nullptr;
  GroupSizes shared_groups_;
  CenteredLine shared_line_;
  std::vector<std::int32_t> codes_;
  GroupSums sums_;
};

}  // namespace

void CenteredLine::center() {
  invariants = {};
  n_distinct = count_distinct(values, kManyValues);
  if (!make_line(values.data(), values.size())) return std::fill(values.begin(), values.end(), 0.0);
  invariants = line_invariants(values.data(), values.size());
}

void NumberColumns::add(const double* values, std::size_t n) {
  NumberColumn column;
  column.values.assign(values, values + n);
  for (std::size_t k = 0; k < n; ++k) {
    if (!std::isnan(values[k])) column.line.values.push_back(values[k]);
  }
  column.n = column.line.values.size();
  column.has_missing = column.line.values.size() < n;
  column.line.center();
  column.line.values.resize(n, 0.0);
  if (column.has_missing) {
    std::size_t from = column.n;
    for (std::size_t k = n; k-- > 0;) {
      column.line.values[k] = std::isnan(values[k]) ? 0.0 : column.line.values[--from];
    }
  }
  n_rows = n;
  columns.push_back(std::move(column));
}

PairTraces group_traces(const LabelColumns& labels, const NumberColumns& numbers, const PairIndices& pairs,
                        Weights weights) {
  PairTraces out(pairs.count);
  PairGroups pair;
  PartitionInvariants invariants;
  for (std::size_t k = 0; k < pairs.count; ++k) {
    const LabelColumn& label = labels.columns[pairs.first[k]];
    pair.set(label, numbers.columns[pairs.second[k]]);
    const GroupSizes& groups = pair.groups();
    out.sizes.n[k] = groups.n;
    out.sizes.x_distinct[k] = groups.n_distinct();
    out.sizes.y_distinct[k] = pair.line().n_distinct;
    out.trace[k] = pair.trace(weights);
    out.x[k] = invariants.of(label, groups, weights);
    out.y[k] = pair.line().invariants;
  }
  return out;
}

}  // namespace bychance
