// A gamma law by mean and variance, then exceptions for rare values, unknown variances and two values.
#include "nulls/information_law.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bychance {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TraceLaw match_information(const InformationMoments& moments, const PairCounts& counts, double x_smallest,
                           double y_smallest, double upper, bool is_whole_table) {
  const bool is_unknown = std::isnan(moments.variance);
  const double std = is_unknown ? 1 : std::sqrt(std::max(moments.variance, 0.0));
  if (counts.x_distinct == 2 && counts.y_distinct == 2 && !is_unknown) {
    TraceLaw law = law_of(Engine::fourfold_information, moments.mean, std, {Caveat::none, kNaN}, 0);
    law.first = x_smallest;
    law.second = y_smallest;
    law.n = static_cast<std::int64_t>(counts.n);
    return law;
  }
  const double expected = x_smallest * y_smallest / counts.n;
  TraceLaw law =
      law_of(Engine::gamma, moments.mean, std, judge_information(expected), reach_of_information(expected));
  law.first = 2 * std / (std == 0 ? 1 : moments.mean);
  law.high = upper;
  if (std > 0 && has_rare_values(counts.n, counts.x_others, counts.y_others)) {
    if (is_whole_table) {
      leave_undecided(law, Caveat::rare_values);
    } else {
      law = rare_law(moments.mean, std, upper);
    }
  }
  if (is_unknown) leave_undecided(law, Caveat::unknown_variance);
  return law;
}

}  // namespace bychance
