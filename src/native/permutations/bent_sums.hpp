// tr(A B) of a line that bends with x and a line or classes of y, as a statistic: y is permuted.
#pragma once

#include <memory>

#include "moments/bends.hpp"
#include "permutations/statistic.hpp"

namespace bychance {

class BentLineSum : public Statistic {
 public:
  BentLineSum(std::shared_ptr<const BentLine> x, Held<double> y, const Finish& finish)
      : Statistic(y.size, finish), x_(std::move(x)), y_(std::move(y)) {}
  std::unique_ptr<Evaluator> evaluator() const override;
  std::unique_ptr<Walker> walker() const override;

 private:
  std::shared_ptr<const BentLine> x_;
  Held<double> y_;
};

class BentClassSum : public Statistic {
 public:
  BentClassSum(std::shared_ptr<const BentLine> x, Held<std::int32_t> codes, std::size_t n_classes,
               const Finish& finish)
      : Statistic(codes.size, finish), x_(std::move(x)), codes_(std::move(codes)), n_classes_(n_classes) {}
  std::unique_ptr<Evaluator> evaluator() const override;
  std::unique_ptr<Walker> walker() const override;

 private:
  std::shared_ptr<const BentLine> x_;
  Held<std::int32_t> codes_;
  std::size_t n_classes_;
};

}  // namespace bychance
