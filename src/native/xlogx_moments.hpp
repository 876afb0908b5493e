// Exact permutation mean and variance of F = sum_ij n_ij ln n_ij, the part of mutual information that the
// pairing changes, from the totals of a table alone.
//
// Each n_ij is hypergeometric. Given n_ij, the rest of row i and the rest of column j are independent, so
//   Var F = sum_ij E[(rho_ij(n_ij) - E rho_ij)(gamma_ij(n_ij) - E gamma_ij)],
// with rho the expected sum over row i and gamma over column j given n_ij. Equal totals share their terms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bychance {

double xlogx_mean(const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& columns);

// Throws std::length_error where more than max_operations would be needed.
double xlogx_variance(const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& columns,
                      double max_operations);

}  // namespace bychance
