#include "tables.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bychance {
namespace {

// Rows sorted by the label of x, so that one scratch row of counts serves tables of any width.
struct RowsByLabel {
  std::vector<std::int32_t> order;
  std::vector<std::size_t> starts;

  RowsByLabel(Labels x, std::size_t n) : order(n), starts(x.n_labels + 1, 0) {
    for (std::size_t k = 0; k < n; ++k) ++starts[static_cast<std::size_t>(x.codes[k]) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
    for (std::size_t k = 0; k < n; ++k) {
      order[next[static_cast<std::size_t>(x.codes[k])]++] = static_cast<std::int32_t>(k);
    }
  }
};

class CellSummer {
 public:
  CellSummer(const CellStatistic& statistic, Labels x, Labels y, std::size_t n)
      : statistic_(statistic), rows_(x, n), y_(y), counts_(y.n_labels, 0) {
    if (statistic.function == CellFunction::xlogx) {
      xlogx_.resize(n + 1, 0.0);
      for (std::size_t m = 2; m <= n; ++m) {
        xlogx_[m] = static_cast<double>(m) * std::log(static_cast<double>(m));
      }
    }
  }

  double operator()(const std::int32_t* permutation) {
    double total = 0;
    for (std::size_t i = 0; i + 1 < rows_.starts.size(); ++i) {
      const std::size_t begin = rows_.starts[i], end = rows_.starts[i + 1];
      for (std::size_t k = begin; k < end; ++k) ++counts_[y_.codes[permutation[rows_.order[k]]]];
      total += counts_.size() <= 2 * (end - begin) ? drain_whole_row(i)
                                                   : drain_touched(i, begin, end, permutation);
    }
    return total;
  }

 private:
  double drain_whole_row(std::size_t i) {
    double total = 0;
    for (std::size_t j = 0; j < counts_.size(); ++j) {
      if (counts_[j] != 0) total += drain(i, j);
    }
    return total;
  }

  double drain_touched(std::size_t i, std::size_t begin, std::size_t end, const std::int32_t* permutation) {
    double total = 0;
    for (std::size_t k = begin; k < end; ++k) {
      const auto j = static_cast<std::size_t>(y_.codes[permutation[rows_.order[k]]]);
      if (counts_[j] != 0) total += drain(i, j);
    }
    return total;
  }

  double drain(std::size_t i, std::size_t j) {
    const std::int64_t m = counts_[j];
    counts_[j] = 0;
    if (statistic_.function == CellFunction::xlogx) return xlogx_[static_cast<std::size_t>(m)];
    return statistic_.cell(i, j, m);
  }

  const CellStatistic& statistic_;
  RowsByLabel rows_;
  Labels y_;
  std::vector<std::int64_t> counts_;
  std::vector<double> xlogx_;
};

}  // namespace

double CellStatistic::cell(std::size_t i, std::size_t j, std::int64_t m) const {
  const auto count = static_cast<double>(m);
  switch (function) {
    case CellFunction::square:
      return row_weights[i] * column_weights[j] * count * count;
    case CellFunction::xlogx:
      return m > 1 ? count * std::log(count) : 0.0;
    case CellFunction::diagonal:
      return i == j ? count : 0.0;
  }
  return 0.0;
}

void resample_cell_sums(const CellStatistic& statistic, Labels x, Labels y, Permutations permutations,
                        double* out) {
  CellSummer sum(statistic, x, y, permutations.n);
  for (std::size_t s = 0; s < permutations.count; ++s) out[s] = sum(permutations.rows + s * permutations.n);
}

}  // namespace bychance
