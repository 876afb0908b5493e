// Orders sort numbers of pairs, not their values; rates step up from the largest p-value. A few rates and the
// hull count p-values in narrow ranges, and sort only the ranges that matter.
#include "distributions/p_values.hpp"

#include <algorithm>
#include <cmath>
#include <future>
#include <limits>
#include <numeric>

#include "core/arithmetic.hpp"

namespace bychance {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// work(begin, end) → a result per chunk, in the order of the chunks; few values are one chunk. A chunk waits
// for this thread if the system has no more threads.
template <class Work>
auto in_chunks(std::size_t n, std::size_t n_threads, Work work) {
  constexpr std::size_t kFew = std::size_t{1} << 16;  // values per thread, fewer are not worth one (taste)
  const std::size_t count = std::clamp<std::size_t>(n / kFew, 1, std::max<std::size_t>(n_threads, 1));
  const auto run = [&](std::size_t c) {
    return work(n / count * c, c + 1 == count ? n : n / count * (c + 1));
  };
  std::vector<std::future<decltype(work(n, n))>> others;
  for (std::size_t c = 1; c < count; ++c) others.push_back(std::async(run, c));
  std::vector<decltype(work(n, n))> results;
  results.push_back(run(0));
  for (auto& other : others) results.push_back(other.get());
  return results;
}

// The wanted p-values, ascending.
template <class IsWanted>
std::vector<double> sorted_values(const double* p, std::size_t n, std::size_t n_threads, IsWanted is_wanted) {
  const auto picked = in_chunks(n, n_threads, [&](std::size_t begin, std::size_t end) {
    std::vector<double> values;
    for (std::size_t k = begin; k < end; ++k) {
      if (!std::isnan(p[k]) && is_wanted(p[k])) values.push_back(p[k]);
    }
    return values;
  });
  std::vector<double> sorted;
  for (const auto& values : picked) sorted.insert(sorted.end(), values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

// -1 if a comes first, 1 if b does, 0 if they are equal; larger first, NaN last.
int compare(double a, double b) {
  if (a > b) return -1;
  if (a < b) return 1;
  return static_cast<int>(std::isnan(a)) - static_cast<int>(std::isnan(b));
}

// Numbers of [0, 1] by exponent and first twelve binary digits, in their order: IEEE 754 doubles of one sign
// are ordered as their bits are.
constexpr int kDroppedBits = 40;  // of 52 binary digits, so that twelve remain
constexpr std::size_t kRanges = (std::size_t{1023} << (52 - kDroppedBits)) + 1;

std::size_t range_of(double value) {
  return bits_as<std::uint64_t>(value + 0.0) >> kDroppedBits;  // -0 becomes 0
}

double start_of(std::size_t range) {
  return bits_as<double>(static_cast<std::uint64_t>(range) << kDroppedBits);
}

// Tests counted by threads in narrow ranges: range r has ranks below[r] + 1 .. below[r + 1] of their order.
struct Ranges {
  Ranges(const double* p, std::size_t n, const Tests& tests, std::size_t n_threads)
      : lowest(range_of(tests.least)), count(kRanges - lowest), below(count + 1, 0) {
    // Threads count apart, which is worth it if there are more values than ranges.
    const auto parts = in_chunks(n, std::min(n_threads, n / count), [&](std::size_t begin, std::size_t end) {
      std::vector<std::uint32_t> counts(count, 0);
      for (std::size_t k = begin; k < end; ++k) {
        if (!std::isnan(p[k])) ++counts[of(p[k])];
      }
      return counts;
    });
    for (const auto& counts : parts) {
      for (std::size_t r = 0; r < count; ++r) below[r + 1] += counts[r];
    }
    std::partial_sum(below.begin(), below.end(), below.begin());
  }

  std::size_t of(double value) const { return range_of(value) - lowest; }
  double start(std::size_t r) const { return start_of(lowest + r); }
  std::uint32_t size(std::size_t r) const { return below[r + 1] - below[r]; }

  std::size_t lowest, count;
  std::vector<std::uint32_t> below;
};

// Andrew's monotone chain: points come by ascending rank, of equal values only the last.
void add_point(LowerHull& hull, std::int64_t rank, double value) {
  auto& ranks = hull.ranks;
  auto& values = hull.values;
  while (ranks.size() > 1) {
    const std::size_t b = ranks.size() - 1, a = b - 1;
    const double run = ranks[b] - ranks[a], reach = rank - ranks[a];
    if ((values[b] - values[a]) * reach < (value - values[a]) * run) break;
    ranks.pop_back(), values.pop_back();
  }
  ranks.push_back(rank), values.push_back(value);
}

}  // namespace

std::vector<std::uint32_t> descending_order(const double* first, const float* second, std::size_t n) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [first, second](std::uint32_t i, std::uint32_t j) {
    int by = compare(first[i], first[j]);
    if (by == 0 && second != nullptr) by = compare(second[i], second[j]);
    return by != 0 ? by < 0 : i < j;
  });
  return order;
}

void false_discovery_rates(double* p, std::size_t n, double factor) {
  std::vector<std::uint32_t> order;
  order.reserve(n);
  for (std::size_t k = 0; k < n; ++k) {
    if (!std::isnan(p[k])) order.push_back(k);
  }
  std::sort(order.begin(), order.end(), [p](std::uint32_t i, std::uint32_t j) { return p[i] < p[j]; });
  const double count = order.size();
  double least = 1;
  for (std::size_t k = order.size(); k-- > 0;) {
    least = std::min(least, p[order[k]] * factor * count / (k + 1));
    p[order[k]] = least;
  }
}

