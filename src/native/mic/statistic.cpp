// One evaluation of the kernel per pairing.
#include "mic/statistic.hpp"

#include <algorithm>
#include <utility>

namespace bychance {
namespace {

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

}  // namespace

MicWorkspace& workspace_of_thread(bool plain) {
  thread_local MicWorkspace workspace;
  workspace.plain = plain;
  return workspace;
}

MicStatistic::MicStatistic(std::shared_ptr<const MicVariable> x, std::shared_ptr<const MicVariable> y,
                           bool plain)
    : Statistic(static_cast<std::size_t>(x->n), {}),
      x_(std::move(x)),
      y_(std::move(y)),
      plain_(plain),
      // The bound of the cost is far above what most pairings take.
      steps_(static_cast<std::size_t>(std::min(mic_cost(n(), x_->settings).operations / 8, 1e12))) {}

std::unique_ptr<Evaluator> MicStatistic::evaluator() const {
  return std::make_unique<MicEvaluator>(*x_, *y_, workspace_of_thread(plain_));
}

}  // namespace bychance
