// Pairs of numeric columns computed from the rows that both have, one by one: for the few whose power sums
// cancel, and for counts of distinct values.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bychance {

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

struct ColumnPairs {
  const std::int64_t* first;
  const std::int64_t* second;
  std::size_t count;
};

// Writes the values of the rows that both columns have; returns how many there are.
std::size_t gather_shared(const MaskedColumn& x, const MaskedColumn& y, std::size_t n_rows, double* a,
                          double* b);

// Centers and scales to unit norm in place; false where all values are equal.
bool make_line(double* c, std::size_t n);

void make_midranks(double* c, std::size_t n);  // in place, counting from 1

void line_pairs(const MaskedColumn* columns, std::size_t n_rows, ColumnPairs pairs, LineFigures* out);

// Two counts a pair, of distinct values of either column on the shared rows, counting no further than limit.
void distinct_pairs(const MaskedColumn* columns, std::size_t n_rows, ColumnPairs pairs, std::size_t limit,
                    std::int64_t* out);

}  // namespace bychance
