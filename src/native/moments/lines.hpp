// Numeric columns as lines: scaled, with sums of powers, or centered at unit norm; and pairs of them computed
// from the rows that both have, one by one, for the few whose power sums cancel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace bychance {

constexpr std::size_t kPowers = 6;  // powers that are summed: the third moment needs sum c^6 (proof)

// Scaled value z = (value * before - center) * after.
struct LineScaling {
  double before, center, after;
  double operator()(double value) const { return (value * before - center) * after; }
};

// Returns the scaling that brings the values to [-1, 1], both factors powers of two. The center is the median
// of some of the values: any point among them keeps power sums from canceling.
LineScaling scaling_of(const double* values, std::size_t n);

// Writes the sums of powers 1 to 6 of the scaled values of a column without missing values.
void power_sums(const double* values, std::size_t n, const LineScaling& scaling, double* sums);

// Pairs of columns: pair k is column first[k] of x and second[k] of y.
struct PairIndices {
  const std::int64_t *first, *second;
  std::size_t count;
};

// One value and one missing flag per row.
struct MaskedColumn {
  const double* values;
  const bool* is_missing;
};

struct MaskedColumns {
  std::vector<MaskedColumn> columns;
  std::size_t n_rows = 0;
};

// Sums of c^3, c^4 and c^6 over a column c centered at unit norm; all 0 if its values are equal.
struct LinePowers {
  double third = 0, fourth = 0, sixth = 0;
};

// Correlation of two columns, NaN if one of them is constant, and power sums of both, on shared rows.
struct LineFigures {
  double r = std::numeric_limits<double>::quiet_NaN();
  LinePowers x, y;
};

// Writes the values of both columns in the rows that both have to a and b; returns how many rows there are.
std::size_t gather_shared(const MaskedColumn& x, const MaskedColumn& y, std::size_t n_rows, double* a,
                          double* b);

// Centers and scales to unit norm in place; false if all values are equal.
bool make_line(double* c, std::size_t n);

// Returns the power sums of a column that make_line prepared.
LinePowers powers_of(const double* c, std::size_t n);

void make_midranks(double* c, std::size_t n);  // replaces values by midranks, from 1 on

// Returns the number of distinct values, or the limit if there are as many or more.
std::int64_t count_distinct(const std::vector<double>& values, std::size_t limit);

// Returns correlation and power sums of each pair, computed from its shared rows.
std::vector<LineFigures> line_pairs(const MaskedColumns& all, const PairIndices& pairs);

// Distinct values of either column on the shared rows, counted no further than the limit.
using DistinctOfBoth = std::array<std::int64_t, 2>;
std::vector<DistinctOfBoth> distinct_pairs(const MaskedColumns& all, const PairIndices& pairs,
                                           std::size_t limit);

}  // namespace bychance
