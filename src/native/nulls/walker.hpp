// A statistic followed through single swaps of a pairing, each far cheaper than an evaluation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "nulls/finish.hpp"
#include "nulls/repairings.hpp"

namespace bychance {

class Walker {
 public:
  virtual ~Walker() = default;
  virtual std::size_t steps() const = 0;  // of one swap, some nanoseconds each

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
  WalkerBy(Step step, const Finish& finish) : step_(std::move(step)), finish_(finish) {}

  std::size_t steps() const override { return step_.steps(); }

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
};

}  // namespace bychance
