// Statistics of a contingency table that are sums over its cells, over many permutations.
//
// A cell with row total a, column total b and m of the n rows deviates from what it expects by D/n, where
// D = n m - a b is an integer: no term is a large sum less a large constant, so equal tables give equal
// values to the last few bits, however rare a label and however large n.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "nulls/statistic.hpp"

namespace bychance {

enum class CellFunction {
  gain,         // (D/n)^2 / a: tr(A B) of Gini gain
  contingency,  // (D/n)^2 / (a b): chi-squared over n
  information,  // m ln(m n / (a b)): n times mutual information in nats
  together,     // m^2: ordered pairs of rows in one cell
  diagonal      // m where i = j: agreement
};

CellFunction cell_function_of(const std::string& name);

class CellStatistic {
 public:
  CellStatistic(CellFunction function, std::vector<std::int64_t> rows, std::vector<std::int64_t> columns);

  CellFunction function() const { return function_; }
  const std::vector<std::int64_t>& rows() const { return rows_; }
  const std::vector<std::int64_t>& columns() const { return columns_; }
  std::int64_t n() const { return n_; }

  double cell(std::size_t i, std::size_t j, std::int64_t m) const;

  // The empty cells of a row add up to its total times the sum of their weights, over n squared.
  std::int64_t empty_weight(std::size_t j) const;
  std::int64_t total_empty_weight() const { return total_empty_weight_; }
  double empty_cells(std::size_t i, std::int64_t weight) const;

 private:
  CellFunction function_;
  std::vector<std::int64_t> rows_, columns_;
  std::int64_t n_ = 0, total_empty_weight_ = 0;
};

struct Labels {
  Held<std::int32_t> codes;  // one per row, 0..n_labels-1
  std::size_t n_labels;
};

std::vector<std::int64_t> totals_of(const Labels& labels);

// Rows sorted by their label, 0..n_labels-1: label g has rows order[starts[g]..starts[g + 1]).
struct RowsByLabel {
  RowsByLabel() = default;
  RowsByLabel(const std::int32_t* codes, std::size_t n, std::size_t n_labels);

  std::vector<std::int32_t> order;
  std::vector<std::size_t> starts;
};

// The sum of a function over the cells of the table of x and y, y permuted.
class CellSum : public Statistic {
 public:
  CellSum(CellFunction of_cells, Labels of_x, Labels of_y, const Finish& finish)
      : Statistic(of_x.codes.size, finish), function(of_cells), x(std::move(of_x)), y(std::move(of_y)) {}
  std::unique_ptr<Evaluator> evaluator() const override;
  std::unique_ptr<Walker> walker() const override;
  std::size_t steps() const override { return n() + y.n_labels; }

  const CellFunction function;
  const Labels x, y;
};

}  // namespace bychance
