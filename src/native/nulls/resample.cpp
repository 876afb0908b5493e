// One pass over the rows per permutation.
#include "nulls/resample.hpp"

#include <algorithm>
#include <vector>

namespace bychance {

void resample_lines(const double* x, const double* y, Permutations permutations, double* out) {
  const std::size_t n = permutations.n;
  for (std::size_t s = 0; s < permutations.count; ++s) {
    const std::int32_t* row = permutations.rows + s * n;
    double sum0 = 0, sum1 = 0;
    std::size_t k = 0;
    for (; k + 1 < n; k += 2) {
      sum0 += x[k] * y[row[k]];
      sum1 += x[k + 1] * y[row[k + 1]];
    }
    if (k < n) sum0 += x[k] * y[row[k]];
    out[s] = (sum0 + sum1) * (sum0 + sum1);
  }
}

void resample_group_sums(Groups groups, const double* line, bool is_line_permuted, Permutations permutations,
                         double* out) {
  const std::size_t n = permutations.n;
  std::vector<double> sums(groups.n_groups);
  for (std::size_t s = 0; s < permutations.count; ++s) {
    const std::int32_t* row = permutations.rows + s * n;
    std::fill(sums.begin(), sums.end(), 0.0);
    if (is_line_permuted) {
      for (std::size_t k = 0; k < n; ++k) sums[groups.codes[k]] += line[row[k]];
    } else {
      for (std::size_t k = 0; k < n; ++k) sums[groups.codes[row[k]]] += line[k];
    }
    double total = 0;
    for (std::size_t g = 0; g < groups.n_groups; ++g) total += groups.weights[g] * sums[g] * sums[g];
    out[s] = total;
  }
}

void resample_matrices(const double* a, const double* b, Permutations permutations, double* out) {
  const std::size_t n = permutations.n;
  for (std::size_t s = 0; s < permutations.count; ++s) {
    const std::int32_t* row = permutations.rows + s * n;
    double total = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const double* a_row = a + k * n;
      const double* b_row = b + static_cast<std::size_t>(row[k]) * n;
      double sum = 0;
      for (std::size_t l = 0; l < k; ++l) sum += a_row[l] * b_row[row[l]];
      total += 2 * sum + a_row[k] * b_row[row[k]];
    }
    out[s] = total;
  }
}

}  // namespace bychance
