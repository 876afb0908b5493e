// Rank statistics over re-pairings: Kendall's S, the rank steps of Chatterjee's xi, and products of
// distances. A variable enters as its sorted order and the groups of tied rows; a permutation only re-pairs
// the ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nulls/resample.hpp"

namespace bychance {

struct TiedOrder {
  const std::int32_t* order;       // rows from the smallest value to the largest
  const std::int64_t* tie_groups;  // sizes of the groups of equal values, in that order
  std::size_t n_groups;
};

// S = concordant minus discordant pairs; y_codes are dense ranks 0..n_codes-1.
void kendall_s(TiedOrder x, const std::int32_t* y_codes, std::size_t n_codes, Permutations permutations,
               double* out);

// P(S = n0 - n1 - 2i), i = 0, 1, …: the whole law where at most one variable has ties (group sizes given).
// It is the law of the number of discordant pairs: a q-multinomial coefficient over its sum.
std::vector<double> kendall_law(const std::int64_t* tie_groups, std::size_t n_groups);

// Sum of |r_k - r_l| over neighbors in the order of x, averaged over the orders of tied rows.
void rank_steps(TiedOrder x, const std::int32_t* y_ranks, Permutations permutations, double* out);

// Sum over k != l of |x_k - x_l| |y_k - y_l|, in O(n log n) a permutation.
void distance_products(const std::int32_t* x_order, const double* x, const std::int32_t* y_positions,
                       const double* y, Permutations permutations, double* out);

}  // namespace bychance
