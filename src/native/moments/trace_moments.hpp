// Permutation moments of T = sum_kl A_kl B_pi(k)pi(l), A and B symmetric with zero row sums.
//
// Everything comes from eight invariants a matrix (d is the diagonal):
//   T = tr A, T2 = tr A^2, T3 = tr A^3, S2 = sum d^2, S3 = sum d^3,
//   B1 = sum_k d_k (A^2)_kk, R = d'Ad, U = sum_kl A_kl^3.
// Mean and variance are Kazi-Aoual et al. (1995). The third moment sums over the 23 ways in which the six
// indices of T^3 can coincide: mult * (v . invariants of A) * (v . invariants of B) / (n)_blocks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bychance {

// The eight invariants of one matrix, as above.
struct Invariants {
  double T = 0, T2 = 0, T3 = 0, S2 = 0, S3 = 0, B1 = 0, R = 0, U = 0;
};
constexpr std::size_t kInvariants = 8;
static_assert(sizeof(Invariants) == kInvariants * sizeof(double), "invariants lie in rows of doubles");

constexpr std::size_t kThirdTerms = 23;  // ways in which six indices coincide, as above (proof)

// Permutation moments of T = tr(A B).
struct TraceMoments {
  double mean, variance, third;  // third central moment
  double normal_variance;        // if one margin were normal: the first term of the exact one
};

// The numbers of one matrix that the moments need, for any partner.
struct TraceSide {
  explicit TraceSide(const Invariants& invariants);
  double T, T2, S2;
  double terms[kThirdTerms], weighted[kThirdTerms];  // v . invariants, and the same times mult
};

// The factors that depend on the number of rows alone.
struct TraceFactors {
  explicit TraceFactors(double n);
  double n, mean, normal, rest;  // rest is 0 if n is at most 3
  double third[7];               // over n (n-1) ..., for so many blocks; 0 if there are fewer rows
};

// Returns the permutation moments of tr(A B) from one side for A, one for B, and the factors for n rows.
TraceMoments trace_moments(const TraceSide& a, const TraceSide& b, const TraceFactors& by);

// Invariants of A = cc' with c centered and of unit norm.
Invariants line_invariants(const double* c, std::size_t n);

// Invariants of A = Z diag(w) Z' centered on both sides, Z the indicators of groups of the given sizes, some
// of them 0.
Invariants partition_invariants(const std::int64_t* sizes, const double* weights, std::size_t n_groups);

// Invariants of the U-centered matrix of |x_k - x_l|, scaled to unit norm; x ascending. O(n) time and space.
Invariants distance_invariants(const double* x, std::size_t n);

}  // namespace bychance
