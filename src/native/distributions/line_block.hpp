// Squared correlations of many pairs of numeric columns without missing values, each with its p-value: one
// pass over a block of pairs. A pair is plain if its p-value is within the range of a valid Beta distribution
// and its value is not near 1.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <vector>

#include "core/shared_array.hpp"
#include "distributions/matching.hpp"
#include "moments/lines.hpp"

namespace bychance {

// Numeric columns without missing values, scaled to z: mean of z, norm of z minus its mean, and the sums that
// matching needs. They are lost to rounding if a column is not sound.
struct CompleteLines {
  SharedArray<double> mean, norm;
  SharedArray<bool> is_sound;
  SharedArray<std::int64_t> distinct;  // distinct values, counted up to some limit
  std::vector<MatchedSide> sides;
};

// Products sum z_i z_j of all columns x (rows) with all columns y, and the pairs that are asked for.
struct LineBlock {
  const CompleteLines &x, &y;
  const double* products;
  PairIndices pairs;
  std::size_t n_rows;

  double correlation(std::size_t pair) const;  // Pearson's r of the pair at this position
};

// Bounds for each column: least number of rows that differ from its most common value, least number outside
// its largest cluster, and the smallest p-value that its ties allow.
struct TieLimits {
  const double *others, *outside, *floor;
};

// Score by which pairs are ranked, larger first. A pair gets the score infinity if it has to be computed
// alone: its value is near 1, its p is below the range of its distribution, or no Beta distribution is valid.
enum class RankedBy { observed, adjusted, standardized, adjusted_at, p_value };

struct ScreenOptions {
  bool is_automatic;  // null="auto": distributions must be valid, and p-values end where validity ends
  double close;       // value above which a pair counts as near 1
  RankedBy by;
  double alpha;  // level of adjusted_at
  double least;  // score below which no plain pair is wanted
};

// The `size` best scores among all that any thread has offered.
class Leaders {
 public:
  explicit Leaders(std::size_t size) : size_(std::max<std::size_t>(size, 1)) {}

  // Smallest of the best scores, -infinity until there are `size` of them.
  double least() const { return least_.load(std::memory_order_relaxed); }

  void offer(const std::vector<double>& scores);

 private:
  std::size_t size_;
  std::vector<double> heap_;  // smallest score first
  std::mutex mutex_;
  std::atomic<double> least_{-std::numeric_limits<double>::infinity()};
};

// Positions and scores of the pairs that are not plain (score infinity), or may be among the best.
struct Wanted {
  std::vector<std::int64_t> at;
  std::vector<double> scores;
  bool are_all_known = true;  // every pair has a p-value
};

// Writes the p-value of each pair, NaN if it has none here, offers the scores of plain pairs to the leaders,
// and returns the pairs to compute further.
Wanted screen_lines(const LineBlock& block, const TieLimits& x, const TieLimits& y,
                    const ScreenOptions& options, Leaders& leaders, double* p);

}  // namespace bychance
