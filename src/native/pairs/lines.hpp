// Numeric columns as lines: scaled, with sums of powers, or centered at unit norm; and pairs of them computed
// from the rows that both have, one by one, for the few whose power sums cancel.
#pragma once

#include <cstddef>
#include <cstdint>
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

// r, and the sums of third, fourth and sixth powers of both lines at unit norm; r is NaN where a column is
// constant.
struct LineFigures {
  double r;
  double x3, x4, x6;
  double y3, y4, y6;
};

constexpr std::size_t kLineFigures = 7;
static_assert(sizeof(LineFigures) == kLineFigures * sizeof(double), "figures lie in rows of doubles");

// Writes the values of the rows that both columns have; returns how many there are.
std::size_t gather_shared(const MaskedColumn& x, const MaskedColumn& y, std::size_t n_rows, double* a,
                          double* b);

// Centers and scales to unit norm in place; false where all values are equal.
bool make_line(double* c, std::size_t n);

void make_midranks(double* c, std::size_t n);  // in place, counting from 1

// How many distinct values there are, counting no further than limit.
std::int64_t count_distinct(const std::vector<double>& values, std::size_t limit);

void line_pairs(const MaskedColumn* columns, std::size_t n_rows, const PairIndices& pairs, LineFigures* out);

// Two counts a pair, of distinct values of either column on the shared rows, counting no further than limit.
void distinct_pairs(const MaskedColumn* columns, std::size_t n_rows, const PairIndices& pairs,
                    std::size_t limit, std::int64_t* out);

}  // namespace bychance
