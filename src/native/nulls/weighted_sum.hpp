// A weighted sum of statistics, each of some of the rows: permutations must keep rows within their part.
#pragma once

#include <memory>
#include <vector>

#include "nulls/statistic.hpp"

namespace bychance {

struct Part {
  double weight;
  std::shared_ptr<const Statistic> statistic;  // none: the part has the same value in every pairing
  double constant;
  std::vector<std::int32_t> rows;
};

class WeightedSum : public Statistic {
 public:
  WeightedSum(std::vector<Part> parts, std::size_t n, const Finish& finish);
  std::unique_ptr<Evaluator> evaluator() const override;

 private:
  std::vector<Part> parts_;
  std::vector<std::int32_t> places_;  // of each row among those of its part
};

}  // namespace bychance
