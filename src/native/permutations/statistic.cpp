// One scratch row of indices, one evaluation per draw. Each part of a weighted sum has its own rows, numbered
// from 0.
#include "permutations/statistic.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "permutations/statistics.hpp"

namespace bychance {

std::vector<std::int32_t> outer_rows(const double* values, std::size_t n) {
  constexpr std::size_t kOuter = 8;  // rows, which hold most of a sum with heavy tails (taste)
  if (n <= 2 * kOuter) return {};
  std::vector<std::int32_t> rows(n);
  std::iota(rows.begin(), rows.end(), 0);
  std::partial_sort(rows.begin(), rows.begin() + kOuter, rows.end(),
                    [values](std::int32_t a, std::int32_t b) {
                      const double first = std::abs(values[a]), second = std::abs(values[b]);
                      return first != second ? first > second : a < b;
                    });
  rows.resize(kOuter);
  return rows;
}

double Statistic::value() const {
  std::vector<std::int32_t> pairing(n_);
  std::iota(pairing.begin(), pairing.end(), 0);
  return finish_(evaluator()->sum(pairing.data()));
}

void Statistic::draw(const Permutations& permutations, std::uint64_t first, std::size_t count, Watch& watch,
                     double* out) const {
  if (permutations.n() != n_) {
    throw std::invalid_argument("permutations must have one column per row of the statistic");
  }
  permutations.require_numbers(first, count);
  Permutations::Reader reader(permutations);
  const auto evaluate = evaluator();
  for (std::size_t s = 0; s < count; ++s) {
    out[s] = finish_(evaluate->sum(reader(first + s)));
    watch.done(steps());
  }
}

namespace {

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
