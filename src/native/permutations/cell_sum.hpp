// The sum of a function over the cells of a table (moments/cells.hpp) as a statistic: one variable is
// permuted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "moments/cells.hpp"
#include "permutations/statistic.hpp"

namespace bychance {

struct Labels {
  Held<std::int32_t> codes;  // one per row, 0..n_labels-1
  std::size_t n_labels;
};

std::vector<std::int64_t> totals_of(const Labels& labels);

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