Tests tests_of(const double* p, std::size_t n, std::size_t n_threads) {
  const auto parts = in_chunks(n, n_threads, [p](std::size_t begin, std::size_t end) {
    Tests found{0, kInfinity, -kInfinity};
    for (std::size_t k = begin; k < end; ++k) {
      found.count += !std::isnan(p[k]);
      found.least = p[k] < found.least ? p[k] : found.least;
      found.largest = p[k] > found.largest ? p[k] : found.largest;
    }
    return found;
  });
  Tests all{0, kInfinity, -kInfinity};
  for (const Tests& part : parts) {
    all.count += part.count;
    all.least = std::min(all.least, part.least);
    all.largest = std::max(all.largest, part.largest);
  }
  return all;
}

std::size_t some_false_discovery_rates(const double* p, std::size_t n, const Tests& tests, double factor,
                                       double level, std::size_t n_threads, double* wanted,
                                       std::size_t n_wanted) {
  if (tests.count == 0) return 0;
  const Ranges ranges(p, n, tests, n_threads);
  const std::size_t n_ranges = ranges.count;
  const auto& below = ranges.below;
  const double count = tests.count;
  std::vector<char> is_asked(n_ranges, 0), matters(n_ranges, 0);
  for (std::size_t i = 0; i < n_wanted; ++i) {
    if (!std::isnan(wanted[i])) is_asked[ranges.of(wanted[i])] = 1;
  }
  // The last p-value of a range has the most before it: at_most[r] bounds what comes of r and all after it.
  // The discoveries end with the last p-value whose own p·m/k is below the level: n_found is at least those
  // of the last range that ends below it, and ranges after that one that begin below it have to be looked
  // into.
  std::vector<double> at_most(n_ranges + 1, 1.0);
  std::size_t n_found = 0;
  for (std::size_t r = n_ranges; r-- > 0;) {
    at_most[r] = at_most[r + 1];
    if (ranges.size(r) == 0) continue;
    const double end_rate = ranges.start(r + 1) * factor * count / below[r + 1];
    at_most[r] = std::min(at_most[r], end_rate);
    if (n_found == 0 && end_rate <= level) n_found = below[r + 1];
    matters[r] = n_found == 0 && ranges.start(r) * factor * count / below[r + 1] < level;
  }
  double limit = 0;
  for (std::size_t r = 0; r < n_ranges; ++r) {
    if (ranges.size(r) == 0) continue;
    if (is_asked[r]) limit = at_most[r];
    matters[r] |= is_asked[r] || ranges.start(r) * factor * count / below[r + 1] <= limit;
  }
  const auto sorted =
      sorted_values(p, n, n_threads, [&](double value) { return matters[ranges.of(value)] != 0; });
  std::vector<double> rates(sorted.size());
  double least = 1;
  for (std::size_t end = sorted.size(); end > 0;) {
    const std::size_t r = ranges.of(sorted[end - 1]);
    const std::size_t start = end - ranges.size(r);
    for (std::size_t k = end; k-- > start;) {
      const std::size_t rank = below[r] + (k - start) + 1;
      least = std::min(least, sorted[k] * factor * count / rank);
      if (least < level) n_found = std::max(n_found, rank);
      rates[k] = least;
    }
    end = start;
  }
  for (std::size_t i = 0; i < n_wanted; ++i) {
    if (std::isnan(wanted[i])) continue;
    const auto found = std::lower_bound(sorted.begin(), sorted.end(), wanted[i]);
    wanted[i] = rates[found - sorted.begin()];
  }
  return n_found;
}

LowerHull lower_hull(const double* p, std::size_t n, const Tests& tests, std::size_t n_threads) {
  LowerHull outer, hull;  // `outer` has the end of each range, so that no corner lies above it
  if (tests.count == 0) return hull;
  const Ranges ranges(p, n, tests, n_threads);
  for (std::size_t r = 0; r < ranges.count; ++r) {
    if (ranges.size(r) > 0) add_point(outer, ranges.below[r + 1], ranges.start(r + 1));
  }
  std::vector<char> matters(ranges.count, 0);
  std::size_t corner = 0;  // the first of `outer` that does not lie before the end of the range
  for (std::size_t r = 0; r < ranges.count; ++r) {
    if (ranges.size(r) == 0) continue;
    const std::int64_t end = ranges.below[r + 1];
    while (outer.ranks[corner] < end) ++corner;
    double height = outer.values[corner];
    if (corner > 0) {
      const double run = outer.ranks[corner] - outer.ranks[corner - 1];
      const double share = (outer.ranks[corner] - end) / run;
      height -= share * (outer.values[corner] - outer.values[corner - 1]);
    }
    matters[r] = ranges.start(r) <= height * (1 + 1e-12);  // rounding of the height
  }
  const auto sorted =
      sorted_values(p, n, n_threads, [&](double value) { return matters[ranges.of(value)] != 0; });
  for (std::size_t k = 0; k < sorted.size();) {
    const std::size_t r = ranges.of(sorted[k]), start = k, end = k + ranges.size(r);
    for (; k < end; ++k) {
      if (k + 1 == end || sorted[k + 1] > sorted[k]) {
        add_point(hull, ranges.below[r] + (k - start) + 1, sorted[k]);
      }
    }
  }
  return hull;
}

}  // namespace bychance
