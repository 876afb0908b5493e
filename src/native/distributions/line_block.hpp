// Squared correlations of many pairs of complete columns, each with its null: one pass over a block of pairs.
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

// Columns that miss nothing, scaled to z: the mean of z, its norm about that, and what matching needs of the
// line at unit norm. Figures of a column that is not sound are lost to rounding.
struct CompleteLines {
  SharedArray<double> mean, norm;
  SharedArray<bool> is_sound;
  SharedArray<std::int64_t> distinct;  // counted up to some limit
  std::vector<MatchedSide> sides;
};

// Sums of z_i z_j of all x (rows) with all y, and the pairs that are asked for.
struct LineBlock {
  const CompleteLines &x, &y;
  const double* products;
  PairIndices pairs;
  std::size_t n_rows;

  double correlation(std::size_t pair) const;
};

// Limits of each column: at least so many rows differ from its most common value, so many are outside its
// largest cluster, and the least p that its ties allow.
struct TieLimits {
  const double *others, *outside, *floor;
};

// A pair is plain if its Beta distribution stands; sure if, besides, it must be looked at: a value near 1, or
// a tail beyond the range of its distribution; anything else is left.
enum class RankedBy { observed, adjusted, standardized, adjusted_at, p_value };  // larger first

struct ScreenOptions {
  bool is_automatic;  // distributions must be valid, and no p-value is below the smallest that they hold for
  double close;       // a value near 1 is one above this
  RankedBy by;
  double alpha;  // the level of adjusted_at
  double least;  // no plain pair is wanted whose score is less
};

// The best scores among all that any thread has offered.
class Leaders {
 public:
  explicit Leaders(std::size_t size) : size_(std::max<std::size_t>(size, 1)) {}

  // The last of the best: what scores less is not among them. -infinity until there are as many.
  double least() const { return least_.load(std::memory_order_relaxed); }

  void offer(const std::vector<double>& scores);

 private:
  std::size_t size_;
  std::vector<double> heap_;  // the least first
  std::mutex mutex_;
  std::atomic<double> least_{-std::numeric_limits<double>::infinity()};
};

// Pairs that are not plain, or may be among the best: infinity is the score of those that are not plain.
struct Wanted {
  std::vector<std::int64_t> at;
  std::vector<double> scores;
  bool are_all_known = true;  // none is left
};

// Writes the p-value of each pair, NaN if it is left. Scores of plain pairs are offered to the leaders.
Wanted screen_lines(const LineBlock& block, const TieLimits& x, const TieLimits& y,
                    const ScreenOptions& options, Leaders& leaders, double* p);

}  // namespace bychance
