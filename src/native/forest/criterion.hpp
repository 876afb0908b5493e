// What the growing of a tree asks of a target. A criterion is made for one tree and has
//   Tally                       what is added up over the rows of a node's children (partition.hpp);
//   add_node(tree, …)           the answer of a new node; whether it may be split;
//   count_again(…)              the answer of a node where rows count as often as they were drawn;
//   enter(node)                 the statistics of a node that is to be split, as the null of its gains;
//   group(column, node)         the node's rows by the value of a column;
//   null_of_present()           the null of the rows that have the value;
//   cut_gains, single_gains, multiway_gain
//                               the gains of the splits of those groups;
//   gap_gain()                  that of parting the node's rows with a value from those without;
//   least_gain()                splits that gain no more are not made;
//   most_gain()                 no column gains more in the node;
//   kStopsAtTwoRows             whether the first split of two rows is taken: every column parts them alike;
//   gain_unit()                 of gains, in squared units of the target.
// ClassCriterion (Gini, entropy) and NumberCriterion (variance) are the two there are. Scores of gains, fixed
// in advance or searched for, are the same for both: NodeNull and SplitSearch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forest/null.hpp"

namespace bychance {

// How a gain is judged: as it is, in standard deviations from its null mean, less a quantile of its null, as
// a normal score that knows how many cuts were searched, or not at all: columns are compared by the mean gain
// over their cuts, and the best cut is made.
enum class Score { raw, standardized, adjusted, fair, mean };
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

// The best cut of a column, where a criterion finds it at once; no gain where there is none.
struct FoundCut {
  double gain = 0, reciprocal = 0;
  std::uint32_t low = 0, high = 0;
};

// The groups in ascending order of their codes; "so far" includes the group itself.
struct NodeGroups {
  std::size_t count = 0;
  std::size_t n_rows = 0;  // rows that have the value
  bool is_whole = true;    // every row of the node has it
  std::vector<std::uint32_t> code;
  std::vector<double> left;  // weight so far
  std::vector<double> rows;  // rows so far
  // Of a target of numbers: those of the node's rows, standardized; what each row weighs, empty for one;
  // which rows lack the value; and which node it is, by when it was entered.
  const double* numbers = nullptr;
  std::size_t n_numbers = 0;
  std::vector<double> sizes;
  std::vector<std::size_t> left_out;
  std::uint64_t node = 0;
};

}  // namespace bychance
