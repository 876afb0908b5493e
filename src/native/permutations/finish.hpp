// From the sum that a kernel forms to the measure.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
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

// Which sums finish at a level or above it. A value rises with its sum, or with the size of it: the least sum
// that does is found once, and no other has to be finished.
struct SumFloor {
  SumFloor() = default;
  SumFloor(const Finish& finish, double at) : level(at), finish_(&finish) {
    is_sized_ = finish.is_squared;
    has_least_ = finish.scale > 0 && finish.divisor > 0;
    if (!has_least_) return;
    constexpr double kMost = std::numeric_limits<double>::max();
    std::int64_t low = is_sized_ ? 0 : -bits_of(kMost) - 1, high = bits_of(kMost);
    if (!(finish(kMost) >= at)) {
      least_ = std::numeric_limits<double>::infinity();
      return;
    }
    while (low < high) {  // floats in their order are whole numbers
      const std::int64_t middle = (low & high) + ((low ^ high) >> 1);  // the sum might overflow
      finish(of_bits(middle)) >= at ? high = middle : low = middle + 1;
    }
    least_ = of_bits(high);
  }

  bool allows(double sum) const {
    if (has_least_) return (is_sized_ ? std::abs(sum) : sum) >= least_;
    return !((*finish_)(sum) < level);
  }

  double level = std::numeric_limits<double>::quiet_NaN();

 private:
  static std::int64_t bits_of(double positive) {
    std::int64_t bits;
    std::memcpy(&bits, &positive, sizeof bits);
    return bits;
  }
  static double of_bits(std::int64_t number) {
    const std::int64_t bits = number < 0 ? -(number + 1) : number;
    double size;
    std::memcpy(&size, &bits, sizeof size);
    return number < 0 ? -size : size;
  }

  const Finish* finish_ = nullptr;
  bool is_sized_ = false, has_least_ = false;
  double least_ = 0;
};

}  // namespace bychance
