// Counts one row of the table at a time, so that tables of any width fit one scratch row.
#include <algorithm>

#include "permutations/statistics.hpp"

namespace bychance {

std::vector<std::int64_t> totals_of(const Labels& labels) {
  std::vector<std::int64_t> totals(labels.n_labels, 0);
  for (const std::int32_t code : labels.codes) ++totals[code];
  return totals;
}

namespace {

class CellEvaluator : public Evaluator {
 public:
  CellEvaluator(CellFunction function, const Labels& x, const Labels& y)
      : statistic_(function, totals_of(x), totals_of(y)),
        rows_(x.codes.data, x.codes.size, x.n_labels),
        codes_(y.codes.data),
        counts_(y.n_labels, 0) {}

  double sum(const std::int32_t* pairing) override {
    double total = 0;
    for (std::size_t i = 0; i + 1 < rows_.starts.size(); ++i) {
      const std::size_t begin = rows_.starts[i], end = rows_.starts[i + 1];
      for (std::size_t k = begin; k < end; ++k) ++counts_[column_of(k, pairing)];
      empty_weight_ = statistic_.total_empty_weight;
      if (counts_.size() <= 2 * (end - begin)) {
        for (std::size_t j = 0; j < counts_.size(); ++j) total += drained(i, j);
      } else {
        for (std::size_t k = begin; k < end; ++k) total += drained(i, column_of(k, pairing));
      }
      total += statistic_.empty_cells(i, empty_weight_);
    }
    return total;
  }

 private:
  std::size_t column_of(std::size_t k, const std::int32_t* pairing) const {
    return codes_[pairing[rows_.order[k]]];
  }

  double drained(std::size_t i, std::size_t j) {
    const std::int64_t m = counts_[j];
    if (m == 0) return 0.0;
    counts_[j] = 0;
    empty_weight_ -= statistic_.empty_weight(j);
    return statistic_.cell(i, j, m);
  }

  CellStatistic statistic_;
  RowsByLabel rows_;
  const std::int32_t* codes_;
  std::vector<std::int64_t> counts_;
  std::int64_t empty_weight_ = 0;  // of the columns that the current row has not met
};

// The summand of each cell for every count that it can have, computed once.
class CellValues {
 public:
  explicit CellValues(const CellStatistic& statistic) : n_columns_(statistic.columns.size()) {
    starts_.reserve(statistic.rows.size() * n_columns_);
    for (std::size_t i = 0; i < statistic.rows.size(); ++i) {
      for (std::size_t j = 0; j < n_columns_; ++j) {
        starts_.push_back(values_.size());
        const std::int64_t most = std::min(statistic.rows[i], statistic.columns[j]);
        for (std::int64_t m = 0; m <= most; ++m) values_.push_back(statistic.cell(i, j, m));
      }
    }
  }

  std::size_t place(std::size_t i, std::size_t j) const { return i * n_columns_ + j; }
  std::size_t n_cells() const { return starts_.size(); }
  double at(std::size_t place, std::int64_t m) const { return values_[starts_[place] + m]; }

 private:
  std::size_t n_columns_;
  std::vector<std::size_t> starts_;
  std::vector<double> values_;
};

class CellStep {
 public:
  CellStep(CellFunction function, const Labels& x, const Labels& y)
      : x_(x.codes), y_(y.codes), cells_({function, totals_of(x), totals_of(y)}), counts_(cells_.n_cells()) {}

  std::size_t steps() const { return 2; }

  double sum(const std::int32_t* pairing) {
    std::fill(counts_.begin(), counts_.end(), 0);
    for (std::size_t k = 0; k < x_.size; ++k) ++counts_[place(k, pairing[k])];
    double sum = 0;
    for (std::size_t c = 0; c < counts_.size(); ++c) sum += cells_.at(c, counts_[c]);
    return sum;
  }

  double swapped(const std::int32_t* pairing, std::size_t i, std::size_t j, double sum) {
    left_[0] = place(i, pairing[i]);
    left_[1] = place(j, pairing[j]);
    met_[0] = place(i, pairing[j]);
    met_[1] = place(j, pairing[i]);
    // Equal labels on either side: the table stays as it is.
    is_change_ = x_[i] != x_[j] && left_[0] != met_[0];
    if (!is_change_) return sum;
    for (int k = 0; k < 2; ++k) {
      sum += cells_.at(left_[k], counts_[left_[k]] - 1) - cells_.at(left_[k], counts_[left_[k]]);
      sum += cells_.at(met_[k], counts_[met_[k]] + 1) - cells_.at(met_[k], counts_[met_[k]]);
    }
    return sum;
  }

  void settle(bool is_kept) {
    if (!is_kept || !is_change_) return;
    for (int k = 0; k < 2; ++k) {
      --counts_[left_[k]];
      ++counts_[met_[k]];
    }
  }

 private:
  std::size_t place(std::size_t row, std::int32_t partner) const {
    return cells_.place(x_[row], y_[partner]);
  }

  const SharedArray<std::int32_t>&x_, &y_;
  CellValues cells_;
  std::vector<std::int64_t> counts_;
  std::size_t left_[2] = {0, 0}, met_[2] = {0, 0};
  bool is_change_ = false;
};

}  // namespace

std::unique_ptr<Evaluator> CellSum::evaluator() const {
  return std::make_unique<CellEvaluator>(function, x, y);
}

std::unique_ptr<Walker> CellSum::walker() const {
  // A walk keeps all cells and loads them for every particle: with many labels an evaluation is cheaper.
  if (x.n_labels * y.n_labels > std::max<std::size_t>(n(), 1024)) return nullptr;
  return std::make_unique<WalkerBy<CellStep>>(CellStep(function, x, y), finish());
}

}  // namespace bychance
