// Sums over a batch of rows, added to those of the batches before: powers of columns over the rows that other
// columns have, sums within groups, contingency tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "moments/lines.hpp"

namespace bychance {

// One mask per column: true for the rows in which it has no value.
using Masks = std::vector<const bool*>;

// Writes z, 0 if missing, row by row: z[row * columns.size() + i].
void scaled_rows(const std::vector<MaskedColumn>& columns, const LineScaling* scalings, std::size_t n_rows,
                 double* z);

// sums[(m * kPowers + p) * n_columns + i] grows by the sum of z^(p + 1) of column i over the rows that mask m
// has.
//
// If a mask misses at most half of a tile's rows, the tile's total is added, less those rows. If that would
// cancel, as an outlier among them makes it, the rows that it has are added instead.
void add_power_sums(const double* z, std::size_t n_columns, const Masks& masks, std::size_t n_rows,
                    double* sums);

// counts[a * others.size() + b] grows by the number of rows that mask a and mask b of the others have.
void add_shared_counts(const Masks& masks, const Masks& others, std::size_t n_rows, std::int64_t* counts);

// Returns the positions of missing values, as row * n_columns + column.
std::vector<std::uint32_t> missing_values(const Masks& masks, std::size_t n_rows);

// Sums of one categorical column (codes g) with every numeric column (i).
struct GroupTotals {
  double* sums;           // [g * n_columns + i]: z of column i over the rows with code g
  std::int64_t* missing;  // [g * n_columns + i]: how many of these column i misses
  std::int64_t* sizes;    // [g]: how many there are
};

// Adds a batch of rows to the totals, given scaled values z (row by row, 0 if missing) and the positions of
// missing values. A negative code is missing.
void add_group_sums(const std::int32_t* codes, const double* z, std::size_t n_columns,
                    const std::vector<std::uint32_t>& missing_values, std::size_t n_rows,
                    const GroupTotals& totals);

// table[x * n_columns + y] grows by one per row that has both codes.
void add_table(const std::int32_t* x, const std::int32_t* y, std::size_t n_rows, std::size_t n_columns,
               std::int64_t* table);

}  // namespace bychance
