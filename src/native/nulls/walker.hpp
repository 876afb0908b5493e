// A statistic followed through single swaps of a pairing, each far cheaper than an evaluation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "nulls/finish.hpp"
#include "nulls/repairings.hpp"

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

// Step offers `double sum(pairing)`, `double swapped(pairing, i, j)`, the sum if i and j traded places,
// `void keep()`, after which they have, and `steps()`.
template <class Step>
class WalkerBy : public Walker {
 public:
  WalkerBy(Step step, const Finish& finish, std::vector<std::int32_t> favored = {})
      : step_(std::move(step)), finish_(finish), favored_(std::move(favored)) {}

  std::size_t steps() const override { return step_.steps(); }
  const std::vector<std::int32_t>& favored() const override { return favored_; }

  double load(const std::int32_t* pairing) override { return finish_(step_.sum(pairing)); }

  double walk(std::int32_t* pairing, double value, double floor, std::size_t n_swaps,
              const Repairings::Swaps& swaps, DrawStream& stream) override {
    for (std::size_t s = 0; s < n_swaps; ++s) {
      const auto [i, j] = swaps(stream);
      const double proposed = finish_(step_.swapped(pairing, i, j));
      if (proposed < floor) continue;
      step_.keep();
      std::swap(pairing[i], pairing[j]);
      value = proposed;
    }
    return value;
  }

 private:
  Step step_;
  Finish finish_;
  std::vector<std::int32_t> favored_;
};

// The rows with the largest values in size, on which a sum of products with heavy tails hangs. Swaps of two
// rows picked evenly hardly ever bring two outliers together or apart.
std::vector<std::int32_t> outer_rows(const double* values, std::size_t n);

}  // namespace bychance
