// The 23 terms of the third moment by number of distinct rows, and the eight invariants of each form.
#include "moments/trace_moments.hpp"

#include <cmath>
#include <vector>

#include "moments/lines.hpp"

namespace bychance {
namespace {

struct ThirdMomentTerm {
  int blocks, multiplicity;
  double coefficients[kInvariants];  // over T^3, T T2, T3, S2 T, B1, R, U, S3
};

// Ordered by the number of blocks.
constexpr ThirdMomentTerm kThirdMomentTerms[kThirdTerms] = {
    {1, 1, {0, 0, 0, 0, 0, 0, 0, 1}},           {2, 6, {0, 0, 0, 0, 0, 0, 0, -1}},
    {2, 3, {0, 0, 0, 1, 0, 0, 0, -1}},          {2, 12, {0, 0, 0, 0, 1, 0, 0, -1}},
    {2, 6, {0, 0, 0, 0, 0, 1, 0, -1}},          {2, 4, {0, 0, 0, 0, 0, 0, 1, -1}},
    {3, 3, {0, 0, 0, -1, 0, 0, 0, 2}},          {3, 12, {0, 0, 0, 0, -1, 0, 0, 2}},
    {3, 24, {0, 0, 0, 0, -1, -1, 0, 2}},        {3, 12, {0, 0, 0, -1, 0, -1, 0, 2}},
    {3, 1, {1, 0, 0, -3, 0, 0, 0, 2}},          {3, 6, {0, 1, 0, -1, -2, 0, 0, 2}},
    {3, 24, {0, 0, 0, 0, -1, 0, -1, 2}},        {3, 8, {0, 0, 1, 0, -3, 0, 0, 2}},
    {4, 12, {0, 0, 0, 1, 2, 2, 0, -6}},         {4, 3, {-1, 0, 0, 5, 0, 2, 0, -6}},
    {4, 12, {0, -1, 0, 2, 3, 2, 0, -6}},        {4, 6, {0, -1, 0, 1, 4, 0, 2, -6}},
    {4, 8, {0, 0, 0, 0, 3, 0, 2, -6}},          {4, 24, {0, 0, -1, 0, 5, 1, 1, -6}},
    {5, 3, {1, 2, 0, -10, -8, -8, 0, 24}},      {5, 12, {0, 1, 2, -2, -16, -4, -4, 24}},
    {6, 1, {-1, -6, -8, 18, 72, 24, 16, -120}},
};
constexpr std::size_t kFirstTerm[] = {0, 0, 1, 6, 14, 20, 22, kThirdTerms};  // of so many blocks

double raw_third_moment(const TraceSide& a, const TraceSide& b, const TraceFactors& by) {
  double total = 0;
  for (int blocks = 1; blocks <= 6; ++blocks) {
    double sum = 0;
    for (std::size_t t = kFirstTerm[blocks]; t < kFirstTerm[blocks + 1]; ++t)
      sum += a.weighted[t] * b.terms[t];
    total += sum * by.third[blocks];
  }
  return total;
}

}  // namespace

TraceSide::TraceSide(const Invariants& a) : T(a.T), T2(a.T2), S2(a.S2) {
  const double products[kInvariants] = {T * T * T, T * T2, a.T3, S2 * T, a.B1, a.R, a.U, a.S3};
  for (std::size_t t = 0; t < kThirdTerms; ++t) {
    terms[t] = 0;
    for (std::size_t i = 0; i < kInvariants; ++i) {
      terms[t] += kThirdMomentTerms[t].coefficients[i] * products[i];
    }
    weighted[t] = kThirdMomentTerms[t].multiplicity * terms[t];
  }
}

TraceFactors::TraceFactors(double n_rows)
    : n(n_rows),
      mean(1 / (n - 1)),
      normal(2 / ((n - 1) * (n - 1) * (n + 1) * (n - 2))),
      rest(n > 3 ? 1 / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3)) : 0),
      third{} {
  // With fewer rows than blocks no assignment of distinct indices exists: the term is absent.
  double falling = 1;
  for (int blocks = 1; blocks <= 6 && n >= blocks; ++blocks) {
    falling *= n - blocks + 1;
    third[blocks] = 1 / falling;
  }
}

