// A measure of one pair as a function of the pairing: what every null draws from.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "core/watch.hpp"
#include "permutations/finish.hpp"
#include "permutations/repairings.hpp"

namespace bychance {

// A statistic followed through single swaps of a pairing, each far cheaper than an evaluation.
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

// One pairing after the other, with its own scratch memory: each thread needs one.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual double sum(const std::int32_t* pairing) = 0;
};

// By the sum of a step of walks.
template <class Step>
class EvaluatorBy : public Evaluator {
 public:
  explicit EvaluatorBy(Step step) : step_(std::move(step)) {}
  double sum(const std::int32_t* pairing) override { return step_.sum(pairing); }

 private:
  Step step_;
};

class Statistic {
 public:
  Statistic(std::size_t n, const Finish& finish) : n_(n), finish_(finish) {}
  virtual ~Statistic() = default;
  Statistic(const Statistic&) = delete;
  Statistic& operator=(const Statistic&) = delete;

  std::size_t n() const { return n_; }
  const Finish& finish() const { return finish_; }
  virtual std::unique_ptr<Evaluator> evaluator() const = 0;
  virtual std::unique_ptr<Walker> walker() const { return nullptr; }  // none: evaluations are as cheap
  virtual std::size_t steps() const { return n_; }  // of one evaluation, some nanoseconds each

  double value() const;  // of the pairing as it is

  // Values under permutations first, first + 1, …
  virtual void draw(const Repairings& repairings, std::uint64_t first, std::size_t count, Watch& watch,
                    double* out) const;

 private:
  std::size_t n_;
  Finish finish_;
};

}  // namespace bychance
