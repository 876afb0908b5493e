// MIC, MIC_e and TIC_e as a statistic that nulls draw from.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "mic/mic.hpp"
#include "permutations/statistic.hpp"

namespace bychance {

// Returns the scratch memory of this thread.
inline MicWorkspace& workspace_of_thread() {
  thread_local MicWorkspace workspace;
  return workspace;
}

// Computes the statistic of one pair under one permutation after the other.
class MicEvaluator : public Evaluator {
 public:
  MicEvaluator(const MicVariable& x, const MicVariable& y, MicWorkspace& workspace)
      : x_(x), y_(y), workspace_(workspace) {
    mic_start(x_, y_, workspace_);
  }

  double sum(const std::int32_t* pairing) override { return mic_paired(x_, y_, pairing, workspace_); }

 private:
  const MicVariable &x_, &y_;
  MicWorkspace& workspace_;
};

// The statistic of one pair, which shares its variables with other pairs.
class MicStatistic : public Statistic {
 public:
  MicStatistic(std::shared_ptr<const MicVariable> x, std::shared_ptr<const MicVariable> y)
      : Statistic(static_cast<std::size_t>(x->n), {}),
        x_(std::move(x)),
        y_(std::move(y)),
        // The bound of the cost is far above what most permutations take: an eighth is nearer (taste).
        steps_(static_cast<std::size_t>(std::min(mic_cost(n(), x_->settings).operations / 8, 1e12))) {}

  // It uses the workspace of its thread: one evaluator at a time.
  std::unique_ptr<Evaluator> evaluator() const override {
    return std::make_unique<MicEvaluator>(*x_, *y_, workspace_of_thread());
  }
  std::size_t steps() const override { return steps_; }

 private:
  std::shared_ptr<const MicVariable> x_, y_;
  std::size_t steps_;
};

}  // namespace bychance
