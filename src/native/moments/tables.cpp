// Few labels: shared bits per pair of labels. Many: counts over rows, dense or one row at a time.
#include "moments/tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/and_counts.hpp"

namespace bychance {
namespace {

constexpr std::size_t kMaxBitLabels = 64;        // beyond, sets of rows take more space than codes
constexpr std::size_t kFewCells = 4096;          // a table as small as this is always held whole
constexpr std::size_t kInterleavedCells = 1024;  // four of them still fit the first cache

double entropy_sum(const GroupSizes& groups) {
  double total = xlogx(groups.n);
  for (const std::int64_t size : groups.sizes) total -= xlogx(size);
  return std::max(total, 0.0);
}

std::size_t words_of(std::size_t n) { return (n + 63) / 64; }

}  // namespace

std::size_t GroupSizes::n_distinct() const {
  return std::count_if(sizes.begin(), sizes.end(), [](std::int64_t size) { return size > 0; });
}

std::int64_t GroupSizes::smallest() const {
  std::int64_t least = n;
  for (const std::int64_t size : sizes) {
    if (size > 0) least = std::min(least, size);
  }
  return least;
}

double GroupSizes::weight(std::size_t group, Weights weights) const {
  if (sizes[group] == 0) return 0;
  return weights == Weights::indicator ? 1.0 : 1.0 / sizes[group];
}

Invariants PartitionInvariants::of(const LabelColumn& column, const GroupSizes& groups, Weights weights) {
  if (groups.n != column.groups.n) return of(groups, weights);
  return weights == Weights::projector ? column.as_projector : column.as_indicator;
}

Invariants PartitionInvariants::of(const GroupSizes& groups, Weights weights) {
  if (groups.n == 0) return {};
  weights_.clear();
  for (std::size_t g = 0; g < groups.sizes.size(); ++g) weights_.push_back(groups.weight(g, weights));
  return partition_invariants(groups.sizes.data(), weights_.data(), weights_.size());
}

void LabelColumns::add(const std::int32_t* codes, std::size_t n) {
  const std::int32_t largest = n == 0 ? -1 : *std::max_element(codes, codes + n);
  std::vector<std::int64_t> found(largest + 1, 0);
  for (std::size_t k = 0; k < n; ++k) {
    if (codes[k] >= 0) ++found[codes[k]];
  }
  LabelColumn column;
  std::vector<std::int32_t> renumbered(found.size(), 0);
  for (std::size_t g = 0; g < found.size(); ++g) {
    renumbered[g] = column.n_labels();
    if (found[g] > 0) column.groups.sizes.push_back(found[g]);
    column.groups.n += found[g];
  }
  column.has_missing = static_cast<std::size_t>(column.groups.n) < n;
  column.codes.resize(n);
  const std::int32_t missing = column.n_labels();
  for (std::size_t k = 0; k < n; ++k) {
    column.codes[k] = codes[k] < 0 ? missing : renumbered[codes[k]];
  }
  PartitionInvariants invariants;
  column.as_projector = invariants.of(column.groups, Weights::projector);
  column.as_indicator = invariants.of(column.groups, Weights::indicator);
  if (column.n_labels() <= kMaxBitLabels) {
    column.bits.assign(words_of(n) * (column.n_labels() + 1), 0);
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t label = column.codes[k];
      column.bits[label * words_of(n) + k / 64] |= std::uint64_t{1} << (k % 64);
    }
  }
  n_rows = n;
  columns.push_back(std::move(column));
}

void PairTable::count(const LabelColumn& x, const LabelColumn& y) {
  x_ = &x;
  y_ = &y;
  const std::size_t n = x.codes.size(), kx = x.n_labels(), ky = y.n_labels();
  is_dense_ = (kx + 1) * (ky + 1) <= std::max(kFewCells, 2 * n);
  if (!is_dense_) {
    counts_.assign(ky, 0);
    if (sorted_by_ != x_) rows_by_x_ = RowsByLabel(x.codes.data(), n, kx + 1);
    sorted_by_ = x_;
    return count_totals();
  }
  counts_.assign(kx * ky, 0);
  const double n_cells = (x.has_missing ? kx : kx - 1) * static_cast<double>(y.has_missing ? ky : ky - 1);
  const bool has_bits = !x.bits.empty() && !y.bits.empty();
  if (has_bits && n_cells * words_of(n) <= and_counter().words_a_row * n) {
    count_bits();
  } else {
    count_rows();
  }
  totals_from_counts();
}

