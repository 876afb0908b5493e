// One scratch row of indices, one evaluation per draw.
#include "nulls/statistic.hpp"

#include <numeric>
#include <stdexcept>
#include <vector>

namespace bychance {

double Statistic::value() const {
  std::vector<std::int32_t> pairing(n_);
  std::iota(pairing.begin(), pairing.end(), 0);
  return finish_(evaluator()->sum(pairing.data()));
}

void Statistic::draw(const Repairings& repairings, std::uint64_t first, std::size_t count, Watch& watch,
                     double* out) const {
  if (repairings.n() != n_) {
    throw std::invalid_argument("re-pairings must have one column per row of the statistic");
  }
  repairings.require_numbers(first, count);
  Repairings::Reader reader(repairings);
  const auto evaluate = evaluator();
  for (std::size_t s = 0; s < count; ++s) {
    out[s] = finish_(evaluate->sum(reader(first + s)));
    watch.done(steps());
  }
}

}  // namespace bychance
