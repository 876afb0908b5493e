// Statistics of a contingency table that are sums over its cells, over many re-pairings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "resample.hpp"

namespace bychance {

enum class CellFunction {
  square,   // w_i v_j m^2: Gini gain, chi-squared, Rand
  xlogx,    // m ln m: mutual information
  diagonal  // m where i = j: agreement
};

struct CellStatistic {
  CellFunction function;
  std::vector<double> row_weights, column_weights;  // used by square

  double cell(std::size_t i, std::size_t j, std::int64_t m) const;
};

struct Labels {
  const std::int32_t* codes;  // one a row, 0..n_labels-1
  std::size_t n_labels;
};

void resample_cell_sums(const CellStatistic& statistic, Labels x, Labels y, Permutations permutations,
                        double* out);

}  // namespace bychance
