// Lines that may bend at the quantiles of a column x: the projector A on all of them, and tr(A B) of many
// pairs of columns, B a line or an indicator of classes. Values of x that take two quantiles are separate
// groups.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "moments/groups.hpp"

namespace bychance {

constexpr std::size_t kMostPieces = 5;  // pieces of a function: bends at quintiles (docs/measures.md)
constexpr std::size_t kMostSlots = kMostPieces + 1;  // pieces and separate groups, at most

// Returns the number of pieces for n rows: one for every six rows, from one piece to five (docs/measures.md).
std::size_t pieces_for(std::size_t n);

// A row of the basis, or a combination of its rows; entries from the rank on are 0.
using BentRow = std::array<double, kMostPieces>;

// Returns the sum of squared entries.
inline double squared_length(const BentRow& row) {
  double squares = 0;
  for (const double entry : row) squares += entry * entry;
  return squares;
}

// Where the linear functions of a column bend: knots and separate groups, both ascending. A row's slot is its
// piece, from one knot to the next, or after all pieces its group.
struct Bends {
  std::vector<double> knots;    // none if every value is a group
  std::vector<double> groups;   // values that are separate groups
  std::vector<double> centers;  // a typical share of the way from knot to knot in each slot, at first 0

  // From ascending values, none of them NaN.
  static Bends of(const double* ascending, std::size_t n, std::size_t pieces);

  std::size_t n_pieces() const { return knots.empty() ? 0 : knots.size() - 1; }
  std::size_t n_slots() const { return n_pieces() + groups.size(); }

  // A value's slot, and its share of the way to the next knot less the center; 0 in a group.
  std::pair<std::size_t, double> place(double value) const;
};

// A line in every slot, or sums of a row's weights: entry 2c is the level at the center of slot c and has the
// weight 1, entry 2c + 1 is the slope there and has the share less that center.
using BentFunction = std::array<double, 2 * kMostSlots>;

// Sums over the rows of each slot: powers 0 to 6 of the share less its center.
constexpr std::size_t kSharePowers = 7;  // powers 0 to 6, which the third moment needs (proof)
using SlotPowers = std::array<std::array<double, kSharePowers>, kMostSlots>;

// The orthonormal basis F of the centered lines.
struct BentBasis {
  std::size_t rank = 0;
  std::array<BentFunction, kMostPieces> functions{};
  Invariants invariants;            // of FF'
  std::int64_t smallest_group = 0;  // of groups alone, else 0

  BentBasis() = default;
  BentBasis(const Bends& bends, const SlotPowers& sums);

  // The sum of rows of F, from the sum of their weights.
  BentRow combination(const BentFunction& sums) const;

 private:
  void find_functions(const Bends& bends, const SlotPowers& sums);
  void find_invariants(const SlotPowers& sums, std::size_t n_slots);
};

// The projector of one column: its basis F, and the weights of every row.
struct BentLine {
  Bends bends;
  BentBasis basis;
  std::vector<std::uint8_t> slots;
  std::vector<double> shares;  // less the centers

  // Finds the bends of the ascending values, none of them NaN, and the projector for the values as they are.
  void fit(const double* values, const double* ascending, std::size_t n, std::size_t pieces);

  // Adds the weights of row k, times a factor.
  void add(std::size_t k, double factor, BentFunction& sums) const {
    sums[2 * slots[k]] += factor;
    sums[2 * slots[k] + 1] += shares[k] * factor;
  }
  // Row k of F.
  BentRow row(std::size_t k) const;
};

// F'y of a centered line y, whose value at row k is value(k). Its squared length is tr(A B), B = yy'.
template <class Value>
BentRow sum_of_line(const BentLine& a, Value value) {
  BentFunction sums{};
  for (std::size_t k = 0; k < a.slots.size(); ++k) a.add(k, value(k), sums);
  return a.basis.combination(sums);
}

// The sum of the rows of F in each class, row k being of class code(k); `weights` is scratch. Squared lengths
// add up to tr(A B), B the indicator of these classes.
template <class Code>
void sum_classes(const BentLine& a, Code code, std::size_t n_classes, std::vector<BentFunction>& weights,
                 std::vector<BentRow>& sums) {
  weights.assign(n_classes, {});
  for (std::size_t k = 0; k < a.slots.size(); ++k) a.add(k, 1, weights[code(k)]);
  sums.clear();
  for (const BentFunction& own : weights) sums.push_back(a.basis.combination(own));
}

// Returns the sum of squared lengths of several rows.
inline double squared_lengths(const std::vector<BentRow>& rows) {
  double total = 0;
  for (const BentRow& row : rows) total += squared_length(row);
  return total;
}

// One column x as kernels take it.
struct BentColumn {
  std::vector<double> values;       // NaN if missing
  std::vector<std::int32_t> order;  // rows that have a value, ascending
  BentLine line;                    // of a column that misses nothing
  std::int64_t n_distinct = 0;      // of the same, up to CenteredLine::kManyValues

  bool has_missing() const { return order.size() < values.size(); }
};

// Columns x as kernels take them. If `is_ranked`, they hold midranks, and pairs with missing values are
// ranked anew on their rows.
struct BentColumns {
  std::size_t most_pieces = kMostPieces;
  bool is_ranked = false;
  std::size_t n_rows = 0;
  std::vector<BentColumn> columns;

  void add(const double* values, std::size_t n);  // NaN is missing
  std::size_t pieces_of(std::size_t n) const { return std::min(pieces_for(n), most_pieces); }
};

// Returns tr(A B) and the invariants of A and B of each pair, on the rows that both columns have.
//
// `x_distinct` is one more than the rank of A, and of rank 1 the number of distinct values, at most
// CenteredLine::kManyValues; smallest groups are 0 if x is not groups alone, or y a line.
PairTraces bent_traces(const BentColumns& x, const NumberColumns& y, const PairIndices& pairs);
PairTraces bent_traces(const BentColumns& x, const LabelColumns& y, const PairIndices& pairs);

}  // namespace bychance
