// A statistic followed through single swaps of a pairing, each far cheaper than an evaluation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "permutations/finish.hpp"
#include "permutations/repairings.hpp"

namespace bychance {

class Walker {
 public:
  virtual ~Walker() = default;
  virtual std::size_t steps() const = 0;                         // of one swap, some nanoseconds each
  virtual const std::vector<std::int32_t>& favored() const = 0;  // rows to swap more often than others

  // The value of a pairing, which is where the walk goes on from.
  virtual double load(const std::int32_t* pairing) = 0;

  // Random swaps of the loaded pairing, each kept where the value stays at `floor` or above; returns the
  // value.
  virtual double walk(std::int32_t* pairing, double value, double floor, std::size_t n_swaps,
                      const Repairings::Swaps& swaps, DrawStream& stream) = 0;
};

// `yes` or `no`, without a branch.
inline double chosen(bool which, double yes, double no) {
  const std::uint64_t mask = -static_cast<std::uint64_t>(which);
  std::uint64_t first, second;
  std::memcpy(&first, &yes, sizeof first);
  std::memcpy(&second, &no, sizeof second);
  first = (first & mask) | (second & ~mask);
  std::memcpy(&yes, &first, sizeof yes);
  return yes;
}

// Step offers `double sum(pairing)`, `double swapped(pairing, i, j, sum)`, the sum if i and j traded places,
// `void settle(is_kept)`, after which they have, or not, and `steps()`.
template <class Step>
class WalkerBy : public Walker {
 public:
  WalkerBy(Step step, const Finish& finish, std::vector<std::int32_t> favored = {})
      : step_(std::move(step)), finish_(finish), favored_(std::move(favored)) {}

  std::size_t steps() const override { return step_.steps(); }
  const std::vector<std::int32_t>& favored() const override { return favored_; }

  double load(const std::int32_t* pairing) override { return finish_(sum_ = step_.sum(pairing)); }

  double walk(std::int32_t* pairing, double value, double floor, std::size_t n_swaps,
              const Repairings::Swaps& swaps, DrawStream& stream) override {
    if (!(floor_.level == floor)) floor_ = SumFloor(finish_, floor);
    constexpr std::size_t kAtOnce = 64;  // swaps drawn together, which stay in the first cache
    constexpr std::size_t kRoom = kAtOnce + Repairings::Swaps::kMostPerWord;
    std::uint32_t first[kRoom], second[kRoom];
    double sum = sum_;
    bool has_moved = false;
    for (std::size_t done = 0; done < n_swaps; done += kAtOnce) {
      const std::size_t count = std::min(kAtOnce, n_swaps - done);
      swaps.draw(stream, count, first, second);
      for (std::size_t s = 0; s < count; ++s) {
        std::int32_t &a = pairing[first[s]], &b = pairing[second[s]];
        // About every other swap is kept, in no order: a mask waits for it, where a branch would be guessed.
        const double proposed = step_.swapped(pairing, first[s], second[s], sum);
        const bool is_kept = floor_.allows(proposed);
        step_.settle(is_kept);
        sum = chosen(is_kept, proposed, sum);
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
  double sum_ = 0;  // of the loaded pairing
  std::vector<std::int32_t> favored_;
};

// The rows with the largest values in size, on which a sum of products with heavy tails hangs. Swaps of two
// rows picked evenly hardly ever bring two outliers together or apart.
std::vector<std::int32_t> outer_rows(const double* values, std::size_t n);

}  // namespace bychance
