// Multilevel splitting: estimates P(D >= threshold) of a statistic D over all permutations, far below one
// over the number of permutations drawn.
//
// A population of permutations climbs from level to level. A level is the median of its values, or the next
// larger value if the median is the last level itself; the share at or above it multiplies p; copies of
// those fill all places and then walk by swaps that stay at or above the level, until at least half of them
// reach the threshold. (Cerou and Guyader 2007.)
//
// Shares are counted so that log p has no bias if particles are independent: h of N at or above a value
// that is fixed beforehand count as (h + 1/2)/(N + 1/2), the k-th largest of N values as (k - 1/2)/(N + 1/2).
// The mean p of several runs then errs upwards, and E[p / estimate] is at most 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "permutations/statistic.hpp"

namespace bychance {

// Result of one run.
struct TailRun {
  // Natural logarithm of P(D >= threshold), or of P(D >= last level), which is larger, if it was not reached.
  double log_p = 0;
  bool is_reached = false;
  std::vector<double> levels, log_tail;  // levels passed, ascending, and log P(D >= level)
};

// One run of splitting, determined by the key of its permutations, the statistic, the threshold and the
// number of particles (permutations in the population). Either `run` does all of it, or the caller computes
// values: while not done, it passes those of the pairings of all particles to `feed`.
class Splitting {
 public:
  // The run ends below the threshold if log p falls below `least_log_p`.
  Splitting(const Permutations& permutations, double threshold, std::size_t n_particles, double least_log_p);

  void run(const Statistic& statistic, Watch& watch);

  bool is_done() const { return is_done_; }
  std::size_t n() const { return permutations_.n(); }
  std::size_t n_particles() const { return values_.size(); }
  void pairing(std::size_t particle, std::int32_t* out) const;  // pairing whose value `feed` takes next
  void feed(const double* values);

  const TailRun& result() const { return result_; }

 private:
  using Order = std::int32_t*;
  struct Survivors {
    std::vector<std::int32_t> orders;
    std::vector<double> values;
  };

  Order order(std::vector<std::int32_t>& orders, std::size_t particle) {
    return orders.data() + particle * n_moving_;
  }
  void walk(Walker& walker, Watch& watch);
  void advance();
  bool is_above(double value) const;  // above the last level by more than rounding
  void gather_above();
  void rise(double level, double n_at_or_above);
  void keep(std::size_t particle, Survivors& survivors);
  void climb(double level, const Survivors& survivors, double correction);
  void finish(bool is_reached);
  void propose();
  void decide(const double* values);

  const Permutations& permutations_;
  Permutations::Swaps swaps_;
  double threshold_, least_log_p_;
  std::size_t n_moving_;
  std::vector<double> values_;
  std::vector<std::int32_t> orders_, proposals_;
  bool has_values_ = false, is_done_ = false;
  double level_, floor_;  // the last level, and the smallest value that counts as at it
  Survivors gathered_;    // particles found above the level while they are too few to go on
  std::size_t n_seen_ = 0, round_ = 0, step_ = 0;
  double n_swaps_;  // swaps per proposal, adapted to kAccepted
  TailRun result_;
};

}  // namespace bychance
