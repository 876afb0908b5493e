// One pair after the other: value, moments, law, tail.
#include "pairs/line_block.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "nulls/beta_law.hpp"
#include "nulls/tolerance.hpp"

namespace bychance {

double LineBlock::correlation(std::size_t pair) const {
  const auto i = static_cast<std::size_t>(first[pair]), j = static_cast<std::size_t>(second[pair]);
  const double n = static_cast<double>(n_rows);
  const double product = products[i * y.sides.size() + j] - n * x.mean[i] * y.mean[j];
  return product / (x.norm[i] * y.norm[j]);
}

void screen_lines(const LineBlock& block, const TieLimits& x, const TieLimits& y,
                  const ScreenOptions& options, const ScreenResults& out) {
  const double n = static_cast<double>(block.n_rows);
  const TraceFactors by(n);
  const TraceOptions matching{TraceShape::beta, true};
  std::optional<BetaLaw> law;
  BetaParameters last{0, 0};
  for (std::size_t k = 0; k < block.count; ++k) {
    const auto i = static_cast<std::size_t>(block.first[k]), j = static_cast<std::size_t>(block.second[k]);
    out.code[k] = static_cast<std::uint8_t>(Screened::left);
    out.observed[k] = out.mean[k] = 0;
    out.std[k] = 1;
    out.p[k] = std::numeric_limits<double>::quiet_NaN();
    const double r = block.correlation(k);
    if (!block.x.is_sound[i] || !block.y.is_sound[j] || std::isnan(r)) continue;
    const PairCounts counts{n, static_cast<double>(block.x.distinct[i]),
                            static_cast<double>(block.y.distinct[j]), static_cast<double>(x.others[i]),
                            static_cast<double>(y.others[j])};
    const TraceLaw null = match_trace(block.x.sides[i], block.y.sides[j], counts, by, 1, 1, matching);
    if (null.engine != Engine::beta) continue;
    if (options.is_automatic && null.caveat != Caveat::none) continue;
    if (!law || null.first != last.a || null.second != last.b) {
      last = {null.first, null.second};
      law.emplace(last.a, last.b);
    }
    const double observed = std::min(r * r, 1.0);
    const double tail = law->tails(observed - tolerance(observed, null.std)).upper;
    const double p = std::clamp(tail, std::max(x.floor[i], y.floor[j]), 1.0);
    const bool is_sure = observed > options.close || (options.is_automatic && p < null.holds_to);
    out.observed[k] = observed;
    out.mean[k] = null.mean;
    out.std[k] = null.std;
    out.p[k] = p;
    out.code[k] = static_cast<std::uint8_t>(is_sure ? Screened::sure : Screened::plain);
  }
}

}  // namespace bychance
