// Values of the trace measures over many re-pairings: one row of permutation indices each (see
// nulls/permute.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace bychance {

struct Permutations {
  const std::int32_t* rows;  // count × n
  std::size_t count, n;
};

// (sum_k x_k y_pi(k))^2: both variables are lines.
void resample_lines(const double* x, const double* y, Permutations permutations, double* out);

struct Groups {
  const std::int32_t* codes;  // one a row, 0..n_groups-1
  const double* weights;      // one a group
  std::size_t n_groups;
};

// sum_g w_g (sum of the line's values over group g)^2, permuting the line or the groups.
void resample_group_sums(Groups groups, const double* line, bool is_line_permuted, Permutations permutations,
                         double* out);

// sum_kl A_kl B_pi(k)pi(l) for dense symmetric n × n matrices.
void resample_matrices(const double* a, const double* b, Permutations permutations, double* out);

}  // namespace bychance
