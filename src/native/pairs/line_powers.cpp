// Each power is the last one times the values.
#include "pairs/line_powers.hpp"

namespace bychance {

void line_powers(const double* values, const bool* is_missing, std::size_t n, LineScaling scaling,
                 std::size_t n_powers, std::size_t stride, double* out) {
  for (std::size_t k = 0; k < n; ++k) {
    const double z = (values[k] * scaling.before - scaling.center) * scaling.after;
    out[k] = is_missing[k] ? 0.0 : z;
  }
  for (std::size_t p = 1; p < n_powers; ++p) {
    const double* previous = out + (p - 1) * stride;
    double* power = out + p * stride;
    for (std::size_t k = 0; k < n; ++k) power[k] = previous[k] * out[k];
  }
}

}  // namespace bychance
