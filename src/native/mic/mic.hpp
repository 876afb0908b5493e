// MIC, MIC_e and TIC_e of two prepared variables: values in, statistics and grids out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bychance {

// Reshef et al. 2011 (MIC), Reshef et al. 2016 (MIC_e, TIC_e).
enum class MicKind { mic, mic_e, tic_e };

// Defaults are those of Reshef et al. 2011.
struct MicSettings {
  double exponent = 0.6;  // B = max(n^exponent, 4) bounds rows × columns
  double clumps = 15.0;   // superclumps allowed per column
  MicKind kind = MicKind::mic;
};

// One axis cut into rows of nearly equal size.
struct MicPartition {
  std::int32_t rows_asked;
  std::int32_t rows;     // ties may leave fewer than asked
  std::int32_t same_as;  // an earlier partition with these cuts and as many columns, or -1
  std::int32_t largest_row;
  std::int32_t columns;      // at most, of the other axis
  std::int32_t superclumps;  // at most, of the other axis
  std::size_t first_cut;     // into MicVariable::cuts: rows + 1 positions from 0 to n
  double entropy;            // g(n) - sum of g(row totals), g(k) = k ln k
};

// Everything about one variable that pairs and permutations share.
struct MicVariable {
  MicVariable(const double* values, std::size_t n, const MicSettings& settings);

  bool has_ties() const { return group_starts.size() != std::size_t(n) + 1; }

  std::int32_t n;
  MicSettings settings;
  double budget;
  std::vector<std::int32_t> order;         // observation at each sorted position
  std::vector<std::int32_t> position;      // sorted position of each observation
  std::vector<std::int32_t> group_starts;  // tie groups, closed by n
  std::vector<std::int32_t> cuts;
  std::vector<MicPartition> partitions;  // for 2, 3, ... rows
  std::vector<double> scale;             // n ln k, the largest score of k bins
};

// Scratch of one thread; grows to the largest n seen and is reused.
struct MicWorkspace {
  std::vector<std::uint16_t> labels_x, labels_y;
  std::vector<double> gains_x, gains_y, ends_x, ends_y;
  std::vector<std::int32_t> y_at_x, x_at_y;
  std::vector<std::uint16_t> row;
  std::vector<std::int32_t> changes, clump_starts, bounds, found_x, found_y;
  std::int32_t boundaries = 0;
  std::vector<std::uint64_t> step, counts, at_bounds;
  std::vector<std::int32_t> index, open, next;
  std::vector<double> levels, w, cells;
};

// Returns the statistic of x and y as they are paired.
double mic(const MicVariable& x, const MicVariable& y, MicWorkspace& workspace);

// The same for many pairings of one pair. Starting checks that the two fit, and lays out the row of every
// sorted position: what no pairing changes.
void mic_start(const MicVariable& x, const MicVariable& y, MicWorkspace& workspace);
// Returns the statistic if row k of x meets row pairing[k] of y.
double mic_paired(const MicVariable& x, const MicVariable& y, const std::int32_t* pairing,
                  MicWorkspace& workspace);

// The statistic with the grid that attains it, and the characteristic matrix.
struct MicGrid {
  double value;
  std::int32_t largest;                      // bins run from 2 to this on each axis
  std::vector<double> characteristic;        // [y bins - 2][x bins - 2], NaN beyond the budget
  bool y_equipartitioned;                    // the winner's other axis was optimized
  std::vector<std::int32_t> x_cuts, y_cuts;  // a cut at k lies before sorted position k
  std::vector<std::int64_t> counts;          // [y bins][x bins]
};

// Returns the best grid of x and y as they are paired.
MicGrid mic_grid(const MicVariable& x, const MicVariable& y, MicWorkspace& workspace);

// Time and memory of one evaluation of MIC.
struct MicCost {
  double operations;       // elementary steps of one evaluation, an upper bound
  double variable_bytes;   // one prepared variable
  double workspace_bytes;  // one thread
};

// Returns the cost for n rows.
MicCost mic_cost(std::size_t n, const MicSettings& settings);

}  // namespace bychance
