// Pieces shared by the MIC sources: tables, equipartition, clumps and the search over columns.
#pragma once

#include "mic/mic.hpp"

namespace bychance {

// g(k) = k ln k, rounded so that every sum of a search over up to 2^bits points is exact:
// values then do not depend on the instruction set or on the order of addition.
// The tables of two counts spare look-ups if the counts are small.
struct MicTables {
  static constexpr std::int32_t stride = 111;        // a, b < stride: table of 96 KB (speed)
  static constexpr std::int32_t total_stride = 257;  // N < total_stride: all counts of 256 rows (speed)
  double unit;                                       // all entries are multiples of it
  std::vector<double> single;                        // g(a)
  std::vector<double> negative;                      // -g(N)
  std::vector<double> pair;                          // g(a) + g(b) at a * stride + b
  std::vector<double> two_rows;                      // g(a) + g(b) - g(a + b) at a * stride + b
  std::vector<double> odd_row;                       // g(a) - g(N) at a * total_stride + N, for N <= 256 only
};

// Built once per power of two and shared by all threads.
const MicTables& mic_tables(std::int32_t n);

// Cuts n sorted positions into about `bins` bins of nearly equal size, none of which cuts a tie group. Groups
// are given by their starts (closed by n) and by the group of each position. Writes the bins' starts, closed
// by n, and returns how many bins there are.
std::int32_t equipartition(std::int32_t n, std::int32_t bins, const std::int32_t* group_of,
                           const std::int32_t* starts, std::int32_t groups, std::int32_t* cuts);

// The input of one search over column cuts; see mic/search.cpp for the recurrence.
struct MicSearch {
  std::int32_t clumps;
  std::int32_t columns;
  std::int32_t lookups;       // in `table`, for one candidate column
  std::int32_t boundaries;    // from one look-up's indices to the next
  const std::int32_t* index;  // [lookup][boundary], running indices into `table`
  const std::int32_t* last;   // [boundary], running indices into `last_table`
  const double* table;
  const double* last_table;  // the part of W with -g of the column's total
  double* levels;            // [boundary][stride], best score with at most l columns at l - 1
  std::int32_t stride;
  double* w;           // four doubles per boundary
  std::int32_t* open;  // one per boundary
};

// Boundaries past the last clump that index, last, levels, w and open must hold.
constexpr std::int32_t search_padding = 4;
// Returns the stride of `levels` for this many columns: a multiple of four that is larger.
constexpr std::int32_t search_stride(std::int32_t columns) { return (columns + 7) / 4 * 4; }

// Fills search.levels at the last boundary, for three or more columns.
void search_columns(const MicSearch& search);
// Returns the best score with two columns.
double search_two_columns(const MicSearch& search);
// max over all column counts l of F_l(p) - l * penalty; penalty and margin are exact multiples
// of the tables' unit.
double penalized_score(const MicSearch& search, double penalty, double margin);

// One direction of a pair: the points that each row of y holds, seen along x.
struct MicDirection {
  const MicVariable& columns;
  const MicVariable& rows;
  const std::int32_t* row_position;  // sorted position on the row axis, in column order
  const std::uint16_t* labels;       // [partition][n], row of each sorted position
  const double* gains;               // [partition][n], of two columns: see two_column_bound
  const double* ends;                // [n]
  std::int32_t* clumps_found;        // [partition]
};

// Finds the sorted positions that meet; `permutation` may be null, for the pairing as it is.
void pair_positions(const MicVariable& x, const MicVariable& y, const std::int32_t* permutation,
                    MicWorkspace& workspace);

// No less than the best score with two columns: what a cut after each position scores, clumps merged or not.
// Points pass the cut one after the other, so that it takes no clumps and two look-ups per point.
double two_column_bound(const MicDirection& direction, std::size_t partition, MicWorkspace& workspace);

// Leaves the column boundaries to search in workspace.bounds, returns their number less one.
std::int32_t find_clumps(const MicDirection& direction, std::size_t partition, MicWorkspace& workspace);
// Returns the input of the search over columns that the clumps found allow.
MicSearch make_search(const MicDirection& direction, std::size_t partition, std::int32_t clumps,
                      MicWorkspace& workspace);

// Writes the score of every grid size of one direction, [partition][columns], to workspace.cells.
void fill_cells(const MicDirection& direction, MicWorkspace& workspace);
// Return the direction in which x's axis, or y's, is cut into searched columns.
MicDirection along_x(const MicVariable& x, const MicVariable& y, MicWorkspace& workspace);
MicDirection along_y(const MicVariable& x, const MicVariable& y, MicWorkspace& workspace);

// Rounding g costs a few 1e-15 near 1, and a grid that is not perfect falls short by far more.
inline double snapped(double value) { return value > 1 - 1e-13 ? 1.0 : value; }

}  // namespace bychance
