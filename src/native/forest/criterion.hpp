// The interface of a criterion, which is made for one tree and has
//   Tally                       sums over the rows of each child of a node (partition.hpp);
//   add_node(tree, …)           adds a node with its answer, and returns true if it may be split;
//   count_again(…)              sets the answer of a node if rows count as often as they were drawn;
//   enter(node)                 prepares a node for its split, and returns the null of its gains;
//   group(column, node)         groups the node's rows by the value of a column;
//   null_of_present()           the null of the rows with a value;
//   cut_gains, multiway_gain    the gains of the splits of these groups;
//   gap_gain()                  the gain of a split by missing values;
//   least_gain()                splits with a smaller or equal gain are not made;
//   kStopsAtTwoRows             true if the first split of two rows is taken, since columns split them alike;
//   gain_unit()                 the unit of gains, in squared units of the target.
// The two criteria are ClassCriterion (Gini, entropy) and NumberCriterion (variance). NodeNull and
// SplitSearch score the gains of both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forest/columns.hpp"
#include "forest/null_moments.hpp"

namespace bychance::forest {

// Scores by which columns are compared. The first three are of the best split: its gain, the gain in standard
// deviations from the null mean, or the gain less a quantile of the null. `fair` is of the mean gain over all
// cuts, and then takes the cut with the largest gain.
enum class Score { raw, standardized, adjusted, fair };
enum class Quantile { cantelli, gamma };
// Terms summed over the classes of a child: squares for the Gini gain, x ln x for entropy.
enum class ClassSum { squares, xlogx };

struct SplitRules {
  Score score = Score::raw;
  ClassSum class_sum = ClassSum::squares;
  NullModel null = NullModel::moments;
  Quantile quantile = Quantile::cantelli;
  double deviation = 0;  // adjusted: standard deviations above the mean (cantelli), or normal score (gamma)
  std::size_t min_samples_leaf = 1;
  bool random_cuts = false;  // one cut per column, drawn between its least and largest value in the node
};

// A node's rows, and its number.
struct NodeRows {
  const std::uint32_t* rows;
  std::size_t n;
  std::size_t node;
};

// Groups in ascending order of their codes. "So far" includes the group itself.
struct NodeGroups {
  std::size_t count = 0;
  std::size_t n_rows = 0;  // rows with a value
  bool is_whole = true;    // true if every row of the node has a value
  std::vector<std::uint32_t> code;
  std::vector<double> left;  // weight so far
  std::vector<double> rows;  // rows so far
};

// A cut with weight l and sum s on its left, of n and S, gains scale (s n - l S)^2 / (l (n - l)).
struct CutGains {
  double n, total, scale;

  void at(const double* left, const double* sums, std::size_t first, std::size_t last, double* gains,
          double* reciprocals) const {
    for (std::size_t g = first; g < last; ++g) {
      const double excess = sums[g] * n - left[g] * total;
      reciprocals[g] = 1 / (left[g] * (n - left[g]));
      gains[g] = scale * (excess * excess) * reciprocals[g];
    }
  }
};

}  // namespace bychance::forest
