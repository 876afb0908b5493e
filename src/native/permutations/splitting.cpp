// The population, its levels, and its two ways to walk.
#include "permutations/splitting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/arithmetic.hpp"

namespace bychance {
namespace {

// Settings of the walk between two levels, tried on r², dcor and MIC (fit). Any others estimate the same tail
// with another error and cost.
constexpr std::size_t kSweeps = 2;       // swaps per row of a particle
constexpr std::size_t kSteps = 12;       // proposals per particle if the caller computes values
constexpr double kAccepted = 0.3;        // share of proposals accepted, to which their swaps are adapted
constexpr std::size_t kMostRounds = 32;  // rounds at a level at which most of the population lies

// Largest difference of one value summed in another order (rounding).
double rounding(double value) { return std::isinf(value) ? 0 : tolerance(value, 0); }

}  // namespace

Splitting::Splitting(const Permutations& permutations, double threshold, std::size_t n_particles,
                     double least_log_p)
    : permutations_(permutations),
      swaps_(permutations),
      threshold_(threshold),
      least_log_p_(least_log_p),
      n_moving_(permutations.n_moving()),
      values_(n_particles),
      level_(-std::numeric_limits<double>::infinity()),
      floor_(level_),
      n_swaps_(std::max(1.0, static_cast<double>(n_moving_) / 8)) {
  if (permutations.is_listed()) throw std::invalid_argument("listed permutations cannot be split");
  if (n_particles < 2) throw std::invalid_argument("n_particles must be at least 2");
  if (n_moving_ == 0) throw std::invalid_argument("there must be rows to pair");
  orders_.resize(n_particles * n_moving_);
  Permutations::Scratch scratch;
  for (std::size_t j = 0; j < n_particles; ++j) permutations_.shuffled(j, order(orders_, j), scratch);
  proposals_ = orders_;
}

void Splitting::run(const Statistic& statistic, Watch& watch) {
  if (permutations_.n() != statistic.n()) {
    throw std::invalid_argument("permutations must have one column per row of the statistic");
  }
  if (const auto walker = permutations_.has_blocks() ? nullptr : statistic.walker()) {
    walk(*walker, watch);
    return;
  }
  const auto evaluate = statistic.evaluator();
  std::vector<std::int32_t> row(permutations_.n());
  std::vector<double> values(n_particles());
  while (!is_done_) {
    for (std::size_t j = 0; j < n_particles(); ++j) {
      pairing(j, row.data());
      values[j] = statistic.finish()(evaluate->sum(row.data()));
      watch.done(statistic.steps());
    }
    feed(values.data());
  }
}

void Splitting::walk(Walker& walker, Watch& watch) {
  for (std::size_t j = 0; j < n_particles(); ++j) values_[j] = walker.load(order(orders_, j));
  const std::size_t n_swaps = kSweeps * n_moving_;
  swaps_ = Permutations::Swaps(permutations_, walker.favored());
  for (advance(); !is_done_; advance()) {
    for (std::size_t j = 0; j < n_particles(); ++j) {
      DrawStream stream(permutations_.key(), j, round_);
      const double value = walker.load(order(orders_, j));
      values_[j] = walker.walk(order(orders_, j), value, floor_, n_swaps, swaps_, stream);
      watch.done(2 * walker.steps() * n_swaps);
    }
  }
}

void Splitting::pairing(std::size_t particle, std::int32_t* out) const {
  permutations_.lay_out(proposals_.data() + particle * n_moving_, out);
}

void Splitting::feed(const double* values) {
  if (!has_values_) {
    std::copy_n(values, n_particles(), values_.begin());
    has_values_ = true;
    advance();
  } else {
    decide(values);
    if (++step_ == kSteps) advance();
  }
  if (!is_done_) propose();
}

bool Splitting::is_above(double value) const { return value > level_ + rounding(level_); }

void Splitting::advance() {
  step_ = 0;
  ++round_;
  const std::size_t n = n_particles();
  n_seen_ += n;
  const auto n_reached = static_cast<std::size_t>(
      std::count_if(values_.begin(), values_.end(), [this](double value) { return value >= threshold_; }));
  if (n_seen_ == n && 2 * n_reached >= n) {
    rise(threshold_, n_reached + 0.5);
    return finish(true);
  }
  std::vector<double> sorted = values_;
  std::nth_element(sorted.begin(), sorted.begin() + (n / 2), sorted.end());
  const double median = sorted[n / 2];
  if (n_seen_ == n && is_above(median)) {
    Survivors survivors;
    for (std::size_t j = 0; j < n; ++j) {
      if (!(values_[j] < median - rounding(median))) keep(j, survivors);
    }
    const double n_tied = survivors.values.size() - static_cast<double>(n - n / 2);
    return climb(median, survivors, n_tied / (n / 2) - 0.5);
  }
  gather_above();
}

// Most of the population is at the level itself: a value that many permutations share. Those above it, found
// in as many rounds as it takes to find some, go on.
void Splitting::gather_above() {
  for (std::size_t j = 0; j < n_particles(); ++j) {
    if (is_above(values_[j])) keep(j, gathered_);
  }
  const std::size_t enough = std::max<std::size_t>(n_particles() / 16, 1);
  if (gathered_.values.size() < enough && n_seen_ < kMostRounds * n_particles()) return;
  if (gathered_.values.empty()) return finish(false);
  const Survivors survivors = std::exchange(gathered_, {});
  const double next = *std::min_element(survivors.values.begin(), survivors.values.end());
  climb(std::min(next, threshold_), survivors, 0.5);
}

void Splitting::keep(std::size_t particle, Survivors& survivors) {
  const Order kept = order(orders_, particle);
  survivors.orders.insert(survivors.orders.end(), kept, kept + n_moving_);
  survivors.values.push_back(values_[particle]);
}

void Splitting::rise(double level, double n_at_or_above) {
  result_.log_p += std::log(n_at_or_above / (n_seen_ + 0.5));
  result_.levels.push_back(level);
  result_.log_tail.push_back(result_.log_p);
  level_ = level;
  floor_ = std::min(level - rounding(level), threshold_);
  n_seen_ = 0;
}

void Splitting::climb(double level, const Survivors& survivors, double correction) {
  const std::size_t n_survivors = survivors.values.size();
  rise(level, n_survivors + correction);
  if (level >= threshold_) return finish(true);
  if (result_.log_p < least_log_p_) return finish(false);
  DrawStream stream(permutations_.key(), n_particles(), round_);
  std::size_t from = stream.below(n_survivors);
  for (std::size_t j = 0; j < n_particles(); ++j, from = from + 1 == n_survivors ? 0 : from + 1) {
    std::copy_n(survivors.orders.data() + from * n_moving_, n_moving_, order(orders_, j));
    values_[j] = survivors.values[from];
  }
}

void Splitting::finish(bool is_reached) {
  is_done_ = true;
  result_.is_reached = is_reached;
}

void Splitting::propose() {
  const std::size_t n_swaps = std::lround(n_swaps_);
  proposals_ = orders_;
  for (std::size_t j = 0; j < n_particles(); ++j) {
    DrawStream stream(permutations_.key(), j, round_, step_);
    const Order proposed = order(proposals_, j);
    for (std::size_t s = 0; s < n_swaps; ++s) {
      const auto [first, second] = swaps_(stream);
      std::swap(proposed[first], proposed[second]);
    }
  }
}

void Splitting::decide(const double* values) {
  std::size_t n_accepted = 0;
  for (std::size_t j = 0; j < n_particles(); ++j) {
    if (!(values[j] >= floor_)) continue;
    ++n_accepted;
    values_[j] = values[j];
    std::copy_n(order(proposals_, j), n_moving_, order(orders_, j));
  }
  const double accepted = n_accepted / static_cast<double>(n_particles());
  n_swaps_ = std::clamp(n_swaps_ * std::exp(2 * (accepted - kAccepted)), 1.0, static_cast<double>(n_moving_));
}

}  // namespace bychance
