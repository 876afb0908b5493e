// Columns made ready for matrix products: centered, scaled, zero where missing, and raised to powers.
#pragma once

#include <cstddef>

namespace bychance {

constexpr std::size_t kPowers = 6;

struct LineScaling {
  double before, center, after;  // z = (value * before - center) * after
};

// Brings the values to [-1, 1], both factors powers of two. The center is the median of some of the values:
// any point among them keeps power sums from canceling.
LineScaling scaling_of(const double* values, std::size_t n);

// Sums of powers 1 to 6 of a column that misses nothing.
void power_sums(const double* values, std::size_t n, LineScaling scaling, double* sums);

// out[p * stride + k] is power p + 1 of row k, for p below n_powers.
void line_powers(const double* values, const bool* is_missing, std::size_t n, LineScaling scaling,
                 std::size_t n_powers, std::size_t stride, double* out);

}  // namespace bychance
