// One scratch row of indices, one evaluation per draw.
#include "permutations/statistic.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace bychance {

std::vector<std::int32_t> outer_rows(const double* values, std::size_t n) {
  constexpr std::size_t kOuter = 8;  // rows: with heavy tails they hold most of a sum
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

void Statistic::draw(const Repairings& repairings, std::uint64_t first, std::size_t count, Watch& watch,
                     double* out) const {
  if (repairings.n() != n_) {
    throw std::invalid_argument("permutations must have one column per row of the statistic");
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
