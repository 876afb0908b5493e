// Statistics of all measures but MIC: sums over the rows of a pair, of which y is permuted. A line is a
// standardized numeric column c, for the matrix cc'. Labels are category codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "moments/bends.hpp"
#include "moments/cells.hpp"
#include "permutations/statistic.hpp"

namespace bychance {

// traces.cpp: tr(A B) of two variables.

// Inner product sum_k x_k y_pi(k), whose square is the trace if both variables are lines.
class LineProduct : public Statistic {
 public:
  LineProduct(SharedArray<double> of_x, SharedArray<double> of_y, const Finish& finish)
      : Statistic(of_x.size, finish), x(std::move(of_x)), y(std::move(of_y)) {}
  void draw(const Permutations& permutations, std::uint64_t first, std::size_t count, Watch& watch,
            double* out) const override;
  std::unique_ptr<Walker> walker() const override;

  const SharedArray<double> x, y;
};

// Category codes and a weight per category.
struct Groups {
  SharedArray<std::int32_t> codes;  // one per row, 0..weights.size-1
  SharedArray<double> weights;      // one per group
};

// Trace of a line and a weighted partition: sum_g w_g (sum of the line's values over group g)^2. Either the
// line or the groups are permuted.
class GroupSums : public Statistic {
 public:
  GroupSums(Groups of_x, SharedArray<double> of_y, bool permutes_line, const Finish& finish)
      : Statistic(of_y.size, finish),
        groups(std::move(of_x)),
        line(std::move(of_y)),
        is_line_permuted(permutes_line) {}
  std::unique_ptr<Walker> walker() const override;

  const Groups groups;
  const SharedArray<double> line;
  const bool is_line_permuted;
};

// Trace sum_kl A_kl B_pi(k)pi(l) of dense symmetric n × n matrices.
class MatrixProduct : public Statistic {
 public:
  MatrixProduct(SharedArray<double> a, SharedArray<double> b, std::size_t n, const Finish& finish)
      : Statistic(n, finish), a_(std::move(a)), b_(std::move(b)) {}
  std::unique_ptr<Walker> walker() const override;
  std::size_t steps() const override { return n() * n(); }

 private:
  SharedArray<double> a_, b_;
};

// Trace of the projector on piecewise linear functions of x, and a line of y.
class BentLineSum : public Statistic {
 public:
  BentLineSum(std::shared_ptr<const BentLine> x, SharedArray<double> y, const Finish& finish)
      : Statistic(y.size, finish), x_(std::move(x)), y_(std::move(y)) {}
  std::unique_ptr<Walker> walker() const override;

 private:
  std::shared_ptr<const BentLine> x_;
  SharedArray<double> y_;
};

// Category codes of one column.
struct Labels {
  SharedArray<std::int32_t> codes;  // one per row, 0..n_labels-1
  std::size_t n_labels;
};

std::vector<std::int64_t> totals_of(const Labels& labels);  // rows per category

// Trace of the projector on piecewise linear functions of x, and class indicators of y.
class BentClassSum : public Statistic {
 public:
  BentClassSum(std::shared_ptr<const BentLine> x, Labels classes, const Finish& finish)
      : Statistic(classes.codes.size, finish), x_(std::move(x)), classes_(std::move(classes)) {}
  std::unique_ptr<Walker> walker() const override;

 private:
  std::shared_ptr<const BentLine> x_;
  Labels classes_;
};

// cell_sum.cpp: sum of a function of counts (moments/cells.hpp) over the cells of the contingency table.
class CellSum : public Statistic {
 public:
  CellSum(CellFunction of_cells, Labels of_x, Labels of_y, const Finish& finish)
      : Statistic(of_x.codes.size, finish), function(of_cells), x(std::move(of_x)), y(std::move(of_y)) {}
  std::unique_ptr<Evaluator> evaluator() const override;
  std::unique_ptr<Walker> walker() const override;
  std::size_t steps() const override { return n() + y.n_labels; }

  const CellFunction function;
  const Labels x, y;
};

// ranks.cpp: sums over ranks and distances of columns that are sorted once, before any permutation.

// Sorted column with ties.
struct TiedOrder {
  SharedArray<std::int32_t> order;       // rows from the smallest value to the largest
  SharedArray<std::int64_t> tie_groups;  // sizes of the groups of equal values, in that order
};

// Kendall's S, concordant minus discordant pairs; y has dense ranks.
class KendallSum : public Statistic {
 public:
  KendallSum(TiedOrder x, Labels y, const Finish& finish)
      : Statistic(y.codes.size, finish), x_(std::move(x)), y_(std::move(y)) {}
  std::unique_ptr<Evaluator> evaluator() const override;
  std::size_t steps() const override { return 8 * n(); }

 private:
  TiedOrder x_;
  Labels y_;
};

// Rank steps of Chatterjee's xi: sum of |r_k - r_l| over neighbors k, l in the order of x, averaged over the
// orders of tied rows.
class RankSteps : public Statistic {
 public:
  RankSteps(TiedOrder x, SharedArray<std::int32_t> y_ranks, const Finish& finish)
      : Statistic(y_ranks.size, finish), x_(std::move(x)), y_ranks_(std::move(y_ranks)) {}
  std::unique_ptr<Evaluator> evaluator() const override;
  std::size_t steps() const override { return 4 * n(); }

 private:
  TiedOrder x_;
  SharedArray<std::int32_t> y_ranks_;
};

// One numeric column for distance correlation. row_sums are sums of the distances of each row to all others.
struct DistanceLine {
  SharedArray<std::int32_t> ranks;  // for x rows in sorted order, for y the sorted position of each row
  SharedArray<double> values, row_sums;
};

// Inner product of two U-centered distance matrices, from sum_kl |x_k - x_l| |y_k - y_l| in O(n log n) and
// the products of the row sums.
class DistanceProduct : public Statistic {
 public:
  DistanceProduct(DistanceLine of_x, DistanceLine of_y, const Finish& finish)
      : Statistic(of_x.values.size, finish), x(std::move(of_x)), y(std::move(of_y)) {}
  double totals() const;  // the product of both sums of row sums
  std::unique_ptr<Evaluator> evaluator() const override;
  std::unique_ptr<Walker> walker() const override;
  std::size_t steps() const override { return 8 * n(); }

  const DistanceLine x, y;
};

// statistic.cpp: statistics of parts of the rows.

// One stratum of a weighted sum: its weight, its rows, and its statistic or constant value.
struct Part {
  double weight;
  std::shared_ptr<const Statistic> statistic;  // null if all pairings give the value `constant`
  double constant;
  std::vector<std::int32_t> rows;
};

// A weighted sum of statistics, each of some of the rows. Permutations must keep rows within their part.
class WeightedSum : public Statistic {
 public:
  WeightedSum(std::vector<Part> parts, std::size_t n, const Finish& finish);
  std::unique_ptr<Evaluator> evaluator() const override;

 private:
  std::vector<Part> parts_;
  std::vector<std::int32_t> places_;  // position of each row among the rows of its part
};

}  // namespace bychance
