// A weighted sum of statistics, each of some of the rows: permutations must keep rows within their part.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "permutations/statistic.hpp"

namespace bychance {

struct Part {
  double weight;
  std::shared_ptr<const Statistic> statistic;  // none: the part has the same value in every pairing
  double constant;
  std::vector<std::int32_t> rows;
};

// O(n) per draw beside what the parts take.
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

class WeightedSum : public Statistic {
 public:
  WeightedSum(std::vector<Part> parts, std::size_t n, const Finish& finish)
      : Statistic(n, finish), parts_(std::move(parts)), places_(n) {
    for (const Part& part : parts_) {
      for (std::size_t j = 0; j < part.rows.size(); ++j) {
        places_[part.rows[j]] = static_cast<std::int32_t>(j);
      }
    }
  }
  std::unique_ptr<Evaluator> evaluator() const override {
    return std::make_unique<SumEvaluator>(parts_, places_);
  }

 private:
  std::vector<Part> parts_;
  std::vector<std::int32_t> places_;  // of each row among those of its part
};

}  // namespace bychance