// If y misses nothing, the rest of a row's total is its last cell; likewise for columns.
void PairTable::count_bits() {
  const AndCount count = and_counter().count;
  const std::size_t words = words_of(x_->codes.size()), kx = x_->n_labels(), ky = y_->n_labels();
  const std::size_t n_rows = x_->has_missing ? kx : kx - 1, n_columns = y_->has_missing ? ky : ky - 1;
  for (std::size_t i = 0; i < n_rows; ++i) {
    std::int64_t left = x_->groups.sizes[i];
    for (std::size_t j = 0; j < n_columns; ++j) {
      const std::int64_t shared = count(x_->bits.data() + i * words, y_->bits.data() + j * words, words);
      counts_[i * ky + j] = shared;
      left -= shared;
    }
    if (!y_->has_missing) counts_[i * ky + ky - 1] = left;
  }
  if (x_->has_missing) return;
  // The rows that are left have x's last label; those of y's last label too, unless y misses them.
  std::int64_t left = x_->groups.sizes[kx - 1];
  for (std::size_t j = 0; j < n_columns; ++j) {
    std::int64_t others = y_->groups.sizes[j];
    for (std::size_t i = 0; i < n_rows; ++i) others -= counts_[i * ky + j];
    counts_[n_rows * ky + j] = others;
    left -= others;
  }
  if (!y_->has_missing) counts_[n_rows * ky + ky - 1] = left;
}

void PairTable::count_rows() {
  const std::size_t n = x_->codes.size(), kx = x_->n_labels(), ky = y_->n_labels(), width = ky + 1;
  const std::size_t size = (kx + 1) * width, n_tables = size <= kInterleavedCells ? 4 : 1;
  several_counts_.assign(n_tables * size, 0);
  const auto cell = [&](std::size_t k) { return x_->codes[k] * width + y_->codes[k]; };
  std::size_t k = 0;
  if (n_tables == 4) {
    std::int32_t* tables = several_counts_.data();
    for (; k + 4 <= n; k += 4) {
      ++tables[cell(k)], ++tables[size + cell(k + 1)];
      ++tables[2 * size + cell(k + 2)], ++tables[3 * size + cell(k + 3)];
    }
  }
  for (; k < n; ++k) ++several_counts_[cell(k)];
  for (std::size_t t = 0; t < n_tables; ++t) {
    for (std::size_t i = 0; i < kx; ++i) {
      const std::int32_t* from = several_counts_.data() + t * size + i * width;
      for (std::size_t j = 0; j < ky; ++j) counts_[i * ky + j] += from[j];
    }
  }
}

void PairTable::totals_from_counts() {
  const std::size_t kx = x_->n_labels(), ky = y_->n_labels();
  rows_.sizes.assign(kx, 0);
  columns_.sizes.assign(ky, 0);
  for (std::size_t i = 0; i < kx; ++i) {
    for (std::size_t j = 0; j < ky; ++j) {
      rows_.sizes[i] += counts_[i * ky + j];
      columns_.sizes[j] += counts_[i * ky + j];
    }
  }
  rows_.n = columns_.n = std::accumulate(rows_.sizes.begin(), rows_.sizes.end(), std::int64_t{0});
}

void PairTable::count_totals() {
  rows_.sizes.assign(x_->n_labels() + 1, 0);
  columns_.sizes.assign(y_->n_labels() + 1, 0);
  const std::int32_t missing_x = x_->n_labels();
  const std::int32_t missing_y = y_->n_labels();
  for (std::size_t k = 0; k < x_->codes.size(); ++k) {
    const std::int32_t i = x_->codes[k], j = y_->codes[k];
    const bool is_shared = i != missing_x && j != missing_y;
    rows_.sizes[i] += is_shared;
    columns_.sizes[j] += is_shared;
  }
  rows_.sizes.pop_back();
  columns_.sizes.pop_back();
  rows_.n = columns_.n = std::accumulate(rows_.sizes.begin(), rows_.sizes.end(), std::int64_t{0});
}

