// With o = c/(n-c), the directions of two cuts c < c' have the squared cosine o/o': sums that run along the
// cuts make up all traces.
#include "forest/mean_gain.hpp"

#include "wide.hpp"

namespace bychance {
namespace {

// The two groups beside a cut.
double beside(const double* left, std::size_t cut) { return left[cut + 1] - (cut ? left[cut - 1] : 0); }

double beside_all(const double* left, std::size_t first, std::size_t last) {
  return left[last] + left[last - 1] - left[first] - (first ? left[first - 1] : 0);
}

}  // namespace

BYCHANCE_WIDE double mean_over_cuts(const double* left, const double* gains, std::size_t first,
                                    std::size_t last) {
  constexpr std::size_t kLanes = 4;
  double sums[kLanes] = {beside(left, first) * gains[first]};
  std::size_t g = first + 1;
  for (; g + kLanes <= last; g += kLanes) {
    for (std::size_t i = 0; i < kLanes; ++i) sums[i] += (left[g + i + 1] - left[g + i - 1]) * gains[g + i];
  }
  for (; g < last; ++g) sums[0] += beside(left, g) * gains[g];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) / beside_all(left, first, last);
}

Traces Traces::of_cuts(double n, const double* left, const double* reciprocals, std::size_t first,
                       std::size_t last) {
  const double scale = 1 / beside_all(left, first, last);
  Traces A;
  A.a1 = 1;
  double P = 0, d = 0;  // d: n A_ii, of the rows before the first cut
  for (std::size_t g = first; g < last; ++g) {
    const double w = scale * beside(left, g), c = left[g], rest = n - c;
    const double o = c * c * reciprocals[g], over = rest * rest * reciprocals[g];
    A.a2 += w * (w + 2 * P * over);
    P += w * o;
    d += w * over;
  }
  double before = 0;
  for (std::size_t g = first; g < last; ++g) {
    const double w = scale * beside(left, g), c = left[g], rest = n - c;
    A.a_d += (c - before) * d * d;
    d += w * (c * c - rest * rest) * reciprocals[g];
    before = c;
  }
  A.a_d = (A.a_d + (n - before) * d * d) / (n * n);
  return A;
}

Traces Traces::of_categories(double n, const double* left, std::size_t r) {
  Traces A;
  A.a1 = A.a2 = static_cast<double>(r) - 1;
  A.a_d = (1 - 2 * static_cast<double>(r)) / n;
  for (std::size_t g = 0; g < r; ++g) A.a_d += 1 / (left[g] - (g ? left[g - 1] : 0));
  return A;
}

void Traces::add_gap(double n, double m) {
  const double with = n - m, own = m / (n * with);  // A_ii of rows with a value
  a_d += own * (2 * a1 + m / n) + with * with / (n * n * m);
  a1 += 1, a2 += 1;
}

}  // namespace bychance
