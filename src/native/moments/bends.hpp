// A line that may bend at the quantiles of a column: where its rows lie between the knots, and the projector
// on all such lines. Values that take two quantiles are separate groups.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "moments/tables.hpp"

namespace bychance {

constexpr std::size_t kMostPieces = 5;
constexpr std::size_t kMostBentColumns = kMostPieces + 1;

// One piece for every six rows, from one piece to five.
std::size_t pieces_for(std::size_t n);

// Both ascending. A line runs from each knot to the next one.
struct Bends {
  std::vector<double> own;       // values that are separate groups
  std::vector<double> knots;     // of the other rows; the inner ones are bends
  bool has_groups_only = false;  // whether every value is a knot or a group, so that lines are not needed
};

// The values ascend and none is NaN.
Bends find_bends(const double* ascending, std::size_t n, std::size_t pieces);

// The basis has a column for every knot and then one for every group. A row has 1 - share in its column and
// share in the next one.
struct BentLine {
  std::vector<std::uint8_t> columns;
  std::vector<double> shares;
  bool has_groups_only = false;
  std::size_t n_columns = 0, rank = 0;
  // Row F of the orthonormal basis: sum over columns of coefficients * weight, less the offset.
  std::array<std::array<double, kMostBentColumns + 1>, kMostPieces> coefficients{};
  std::array<double, kMostPieces> offsets{};
  Invariants invariants;                                     // of FF'
  std::array<std::int64_t, kMostBentColumns> group_sizes{};  // where there are only groups

  // Places the values, which may be in any order, between these bends and finds the projector.
  void fit(const double* values, std::size_t n, const Bends& bends);

  // Adds the weights of row k, times a factor, to sums of n_columns + 1 entries.
  void add(std::size_t k, double factor, double* sums) const {
    const double next = shares[k] * factor;
    sums[columns[k]] += factor - next;
    sums[columns[k] + 1] += next;
  }
  // The squared length of F's combination with these sums of weights, `total` the sum of the factors.
  double squared_length(const double* sums, double total) const;
  // Row k of F.
  void row(std::size_t k, double* out) const;

 private:
  void find_basis();
  void find_invariants();
};

// tr(A B), A = FF', with B = yy' of a centered line y, whose value at row k is value(k).
template <class Value>
double trace_of_line(const BentLine& a, Value value) {
  double sums[kMostBentColumns + 1] = {};
  for (std::size_t k = 0; k < a.columns.size(); ++k) a.add(k, value(k), sums);
  return a.squared_length(sums, 0);
}

// The same with the indicators of classes of these sizes, row k being of class code(k); `sums` is scratch.
template <class Code>
double trace_of_classes(const BentLine& a, Code code, const std::vector<std::int64_t>& sizes,
                        std::vector<double>& sums) {
  constexpr std::size_t kStride = kMostBentColumns + 1;
  sums.assign(sizes.size() * kStride, 0.0);
  for (std::size_t k = 0; k < a.columns.size(); ++k) {
    a.add(k, 1, sums.data() + static_cast<std::size_t>(code(k)) * kStride);
  }
  double trace = 0;
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    trace += a.squared_length(sums.data() + g * kStride, static_cast<double>(sizes[g]));
  }
  return trace;
}

// Bends at the quantiles of the values themselves.
BentLine bent_line(const double* values, std::size_t n, std::size_t pieces);

}  // namespace bychance
