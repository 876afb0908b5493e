// O(n) per draw beside what the parts take.
#include "nulls/weighted_sum.hpp"

#include <utility>

namespace bychance {
namespace {

class SumEvaluator : public Evaluator {
 public:
  SumEvaluator(const std::vector<Part>& parts, const std::vector<std::int32_t>& places)
      : parts_(parts), places_(places) {
    for (const Part& part : parts) {
      evaluators_.push_back(part.statistic ? part.statistic->evaluator() : nullptr);
    }
  }

  double sum(const std::int32_t* pairing) override {
    double total = 0;
    for (std::size_t h = 0; h < parts_.size(); ++h) {
      const Part& part = parts_[h];
      if (!evaluators_[h]) {
        total += part.weight * part.constant;
        continue;
      }
      local_.resize(part.rows.size());
      for (std::size_t j = 0; j < local_.size(); ++j) local_[j] = places_[pairing[part.rows[j]]];
      total += part.weight * part.statistic->finish()(evaluators_[h]->sum(local_.data()));
    }
    return total;
  }

 private:
  const std::vector<Part>& parts_;
  const std::vector<std::int32_t>& places_;
  std::vector<std::unique_ptr<Evaluator>> evaluators_;
  std::vector<std::int32_t> local_;
};

}  // namespace

WeightedSum::WeightedSum(std::vector<Part> parts, std::size_t n, const Finish& finish)
    : Statistic(n, finish), parts_(std::move(parts)), places_(n) {
  for (const Part& part : parts_) {
    for (std::size_t j = 0; j < part.rows.size(); ++j) {
      places_[part.rows[j]] = static_cast<std::int32_t>(j);
    }
  }
}

std::unique_ptr<Evaluator> WeightedSum::evaluator() const {
  return std::make_unique<SumEvaluator>(parts_, places_);
}

}  // namespace bychance
