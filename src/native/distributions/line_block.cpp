// One pair after the other: value, moments, distribution, tail.
#include "distributions/line_block.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "core/arithmetic.hpp"
#include "distributions/beta_distribution.hpp"

namespace bychance {

double LineBlock::correlation(std::size_t pair) const {
  const auto i = static_cast<std::size_t>(pairs.first[pair]),
             j = static_cast<std::size_t>(pairs.second[pair]);
  const double n = n_rows;
  const double product = products[i * y.sides.size() + j] - n * x.mean[i] * y.mean[j];
  return product / (x.norm[i] * y.norm[j]);
}

void Leaders::offer(const std::vector<double>& scores) {
  const std::lock_guard<std::mutex> held(mutex_);
  for (const double score : scores) {
    if (heap_.size() == size_) {
      if (!(score > heap_.front())) continue;
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      heap_.pop_back();
    }
    heap_.push_back(score);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }
  if (heap_.size() == size_) least_.store(heap_.front(), std::memory_order_relaxed);
}

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kFew = 256;  // scores that a thread collects before it takes the lock (speed; taste)

// A bound just below a score, of which other computations may differ in the last digits (rounding).
double just_below(double score) { return score - 1e-9 * std::abs(score); }

double score_of(double observed, double p, const MatchedDistribution& null, const BetaDistribution& beta,
                const ScreenOptions& options, double least) {
  switch (options.by) {
    case RankedBy::observed:
      return observed;
    case RankedBy::adjusted:
      return (observed - null.mean) / (1 - null.mean);
    case RankedBy::standardized:
      return (observed - null.mean) / null.std;
    case RankedBy::p_value:
      return -p;
    case RankedBy::adjusted_at:
      return observed < least ? observed : observed - beta.quantile(1 - options.alpha);
  }
  return kInfinity;
}

// Pairs that may be among the best, with a bound that rises as better scores are found.
class Search {
 public:
  Search(double least, Leaders& leaders) : given_(least), leaders_(leaders) { refresh(); }

  double least() const { return least_; }

  void take(std::size_t pair, double score) {
    wanted_.at.push_back(pair);
    wanted_.scores.push_back(score);
    if (score == kInfinity) return;
    fresh_.push_back(score);
    if (fresh_.size() == kFew) offer();
  }
  void take_left(std::size_t pair) {
    take(pair, kInfinity);
    wanted_.are_all_known = false;
  }

  Wanted finish() {
    offer();
    std::size_t kept = 0;
    for (std::size_t k = 0; k < wanted_.at.size(); ++k) {
      if (wanted_.scores[k] < least_) continue;
      wanted_.at[kept] = wanted_.at[k];
      wanted_.scores[kept++] = wanted_.scores[k];
    }
    wanted_.at.resize(kept);
    wanted_.scores.resize(kept);
    return std::move(wanted_);
  }

 private:
  void offer() {
    leaders_.offer(fresh_);
    fresh_.clear();
    refresh();
  }
  void refresh() { least_ = just_below(std::max(given_, leaders_.least())); }

  double given_, least_ = -kInfinity;
  Leaders& leaders_;
  Wanted wanted_;
  std::vector<double> fresh_;
};

}  // namespace

Wanted screen_lines(const LineBlock& block, const TieLimits& x, const TieLimits& y,
                    const ScreenOptions& options, Leaders& leaders, double* p_values) {
  const double n = block.n_rows;
  const TraceFactors by(n);
  const TraceOptions matching{TraceShape::beta, true};
  std::optional<BetaDistribution> beta;
  BetaParameters last{0, 0};
  Search search(options.least, leaders);
  for (std::size_t k = 0; k < block.pairs.count; ++k) {
    const auto i = static_cast<std::size_t>(block.pairs.first[k]),
               j = static_cast<std::size_t>(block.pairs.second[k]);
    p_values[k] = std::numeric_limits<double>::quiet_NaN();
    const double r = block.correlation(k);
    const bool is_some = block.x.is_sound[i] && block.y.is_sound[j] && !std::isnan(r);
    const auto number = [](std::int64_t value) { return static_cast<double>(value); };
    const PairCounts counts{n,
                            number(block.x.distinct[i]),
                            number(block.y.distinct[j]),
                            x.others[i],
                            y.others[j],
                            x.outside[i],
                            y.outside[j]};
    std::optional<MatchedDistribution> null;
    if (is_some) null = match_trace(block.x.sides[i], block.y.sides[j], counts, by, 1, 1, matching);
    if (!null || null->engine != Engine::beta || (options.is_automatic && null->caveat != Caveat::none)) {
      search.take_left(k);
      continue;
    }
    if (!beta || null->first != last.a || null->second != last.b) {
      last = {null->first, null->second};
      beta.emplace(last.a, last.b);
    }
    const double observed = std::min(r * r, 1.0);
    const double tail = beta->tails(observed - tolerance(observed, null->std)).upper;
    const double end = options.is_automatic ? null->holds_to : 0;
    const double smallest = std::clamp(tail, std::max(x.floor[i], y.floor[j]), 1.0);
    const double p = std::max(smallest, end);
    p_values[k] = p;
    if (observed > options.close || smallest < end) {
      search.take(k, kInfinity);
      continue;
    }
    const double score = score_of(observed, p, *null, *beta, options, search.least());
    if (!(score < search.least())) search.take(k, score);
  }
  return search.finish();
}

}  // namespace bychance
