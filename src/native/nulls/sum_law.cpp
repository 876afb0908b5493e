// A Beta law of squares, normal laws, and laws of sums over strata by their first three moments.
#include "nulls/sum_law.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bychance {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TraceLaw normal_law(double mean, double std, double low, double upper, const Judgment& judgment,
                    double reach) {
  TraceLaw law = law_of(Engine::normal, mean, std, judgment, reach);
  law.low = low;
  law.high = upper;
  return law;
}

TraceLaw skewed_law(Engine engine, const ScaledMoments& m, double std, double skew, double low, double upper,
                    const Judgment& judgment) {
  TraceLaw law = law_of(engine, m.mean, std, judgment, kCellsReach);
  law.first = skew;
  law.low = low;
  law.high = upper;
  return law;
}

}  // namespace

TraceLaw match_signs(double mean, double variance, const PairCounts& counts, double upper,
                     bool is_in_strata) {
  const double std = std::sqrt(variance);
  if (!is_in_strata && has_no_law(counts, 2 * std / mean)) return rare_law(mean, std, upper);
  const double n_others = std::min(counts.x_others, counts.y_others);
  const Judgment judgment = judge_kendall(counts.n, n_others, variance / (2 * mean * mean));
  TraceLaw law = law_of(Engine::beta, mean, std, judgment, is_in_strata ? kCellsReach : kNormalReach);
  const auto [a, b] = beta_parameters(mean, variance == 0 ? 1 : variance);
  law.first = a;
  law.second = b;
  if (!(a > 0 && b > 0)) leave_undecided(law, Caveat::variance);
  return law;
}

TraceLaw match_normal(double mean, double variance, const PairCounts& counts, double low, double upper,
                      const Judgment& judgment) {
  const double std = std::sqrt(variance);
  if (has_rather_rare_values(counts.n, counts.x_others, counts.y_others)) return rare_law(mean, std, upper);
  return normal_law(mean, std, low, upper, judgment, kNormalReach);
}

TraceLaw match_sum(const ScaledMoments& m, Summand summand, double n, double least, double upper) {
  const double std = std::sqrt(std::max(m.variance, 0.0));
  const double skew = std > 0 ? m.third / (m.variance * std) : 0,
               gamma_skew = m.mean > 0 ? 2 * std / m.mean : kNaN;
  switch (summand) {
    case Summand::trace: {
      const Judgment judgment = judge_gamma_sum(skew, std > 0 ? skew / gamma_skew : 1);
      return skewed_law(Engine::pearson, m, std, skew, 0, upper, judgment);
    }
    case Summand::dense:
      return skewed_law(Engine::pearson, m, std, skew, -1, upper, judge_squares_sum(n, skew));
    case Summand::information:
      return skewed_law(Engine::gamma, m, std, gamma_skew, 0, upper, judge_information(least));
    case Summand::pairs:
      return normal_law(m.mean, std, -kInfinity, upper, judge_xi(least), kCellsReach);
    case Summand::other:
      break;
  }
  return normal_law(m.mean, std, -kInfinity, upper, {Caveat::unknown_skewness, kNaN}, kCellsReach);
}

}  // namespace bychance
