// The statistics of all measures but MIC: sums over the rows of a pair, of which y is permuted.
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

// sum_k x_k y_pi(k), whose square is the trace if both variables are lines.
class LineProduct : public Statistic {
 public:
  LineProduct(SharedArray<double> of_x, SharedArray<double> of_y, const Finish& finish)
      : Statistic(of_x.size, finish), x(std::move(of_x)), y(std::move(of_y)) {}
  void draw(const Permutations& permutations, std::uint64_t first, std::size_t count, Watch& watch,
            double* out) const override;
  std::unique_ptr<Walker> walker() const override;

  const SharedArray<double> x, y;
};

struct Groups {
  SharedArray<std::int32_t> codes;  // one per row, 0..weights.size-1
  SharedArray<double> weights;      // one per group
};

// sum_g w_g (sum of the line's values over group g)^2, permuting the line or the groups.
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

// sum_kl A_kl B_pi(k)pi(l) for dense symmetric n × n matrices.
class MatrixProduct : public Statistic {
 public:
  MatrixProduct(SharedArray<double> a, SharedArray<double> b, std::size_t n, const Finish& finish)
      : Statistic(n, finish), a_(std::move(a)), b_(std::move(b)) {}
  std::unique_ptr<Walker> walker() const override;
  std::size_t steps() const override { return n() * n(); }

 private:
  SharedArray<double> a_, b_;
};

// A line that bends with x, and a line of y.
class BentLineSum : public Statistic {
 public:
  BentLineSum(std::shared_ptr<const BentLine> x, SharedArray<double> y, const Finish& finish)
      : Statistic(y.size, finish), x_(std::move(x)), y_(std::move(y)) {}
  std::unique_ptr<Walker> walker() const override;

 private:
  std::shared_ptr<const BentLine> x_;
  SharedArray<double> y_;
};

struct Labels {
  SharedArray<std::int32_t> codes;  // one per row, 0..n_labels-1
  std::size_t n_labels;
};

std::vector<std::int64_t> totals_of(const Labels& labels);

// A line that bends with x, and classes of y.
class BentClassSum : public Statistic {
 public:
  BentClassSum(std::shared_ptr<const BentLine> x, Labels classes, const Finish& finish)
      : Statistic(classes.codes.size, finish), x_(std::move(x)), classes_(std::move(classes)) {}
  std::unique_ptr<Walker> walker() const override;

 private:
  std::shared_ptr<const BentLine> x_;
  Labels classes_;
};

// cell_sum.cpp: the sum of a function (moments/cells.hpp) over the cells of the table of x and y.
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

// ranks.cpp: sums over ranks and distances. A pairing only re-pairs what was sorted before.

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

// The sum of |r_k - r_l| over neighbors in the order of x, averaged over the orders of tied rows: rank steps
// of Chatterjee's xi.
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

// One variable of distance products; row_sums are the distances of each row to all others.
struct DistanceLine {
  SharedArray<std::int32_t> ranks;  // of x its sorted order, of y the place of each row in it
  SharedArray<double> values, row_sums;
};

// The inner product of the two U-centered distance matrices, from sum_kl |x_k - x_l| |y_k - y_l| in
// O(n log n) and the products of the row sums.
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

struct Part {
  double weight;
  std::shared_ptr<const Statistic> statistic;  // none: the part has the same value in every pairing
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
  std::vector<std::int32_t> places_;  // of each row among those of its part
};

}  // namespace bychance
