// Lines that may bend at the quantiles of a column x: the projector A on all of them, and tr(A B) of many
// pairs of columns, B a line or an indicator of classes. Values of x that take two quantiles are separate
// groups.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "moments/groups.hpp"

namespace bychance {

constexpr std::size_t kMostPieces = 5;
constexpr std::size_t kMostBentColumns = kMostPieces + 1;

// One piece for every six rows, from one piece to five.
std::size_t pieces_for(std::size_t n);

// A row of the basis, or a combination of its rows; entries from the rank on are 0.
using BentRow = std::array<double, kMostPieces>;

inline double squared_length(const BentRow& row) {
  double squares = 0;
  for (const double entry : row) squares += entry * entry;
  return squares;
}

// The basis has a column for every knot and then one for every group. A row has 1 - share in its column and
// share in the next one.
struct BentLine {
  std::vector<std::uint8_t> columns;
  std::vector<double> shares;
  bool has_groups_only = false;
  std::size_t n_columns = 0, rank = 0;
  // Row F of the orthonormal basis: sum over columns of coefficients * weight, less the offset.
  std::array<std::array<double, kMostBentColumns + 1>, kMostPieces> coefficients{};
  BentRow offsets{};
  Invariants invariants;                                     // of FF'
  std::array<std::int64_t, kMostBentColumns> group_sizes{};  // if there are only groups

  // Finds the bends of the ascending values, none of them NaN, and the projector for the values as they are.
  void fit(const double* values, const double* ascending, std::size_t n, std::size_t pieces);

  // Adds the weights of row k, times a factor, to sums of n_columns + 1 entries.
  void add(std::size_t k, double factor, double* sums) const {
    const double next = shares[k] * factor;
    sums[columns[k]] += factor - next;
    sums[columns[k] + 1] += next;
  }
  // The combination of the rows of F with these sums of weights, `total` the sum of the factors.
  BentRow combination(const double* sums, double total) const;
  // Row k of F.
  BentRow row(std::size_t k) const;

 private:
  void find_basis();
  void find_invariants();
};

// F'y of a centered line y, whose value at row k is value(k). Its squared length is tr(A B), B = yy'.
template <class Value>
BentRow sum_of_line(const BentLine& a, Value value) {
  double sums[kMostBentColumns + 1] = {};
  for (std::size_t k = 0; k < a.columns.size(); ++k) a.add(k, value(k), sums);
  return a.combination(sums, 0);
}

// The sum of the rows of F in each class, row k being of class code(k); `weights` is scratch. Squared lengths
// add up to tr(A B), B the indicator of these classes.
template <class Code>
void sum_classes(const BentLine& a, Code code, const std::vector<std::int64_t>& sizes,
                 std::vector<double>& weights, std::vector<BentRow>& sums) {
  constexpr std::size_t kStride = kMostBentColumns + 1;
  weights.assign(sizes.size() * kStride, 0.0);
  for (std::size_t k = 0; k < a.columns.size(); ++k) {
    a.add(k, 1, weights.data() + static_cast<std::size_t>(code(k)) * kStride);
  }
  sums.resize(sizes.size());
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    sums[g] = a.combination(weights.data() + g * kStride, static_cast<double>(sizes[g]));
  }
}

inline double squared_lengths(const std::vector<BentRow>& rows) {
  double total = 0;
  for (const BentRow& row : rows) total += squared_length(row);
  return total;
}

struct BentColumn {
  std::vector<double> values;       // NaN if missing
  std::vector<std::int32_t> order;  // rows that have a value, ascending
  BentLine line;                    // of a column that misses nothing
  std::int64_t n_distinct = 0;      // of the same, up to CenteredLine::kManyValues

  bool has_missing() const { return order.size() < values.size(); }
};

// If `is_ranked`, columns hold midranks, and pairs with missing values are ranked anew on their rows.
struct BentColumns {
  std::size_t most_pieces = kMostPieces;
  bool is_ranked = false;
  std::size_t n_rows = 0;
  std::vector<BentColumn> columns;

  void add(const double* values, std::size_t n);  // NaN is missing
  std::size_t pieces_of(std::size_t n) const { return std::min(pieces_for(n), most_pieces); }
};

// `x_distinct` is one more than the rank of A, and of rank 1 the number of distinct values, at most
// CenteredLine::kManyValues; smallest groups are 0 if x is not groups alone, or y a line.
PairTraces bent_traces(const BentColumns& x, const NumberColumns& y, const PairIndices& pairs);
PairTraces bent_traces(const BentColumns& x, const LabelColumns& y, const PairIndices& pairs);

}  // namespace bychance
