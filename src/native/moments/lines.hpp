// Numeric columns as lines: scaled, with sums of powers, or centered at unit norm; and pairs of them computed
// from the rows that both have, one by one, for the few whose power sums cancel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace bychance {

constexpr std::size_t kPowers = 6;

struct LineScaling {
  double before, center, after;
  double operator()(double value) const { return (value * before - center) * after; }
};

// Brings the values to [-1, 1], both factors powers of two. The center is the median of some of the values:
// any point among them keeps power sums from canceling.
LineScaling scaling_of(const double* values, std::size_t n);

// Sums of powers 1 to 6 of a column that misses nothing.
void power_sums(const double* values, std::size_t n, const LineScaling& scaling, double* sums);

struct PairIndices {
  const std::int64_t *first, *second;
  std::size_t count;
};

struct MaskedColumn {
  const double* values;
  const bool* is_missing;
};

struct MaskedColumns {
  std::vector<MaskedColumn> columns;
  std::size_t n_rows = 0;
};

// Sums over a line at unit norm; all 0 if the values are equal.
struct LinePowers {
  double third = 0, fourth = 0, sixth = 0;
};

// The correlation of two columns is NaN if one of them is constant.
struct LineFigures {
  double r = std::numeric_limits<double>::quiet_NaN();
  LinePowers x, y;
};

// Writes the values of the rows that both columns have; returns how many there are.
std::size_t gather_shared(const MaskedColumn& x, const MaskedColumn& y, std::size_t n_rows, double* a,
                          double* b);

// Centers and scales to unit norm in place; false if all values are equal.
bool make_line(double* c, std::size_t n);

LinePowers powers_of(const double* c, std::size_t n);

void make_midranks(double* c, std::size_t n);  // in place, counting from 1

// Counts distinct values, no further than the limit.
std::int64_t count_distinct(const std::vector<double>& values, std::size_t limit);

std::vector<LineFigures> line_pairs(const MaskedColumns& all, const PairIndices& pairs);

// Distinct values of either column on the shared rows, counted no further than the limit.
using DistinctOfBoth = std::array<std::int64_t, 2>;
std::vector<DistinctOfBoth> distinct_pairs(const MaskedColumns& all, const PairIndices& pairs,
                                           std::size_t limit);

}  // namespace bychance