TraceMoments trace_moments(const TraceSide& a, const TraceSide& b, const TraceFactors& by) {
  const double n = by.n, mean = a.T * b.T * by.mean;
  const double Da = (n - 1) * a.T2 - a.T * a.T, Db = (n - 1) * b.T2 - b.T * b.T;
  const double normal = Da * Db * by.normal;
  const double Ga = n * (n + 1) * a.S2 - (n - 1) * (a.T * a.T + 2 * a.T2);
  const double Gb = n * (n + 1) * b.S2 - (n - 1) * (b.T * b.T + 2 * b.T2);
  const double variance = normal + Ga * Gb * by.rest;
  const double third = raw_third_moment(a, b, by) - 3 * mean * variance - mean * mean * mean;
  return {mean, variance, third, normal};
}

Invariants line_invariants(const double* c, std::size_t n) {
  const auto [third, fourth, sixth] = powers_of(c, n);
  return {1, 1, 1, fourth, sixth, fourth, third * third, third * third};
}

Invariants partition_invariants(const std::int64_t* sizes, const double* weights, std::size_t n_groups) {
  // A_gh = [g = h] w_g - m_g - m_h + mu is constant on blocks; with zero row sums every invariant is a
  // single sum over groups.
  double n = 0, p = 0;
  for (std::size_t g = 0; g < n_groups; ++g) {
    const double size = sizes[g];
    n += size;
    p += weights[g] * size * size;
  }
  p /= n;
  const double mu = p / n;
  double q = 0, T = 0, f = 0;
  for (std::size_t g = 0; g < n_groups; ++g) {
    const double size = sizes[g];
    const double m = weights[g] * size / n, d = weights[g] - 2 * m + mu;
    q += size * m * m;
    T += size * d;
    f += size * m * d;
  }
  double T2 = 0, T3 = 0, S2 = 0, S3 = 0, B1 = 0, R = 0, U = 0, u1 = 0, u2 = 0, u3 = 0;
  for (std::size_t g = 0; g < n_groups; ++g) {
    const double size = sizes[g];
    const double w = weights[g], m = w * size / n, d = w - 2 * m + mu, u = m - mu / 2;
    const double times_m = size * w * m - m * p - q + mu * p;  // (A m)_g
    const double times_d = size * w * d - m * T - f + mu * T;  // (A d)_g
    const double square = size * w * d - times_m;              // (A^2)_gg
    T2 += size * square;
    T3 += w * size * size * square;
    S2 += size * d * d;
    S3 += size * d * d * d;
    B1 += size * d * square;
    R += size * d * times_d;
    U += size * size * (d * d * d + 8 * u * u * u);
    u1 += size * u;
    u2 += size * u * u;
    u3 += size * u * u * u;
  }
  U -= 2 * n * u3 + 6 * u2 * u1;
  return {T, T2, T3, S2, S3, B1, R, U};
}

Invariants distance_invariants(const double* x, std::size_t n) {
  const double count = n;
  double mean = 0, below = 0, total = 0, grand = 0;
  for (std::size_t k = 0; k < n; ++k) mean += x[k] / count;
  std::vector<double> p(n), q(n);
  for (std::size_t k = 0; k < n; ++k) {
    p[k] = x[k] - mean;
    total += p[k];
  }
  for (std::size_t k = 0; k < n; ++k) {
    q[k] = (2.0 * k - count + 1) * p[k] - 2 * below + total - p[k];  // its distances
    below += p[k];
    grand += q[k];
  }
  const double middle = grand / ((count - 1) * (count - 2)) / 2;
  for (std::size_t k = 0; k < n; ++k) {
    const double value = p[k], own = q[k] / (count - 2) - middle;
    p[k] = value - own;
    q[k] = value + own;
  }
  // The entry of rows k < l is p_l - q_k, and tr A^3 is six times the sum over k < l < m of
  // (p_l - q_k)(p_m - q_k)(p_m - q_l): with sums over k this is (p_m a_l + b_l)(p_m - q_l).
  double T2 = 0, T3 = 0, U = 0, q1 = 0, q2 = 0, q3 = 0, a = 0, b = 0, qa = 0, qb = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double before = k, first = p[k], second = q[k], square = first * first;
    T2 += before * square - 2 * first * q1 + q2;
    U += before * first * square - 3 * square * q1 + 3 * first * q2 - q3;
    T3 += square * a + first * (b - qa) - qb;
    const double sum = before * first - q1, weighted = q2 - first * q1;
    a += sum;
    b += weighted;
    qa += second * sum;
    qb += second * weighted;
    q1 += second;
    q2 += second * second;
    q3 += second * second * second;
  }
  const double norm = std::sqrt(2 * T2), cube = norm * norm * norm;
  return {0, 1, 6 * T3 / cube, 0, 0, 0, 0, 2 * U / cube};
}

}  // namespace bychance
