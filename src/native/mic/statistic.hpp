// MIC, MIC_e and TIC_e as a statistic that nulls draw from.
#pragma once

#include "mic/mic.hpp"
#include "permutations/statistic.hpp"

namespace bychance {

MicWorkspace& workspace_of_thread(bool plain);

class MicStatistic : public Statistic {
 public:
  MicStatistic(std::shared_ptr<const MicVariable> x, std::shared_ptr<const MicVariable> y, bool plain);

  // It uses the workspace of its thread: one evaluator at a time.
  std::unique_ptr<Evaluator> evaluator() const override;
  std::size_t steps() const override { return steps_; }

 private:
  std::shared_ptr<const MicVariable> x_, y_;
  bool plain_;
  std::size_t steps_;
};

}  // namespace bychance