// Over the cells that are not empty. Where the table is too large to hold, one row of it at a time.
template <class Cell>
double PairTable::sum_cells(Cell cell) {
  const std::size_t kx = x_->n_labels(), ky = y_->n_labels();
  double total = 0;
  if (is_dense_) {
    for (std::size_t i = 0; i < kx; ++i) {
      for (std::size_t j = 0; j < ky; ++j) {
        const std::int32_t m = counts_[i * ky + j];
        if (m != 0) total += cell(i, j, m);
      }
    }
    return total;
  }
  for (std::size_t i = 0; i < kx; ++i) {
    const std::size_t begin = rows_by_x_.starts[i], end = rows_by_x_.starts[i + 1];
    for (std::size_t k = begin; k < end; ++k) {
      const std::size_t j = y_->codes[rows_by_x_.order[k]];
      if (j < ky) ++counts_[j];
    }
    for (std::size_t k = begin; k < end; ++k) {
      const std::size_t j = y_->codes[rows_by_x_.order[k]];
      if (j == ky || counts_[j] == 0) continue;
      total += cell(i, j, counts_[j]);
      counts_[j] = 0;
    }
  }
  return total;
}

double PairTable::trace(Weights y_weights) {
  const double n = rows_.n;
  if (is_dense_) {
    double total = 0;
    const std::size_t ky = y_->n_labels();
    for (std::size_t i = 0; i < x_->n_labels(); ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < ky; ++j) {
        // n times the deviation from what the cell expects, a whole number (permutations/cell_sum.cpp)
        const auto above =
            static_cast<double>(rows_.n * counts_[i * ky + j] - rows_.sizes[i] * columns_.sizes[j]);
        const double size = columns_.sizes[j];
        sum += y_weights == Weights::indicator ? above * above : size > 0 ? above * above / size : 0.0;
      }
      total += sum * rows_.weight(i, Weights::projector);
    }
    return total / n / n;
  }
  const CellFunction function =
      y_weights == Weights::indicator ? CellFunction::gain : CellFunction::contingency;
  const CellStatistic statistic(function, rows_.sizes, columns_.sizes);
  std::vector<std::int64_t> empty_weights(rows_.sizes.size(), statistic.total_empty_weight);
  double total = sum_cells([&](std::size_t i, std::size_t j, std::int32_t m) {
    empty_weights[i] -= statistic.empty_weight(j);
    return statistic.cell(i, j, m);
  });
  for (std::size_t i = 0; i < empty_weights.size(); ++i) total += statistic.empty_cells(i, empty_weights[i]);
  return total;
}

double PairTable::information() {
  const CellStatistic statistic(CellFunction::information, rows_.sizes, columns_.sizes);
  return sum_cells([&](std::size_t i, std::size_t j, std::int32_t m) { return statistic.cell(i, j, m); });
}

void PairSizes::put(std::size_t k, const GroupSizes& x, const GroupSizes& y) {
  n[k] = x.n;
  x_distinct[k] = x.n_distinct();
  y_distinct[k] = y.n_distinct();
  x_smallest[k] = x.smallest();
  y_smallest[k] = y.smallest();
}

PairTraces table_traces(const LabelColumns& x, const LabelColumns& y, const PairIndices& pairs,
                        Weights y_weights) {
  PairTraces out(pairs.count);
  PairTable table;
  PartitionInvariants invariants;
  for (std::size_t k = 0; k < pairs.count; ++k) {
    const LabelColumn& first = x.columns[pairs.first[k]];
    const LabelColumn& second = y.columns[pairs.second[k]];
    table.count(first, second);
    const GroupSizes &rows = table.rows(), &columns = table.columns();
    out.sizes.put(k, rows, columns);
    if (rows.n == 0) continue;
    out.trace[k] = table.trace(y_weights);
    out.x[k] = invariants.of(first, rows, Weights::projector);
    out.y[k] = invariants.of(second, columns, y_weights);
  }
  return out;
}

PairInformation table_information(const LabelColumns& x, const LabelColumns& y, const PairIndices& pairs,
                                  double max_operations) {
  PairInformation out(pairs.count);
  PairTable table;
  InformationNull null;
  DistinctTotals a, b;
  for (std::size_t k = 0; k < pairs.count; ++k) {
    table.count(x.columns[pairs.first[k]], y.columns[pairs.second[k]]);
    const GroupSizes &rows = table.rows(), &columns = table.columns();
    out.sizes.put(k, rows, columns);
    if (rows.n == 0) continue;
    out.bound[k] = std::min(entropy_sum(rows), entropy_sum(columns));
    out.observed[k] = std::min(std::max(table.information(), 0.0), out.bound[k]);
    a.set(rows.sizes.data(), rows.sizes.size());
    b.set(columns.sizes.data(), columns.sizes.size());
    const InformationMoments moments = null.moments(a, b, rows.n, max_operations);
    out.mean[k] = moments.mean;
    out.variance[k] = moments.variance;
  }
  return out;
}

}  // namespace bychance
