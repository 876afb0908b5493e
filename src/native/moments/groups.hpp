// Sums of numbers over the groups of labels, for many pairs of a label column and a number column, each on
// the rows that both have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "moments/tables.hpp"

namespace bychance {

// A column's values on some rows, centered, of unit norm; all zero if they are constant.
struct CenteredLine {
  std::vector<double> values;
  Invariants invariants;
  std::int64_t n_distinct = 0;  // up to kManyValues, which stands for more

  static constexpr std::int64_t kManyValues = 10;  // with more, no rule of validity asks (validity.cpp)

  // From the values as they are. Scaled before they are squared, so that no magnitude overflows.
  void center();
};

// One numeric column as kernels take it.
struct NumberColumn {
  std::vector<double> values;  // NaN if missing
  bool has_missing;
  std::int64_t n;
  CenteredLine line;  // on all rows that it has; 0 if missing
};

// Numeric columns of equal length; add() copies, centers and scales one.
struct NumberColumns {
  std::size_t n_rows = 0;
  std::vector<NumberColumn> columns;

  void add(const double* values, std::size_t n);  // NaN is missing
};

// Returns tr(A B) of each pair, A = Z diag(w) Z' of the labels' groups and B = yy' of the centered numbers,
// and the invariants of both. x has labels, y numbers, whose distinct values are counted up to
// CenteredLine::kManyValues.
PairTraces group_traces(const LabelColumns& labels, const NumberColumns& numbers, const PairIndices& pairs,
                        Weights weights);

}  // namespace bychance
