// What trees do most often: few rows in order, the gains of their cuts, and the best of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bychance {

constexpr std::size_t kFewInOrder = 88;

// Ascending order of up to kFewInOrder numbers; the first of equal ones comes first. Each is put where as
// many are less, which no branch has to foresee. Numbers have at most 24 bits from first_bit on.
void order_few(std::uint32_t* values, std::uint32_t* scratch, std::size_t n, unsigned first_bit);

// A cut with weight l and sum s on its left, of n and S, gains scale (s n - l S)^2 / (l (n - l)).
struct CutGains {
  double n, total, scale;

  void at(const double* left, const double* sums, std::size_t first, std::size_t last, double* gains,
          double* reciprocals) const {
    for (std::size_t g = first; g < last; ++g) {
      const double excess = sums[g] * n - left[g] * total;
      reciprocals[g] = 1 / (left[g] * (n - left[g]));
      gains[g] = scale * (excess * excess) * reciprocals[g];
    }
  }
};

constexpr double kTie = 1e-10;  // numbers that differ by no more are tied

// The first of the numbers that are best but for ties, or `last` where none is above `floor`.
inline std::size_t first_best(const double* values, std::size_t first, std::size_t last, double floor) {
  double most = floor;
  for (std::size_t k = first; k < last; ++k) most = values[k] > most ? values[k] : most;
  std::size_t found = first;
  while (found < last && !(values[found] > floor && values[found] >= most - kTie)) ++found;
  return found;
}

}  // namespace bychance
