// A measure of one pair as a function of the pairing: what every null draws from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/watch.hpp"
#include "permutations/finish.hpp"
#include "permutations/repairings.hpp"
#include "permutations/walker.hpp"

namespace bychance {

// One pairing after the other, with its own scratch memory: each thread needs one.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual double sum(const std::int32_t* pairing) = 0;
};

// By the sum of a step of walks (permutations/walker.hpp).
template <class Step>
class EvaluatorBy : public Evaluator {
 public:
  explicit EvaluatorBy(Step step) : step_(std::move(step)) {}
  double sum(const std::int32_t* pairing) override { return step_.sum(pairing); }

 private:
  Step step_;
};

class Statistic {
 public:
  Statistic(std::size_t n, const Finish& finish) : n_(n), finish_(finish) {}
  virtual ~Statistic() = default;
  Statistic(const Statistic&) = delete;
  Statistic& operator=(const Statistic&) = delete;

  std::size_t n() const { return n_; }
  const Finish& finish() const { return finish_; }
  virtual std::unique_ptr<Evaluator> evaluator() const = 0;
  virtual std::unique_ptr<Walker> walker() const { return nullptr; }  // none: evaluations are as cheap
  virtual std::size_t steps() const { return n_; }  // of one evaluation, some nanoseconds each

  double value() const;  // of the pairing as it is

  // Values under permutations first, first + 1, …
  virtual void draw(const Repairings& repairings, std::uint64_t first, std::size_t count, Watch& watch,
                    double* out) const;

 private:
  std::size_t n_;
  Finish finish_;
};

}  // namespace bychance
