// Contingency tables of many pairs of label columns, each on the rows that both have: what tr(A B) and mutual
// information need of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "moments/cells.hpp"
#include "moments/information_moments.hpp"
#include "moments/lines.hpp"
#include "moments/trace_moments.hpp"

namespace bychance {

enum class Weights { projector, indicator };  // of a group: one over its size, or 1

// The groups of a labeling on some rows; a group may be empty.
struct GroupSizes {
  std::vector<std::int64_t> sizes;
  std::int64_t n = 0;

  std::size_t n_distinct() const;
  std::int64_t smallest() const;                            // of the groups that are not empty; 0 if all are
  double weight(std::size_t group, Weights weights) const;  // 0 for an empty group
};

// One categorical column as kernels take it.
struct LabelColumn {
  std::vector<std::int32_t> codes;  // 0..groups.sizes.size()-1, and that number if missing
  bool has_missing;
  GroupSizes groups;                      // on all rows that it has
  Invariants as_projector, as_indicator;  // there
  std::vector<std::uint64_t> bits;        // one set of rows per category; empty if categories are many

  std::size_t n_labels() const { return groups.sizes.size(); }
};

// Categorical columns of equal length.
struct LabelColumns {
  std::size_t n_rows = 0;
  std::vector<LabelColumn> columns;

  // Codes are numbered anew, so that every label occurs; a negative one is missing.
  void add(const std::int32_t* codes, std::size_t n);
};

// Computes the invariants of A = Z diag(w) Z' of groups, in one workspace.
struct PartitionInvariants {
  Invariants of(const GroupSizes& groups, Weights weights);
  // Invariants of a column's groups on some of its rows: on all of them they are known.
  Invariants of(const LabelColumn& column, const GroupSizes& groups, Weights weights);

 private:
  std::vector<double> weights_;
};

// The contingency table of one pair after the other, in one workspace: count() first, then what it gives.
class PairTable {
 public:
  void count(const LabelColumn& x, const LabelColumn& y);

  const GroupSizes& rows() const { return rows_; }
  const GroupSizes& columns() const { return columns_; }
  double trace(Weights y_weights);  // tr(A B), A the projector on x's groups, B of y's groups by weights
  double information();             // n times the mutual information, in nats

 private:
  void count_bits();
  void count_rows();
  void count_totals();
  void totals_from_counts();
  template <class Cell>
  double sum_cells(Cell cell);

  const LabelColumn *x_ = nullptr, *y_ = nullptr, *sorted_by_ = nullptr;
  bool is_dense_ = false;
  GroupSizes rows_, columns_;
  std::vector<std::int32_t> counts_;          // dense: a row for every label of x; else one row of scratch
  std::vector<std::int32_t> several_counts_;  // for rows in turn, so that no count waits for the last
  RowsByLabel rows_by_x_;                     // missing labels last
};

// Sizes of each pair: rows that both have, the number of groups of each side and the smallest of them.
struct PairSizes {
  std::vector<std::int64_t> n, x_distinct, y_distinct, x_smallest, y_smallest;

  explicit PairSizes(std::size_t count)
      : n(count), x_distinct(count), y_distinct(count), x_smallest(count), y_smallest(count) {}
  void put(std::size_t k, const GroupSizes& x, const GroupSizes& y);
};

// tr(A B) of each pair, and the invariants of A and of B.
struct PairTraces {
  PairSizes sizes;
  std::vector<double> trace;
  std::vector<Invariants> x, y;

  explicit PairTraces(std::size_t count) : sizes(count), trace(count), x(count), y(count) {}
};

// Mutual information of each pair, and its permutation moments.
struct PairInformation {
  PairSizes sizes;
  std::vector<double> observed, mean, variance;  // of n times the mutual information, in nats
  std::vector<double> bound;                     // n times the smaller entropy

  explicit PairInformation(std::size_t count)
      : sizes(count), observed(count), mean(count), variance(count), bound(count) {}
};

// Return tr(A B), or mutual information, of each pair on the rows that both columns have.
//
// Pairs with one category, or a different one in every row, get zeros if that leaves nothing to compute.
PairTraces table_traces(const LabelColumns& x, const LabelColumns& y, const PairIndices& pairs,
                        Weights y_weights);
PairInformation table_information(const LabelColumns& x, const LabelColumns& y, const PairIndices& pairs,
                                  double max_operations);

}  // namespace bychance
