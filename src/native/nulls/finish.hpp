// From the sum that a kernel forms to the measure.
#pragma once

#include <cmath>
#include <limits>
#include <optional>

namespace bychance {

struct Finish {
  bool is_squared = false;
  double scale = 1, divisor = 1, offset = 0;
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  std::optional<double> root_factor;  // √(factor · value) where given

  double operator()(double sum) const {
    double value = (is_squared ? sum * sum : sum) * scale;
    if (divisor != 1) value /= divisor;  // a walk waits for each value
    value += offset;
    if (value < low) value = low;
    if (value > high) value = high;
    return root_factor ? std::sqrt(value * *root_factor) : value;
  }
};

}  // namespace bychance
