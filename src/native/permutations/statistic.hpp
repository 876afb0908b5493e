// A measure of one pair of columns as a function of the pairing of their rows, from which nulls are drawn.
//
// In:  the prepared data of both variables, and the steps from a kernel's sum to the measure.
// Out: values under numbered permutations, and random walks through swaps of two rows of a pairing.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/arithmetic.hpp"
#include "core/watch.hpp"
#include "permutations/permutations.hpp"

namespace bychance {

// Transform from the sum that a kernel computes to the measure: square if is_squared, times scale, over
// divisor, plus offset, clipped to [low, high], and √(root_factor · value) if that is given.
struct Finish {
  bool is_squared = false;
  double scale = 1, divisor = 1, offset = 0;
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  std::optional<double> root_factor;  // √(factor · value) if given

  double operator()(double sum) const {
    double value = (is_squared ? sum * sum : sum) * scale;
    if (divisor != 1) value /= divisor;  // without a slow division if there is none (speed)
    value += offset;
    if (value < low) value = low;
    if (value > high) value = high;
    return root_factor ? std::sqrt(value * *root_factor) : value;
  }
};

// Test if a sum gives a value at or above a level. Scale and divisor of a statistic with walks are positive,
// so that its value rises with the sum, or with the size of the sum: the smallest such sum is found once, and
// no other sum has to be transformed.
struct SumFloor {
  SumFloor() = default;
  SumFloor(const Finish& finish, double at) : level(at), is_sized_(finish.is_squared) {
    constexpr double kMost = std::numeric_limits<double>::max();
    std::int64_t high = bits_as<std::int64_t>(kMost), low = is_sized_ ? 0 : -high - 1;
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

  bool allows(double sum) const { return (is_sized_ ? std::abs(sum) : sum) >= least_; }

  double level = std::numeric_limits<double>::quiet_NaN();

 private:
  static double of_bits(std::int64_t number) {
    const double size = bits_as<double>(number < 0 ? -(number + 1) : number);
    return number < 0 ? -size : size;
  }

  bool is_sized_ = false;
  double least_ = 0;
};

// Computes the kernel's sum of one pairing after the other. It has scratch memory, so each thread needs one.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual double sum(const std::int32_t* pairing) = 0;
};

// Updates a statistic through swaps of two rows of a pairing, each far cheaper than an evaluation.
class Walker : public Evaluator {
 public:
  virtual std::size_t steps() const = 0;                         // cost of one swap, in some nanoseconds
  virtual const std::vector<std::int32_t>& favored() const = 0;  // rows to swap more often than others

  // Returns the value of a pairing, at which the walk starts.
  virtual double load(const std::int32_t* pairing) = 0;

  // Makes random swaps of the loaded pairing, each kept if the value stays at `floor` or above, and returns
  // the last value.
  virtual double walk(std::int32_t* pairing, double value, double floor, std::size_t n_swaps,
                      const Permutations::Swaps& swaps, DrawStream& stream) = 0;
};

// Walker by a class Step, which has `double sum(pairing)`, `double swapped(pairing, i, j, sum)` (the sum
// after a swap of i and j), `void settle(is_kept)`, which makes or drops that swap, and `steps()`.
template <class Step>
class WalkerBy : public Walker {
 public:
  WalkerBy(Step step, const Finish& finish, std::vector<std::int32_t> favored = {})
      : step_(std::move(step)), finish_(finish), favored_(std::move(favored)) {}

  std::size_t steps() const override { return step_.steps(); }
  const std::vector<std::int32_t>& favored() const override { return favored_; }

  double sum(const std::int32_t* pairing) override { return step_.sum(pairing); }

  double load(const std::int32_t* pairing) override { return finish_(sum_ = step_.sum(pairing)); }

  double walk(std::int32_t* pairing, double value, double floor, std::size_t n_swaps,
              const Permutations::Swaps& swaps, DrawStream& stream) override {
    if (!(floor_.level == floor)) floor_ = SumFloor(finish_, floor);
    constexpr std::size_t kAtOnce = 64;  // swaps drawn together, which stay in the L1 cache (speed)
    constexpr std::size_t kRoom = kAtOnce + Permutations::Swaps::kMostPerWord;
    std::uint32_t first[kRoom], second[kRoom];
    double sum = sum_;
    bool has_moved = false;
    for (std::size_t done = 0; done < n_swaps; done += kAtOnce) {
      const std::size_t count = std::min(kAtOnce, n_swaps - done);
      swaps.draw(stream, count, first, second);
      for (std::size_t s = 0; s < count; ++s) {
        std::int32_t &a = pairing[first[s]], &b = pairing[second[s]];
        // About every other swap is kept, in no order: a mask waits for it, but a branch would be guessed.
        const double proposed = step_.swapped(pairing, first[s], second[s], sum);
        const bool is_kept = floor_.allows(proposed);
        step_.settle(is_kept);
        sum = is_kept ? proposed : sum;
        const std::int32_t change = (a ^ b) & -static_cast<std::int32_t>(is_kept);
        a ^= change;
        b ^= change;
        has_moved |= is_kept;
      }
    }
    sum_ = sum;
    return has_moved ? finish_(sum) : value;
  }

 private:
  Step step_;
  Finish finish_;
  SumFloor floor_;
  double sum_ = 0;  // sum of the loaded pairing
  std::vector<std::int32_t> favored_;
};

// The rows with the largest values in size, on which a sum of products mostly depends if tails are heavy.
// Evenly picked swaps hardly ever pair two outliers or separate them.
std::vector<std::int32_t> outer_rows(const double* values, std::size_t n);

// A measure of one pair of n rows, as the sum of a kernel and its transform.
class Statistic {
 public:
  Statistic(std::size_t n, const Finish& finish) : n_(n), finish_(finish) {}
  virtual ~Statistic() = default;
  Statistic(const Statistic&) = delete;
  Statistic& operator=(const Statistic&) = delete;

  std::size_t n() const { return n_; }
  const Finish& finish() const { return finish_; }
  virtual std::unique_ptr<Evaluator> evaluator() const { return walker(); }
  virtual std::unique_ptr<Walker> walker() const { return nullptr; }  // null if swaps are no cheaper
  virtual std::size_t steps() const { return n_; }  // cost of one evaluation, in some nanoseconds

  double value() const;  // observed value: rows paired as they are

  // Writes the values under permutations first, first + 1, …, first + count - 1 to out.
  virtual void draw(const Permutations& permutations, std::uint64_t first, std::size_t count, Watch& watch,
                    double* out) const;

 private:
  std::size_t n_;
  Finish finish_;
};

}  // namespace bychance
