// A gamma law by mean and variance, then exceptions for rare values, unknown variances and two values.
#include "nulls/information_law.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bychance {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

TraceLaw match_information(const InformationMoments& moments, const PairCounts& counts, double x_smallest,
                           double y_smallest, double upper, bool is_whole_table) {
  const bool is_unknown = std::isnan(moments.variance);
  const double variance = is_unknown ? 1 : moments.variance;
  if (counts.x_distinct == 2 && counts.y_distinct == 2 && !is_unknown) {
    const double std = std::sqrt(variance);
    const Engine engine = std > 0 ? Engine::fourfold_information : Engine::degenerate;
    return {moments.mean,
            std,
            engine,
            Caveat::none,
            kNaN,
            0,
            x_smallest,
            y_smallest,
            0,
            1,
            static_cast<std::int64_t>(counts.n)};
  }
  const double std = std::sqrt(std::max(variance, 0.0));
  const double expected = x_smallest * y_smallest / counts.n;
  const Judgment judgment = judge_information(expected);
  const double reach = judgment.caveat == Caveat::none ? reach_of_information(expected) : 1;
  const double skew = 2 * std / (std == 0 ? 1 : moments.mean);
  TraceLaw law{moments.mean, std, Engine::gamma, judgment.caveat, judgment.figure, reach, skew, kNaN, 0,
               upper,        0};
  if (!(std > 0)) {
    law.engine = Engine::degenerate;
    law.caveat = Caveat::none;
    law.holds_to = 0;
  } else if (has_rare_values(counts.n, counts.x_others, counts.y_others)) {
    // Cantelli's bound holds for every law with these moments, and is near a law of two atoms.
    if (!is_whole_table) {
      law = {moments.mean, std, Engine::cantelli, Caveat::rare_values, kNaN, 0, kNaN, kNaN, -kInfinity,
             upper,        0};
    } else {
      law.engine = Engine::undecided;
      law.caveat = Caveat::rare_values;
    }
  }
  if (is_unknown) {
    law.engine = Engine::undecided;
    law.caveat = Caveat::unknown_variance;
  }
  return law;
}

}  // namespace bychance
