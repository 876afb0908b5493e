// What the growing of a tree asks of a target. A criterion is made for one tree and has
//   Tally                       what is added up over the rows of a node's children (partition.hpp);
//   add_node(tree, …)           the answer of a new node; whether it may be split;
//   count_again(…)              the answer of a node where rows count as often as they were drawn;
//   enter(node)                 the statistics of a node that is to be split, as the null of its gains;
//   group(column, node)         the node's rows by the value of a column;
//   null_of_present()           the null of the rows that have the value;
//   cut_gains, multiway_gain    the gains of the splits of those groups;
//   gap_gain()                  that of parting the node's rows with a value from those without;
//   least_gain()                splits that gain no more are not made;
//   kStopsAtTwoRows             whether the first split of two rows is taken: every column parts them alike;
//   gain_unit()                 of gains, in squared units of the target.
// ClassCriterion (Gini, entropy) and NumberCriterion (variance) are the two there are. Scores of gains are
// the same for both: NodeNull and SplitSearch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forest/columns.hpp"
#include "forest/null_moments.hpp"

namespace bychance::forest {

// How columns are compared: by the gain of their best split, as it is, in standard deviations from its null
// mean, or less a quantile of its null; or, to be fair, by the mean gain over their cuts. Then the best cut
// is the one that gains most.
enum class Score { raw, standardized, adjusted, fair };
enum class Quantile { cantelli, gamma };
// What is summed over the classes of a child: squares for the Gini gain, x ln x for entropy.
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

// The groups in ascending order of their codes; "so far" includes the group itself.
struct NodeGroups {
  std::size_t count = 0;
  std::size_t n_rows = 0;  // rows that have the value
  bool is_whole = true;    // every row of the node has it
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
