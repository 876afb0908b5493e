// Rank statistics: Kendall's S, the rank steps of Chatterjee's xi, and products of distances. A variable
// enters as its sorted order and the groups of tied rows; a pairing only re-pairs the ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "permutations/statistic.hpp"

namespace bychance {

struct TiedOrder {
  Held<std::int32_t> order;       // rows from the smallest value to the largest
  Held<std::int64_t> tie_groups;  // sizes of the groups of equal values, in that order
};

// S = concordant minus discordant pairs; y_codes are dense ranks 0..n_codes-1.
class KendallSum : public Statistic {
 public:
  KendallSum(TiedOrder x, Held<std::int32_t> y_codes, std::size_t n_codes, const Finish& finish)
      : Statistic(y_codes.size, finish), x_(std::move(x)), y_codes_(std::move(y_codes)), n_codes_(n_codes) {}
  std::unique_ptr<Evaluator> evaluator() const override;
  std::size_t steps() const override { return 8 * n(); }

 private:
  TiedOrder x_;
  Held<std::int32_t> y_codes_;
  std::size_t n_codes_;
};

// P(S = n0 - n1 - 2i), i = 0, 1, …: the whole law where at most one variable has ties (group sizes given).
// It is the law of the number of discordant pairs: a q-multinomial coefficient over its sum.
std::vector<double> kendall_law(const std::int64_t* tie_groups, std::size_t n_groups);

// Sum of |r_k - r_l| over neighbors in the order of x, averaged over the orders of tied rows.
class RankSteps : public Statistic {
 public:
  RankSteps(TiedOrder x, Held<std::int32_t> y_ranks, const Finish& finish)
      : Statistic(y_ranks.size, finish), x_(std::move(x)), y_ranks_(std::move(y_ranks)) {}
  std::unique_ptr<Evaluator> evaluator() const override;
  std::size_t steps() const override { return 4 * n(); }

 private:
  TiedOrder x_;
  Held<std::int32_t> y_ranks_;
};

// One variable of distance products; row_sums are the distances of each row to all others.
struct DistanceLine {
  Held<std::int32_t> ranks;  // of x its sorted order, of y the place of each row in it
  Held<double> values, row_sums;
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

}  // namespace bychance
