// Squared correlations of many pairs of complete columns, each with its null: one pass over a block of pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nulls/trace_law.hpp"

namespace bychance {

// Columns that miss nothing, scaled to z: the mean of z, its norm about that, and what matching needs of the
// line at unit norm. Figures of a column that is not sound are lost to rounding.
struct CompleteLines {
  const double *mean, *norm;
  const bool* is_sound;
  const std::int64_t* distinct;  // counted up to some limit
  std::vector<MatchedSide> sides;
};

// Sums of z_i z_j of all x (rows) with all y, and the pairs that are asked for.
struct LineBlock {
  const CompleteLines &x, &y;
  const double* products;
  const std::int64_t *first, *second;
  std::size_t count, n_rows;

  double correlation(std::size_t pair) const;
};

// Of each column: at least how many rows differ from its most common value, and the least p that its ties
// allow.
struct TieLimits {
  const std::int64_t* others;
  const double* floor;
};

enum class Screened : std::uint8_t {
  plain = 0,  // its Beta law stands
  sure = 1,   // the same, and it must be looked at: a value near 1, or a tail beyond the range of its law
  left = 2,   // anything else; its figures mean nothing, and p is NaN
};

struct ScreenOptions {
  bool is_automatic;  // a law must be trusted, and tails are compared with its range
  double close;       // a value near 1 is one above this
};

struct ScreenResults {
  double *observed, *mean, *std, *p;
  std::uint8_t* code;
};

void screen_lines(const LineBlock& block, const TieLimits& x, const TieLimits& y,
                  const ScreenOptions& options, const ScreenResults& out);

}  // namespace bychance
