// tr(A B) of many pairs of columns, A the projector on lines that bend at x's quantiles, B a line or an
// indicator of classes, each pair on the rows that both have.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "moments/bends.hpp"
#include "moments/groups.hpp"

namespace bychance {

struct BentColumn {
  std::vector<double> values;       // NaN where missing
  std::vector<std::int32_t> order;  // rows that have a value, ascending
  BentLine line;                    // of a column that misses nothing
  std::int64_t n_distinct = 0;      // of the same, up to CenteredLine::kManyValues

  bool has_missing() const { return order.size() < values.size(); }
};

// Where `is_ranked`, columns hold midranks, and pairs with missing values are ranked anew on their rows.
struct BentColumns {
  std::size_t most_pieces = kMostPieces;
  bool is_ranked = false;
  std::size_t n_rows = 0;
  std::vector<BentColumn> columns;

  void add(const double* values, std::size_t n);  // NaN is missing
  std::size_t pieces_of(std::size_t n) const { return std::min(pieces_for(n), most_pieces); }
};

// `x_distinct` is one more than the rank of A, and of rank 1 the number of distinct values, at most
// CenteredLine::kManyValues; smallest groups are 0 where x is not groups alone, or y a line.
PairTraces bent_traces(const BentColumns& x, const NumberColumns& y, const PairIndices& pairs);
PairTraces bent_traces(const BentColumns& x, const LabelColumns& y, const PairIndices& pairs);

}  // namespace bychance
