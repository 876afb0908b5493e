// Ranks of a subset of rows from the order of the whole column, without sorting again.
#include "moments/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace bychance {
namespace {

// Up to this many rows the centered sum of products, at most n^3/3, is exact in 64 bits.
constexpr std::size_t kExactRows = std::size_t{1} << 21;

constexpr std::size_t kLanes = 4;

struct Workspace {
  explicit Workspace(std::size_t n) : ranks(n), x_ends(n + kLanes), y_ends(n + kLanes), sums(n + 1) {}
  std::vector<std::uint32_t> ranks;          // doubled midranks of x by row; 0 if x is missing
  std::vector<std::int32_t> x_ends, y_ends;  // shared rows up to the end of each tie group, from 0
  std::vector<std::uint64_t> sums;           // ranks of x summed up to the end of each tie group of y
};

struct Moments {
  double square, third, fourth, sixth;  // sums of powers of centered doubled midranks
  std::int64_t distinct;
};

LinePowers at_unit_norm(const Moments& m) {
  return {m.third / (m.square * std::sqrt(m.square)), m.fourth / (m.square * m.square),
          m.sixth / (m.square * m.square * m.square)};
}

// Doubled ranks are -(n-1), -(n-3), ..., n-1 about their mean.
Moments untied_moments(double n) {
  const double square = n * (n * n - 1) / 3, n2 = n * n;
  return {square, 0, square * (3 * n2 - 7) / 5, square * (3 * n2 * n2 - 18 * n2 + 31) / 7,
          static_cast<std::int64_t>(n)};
}

// Groups in blocks, so that the compiler adds up lanes side by side; the last block is filled with groups of
// no rows.
Moments tied_moments(std::int32_t* ends, std::size_t n_groups) {
  const std::int32_t n = ends[n_groups];
  std::fill(ends + n_groups + 1, ends + n_groups + kLanes, n);
  double square[kLanes] = {}, third[kLanes] = {}, fourth[kLanes] = {}, sixth[kLanes] = {};
  std::int32_t distinct[kLanes] = {};
  for (std::size_t g = 0; g < n_groups; g += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::int32_t before = ends[g + lane], after = ends[g + lane + 1];
      const double d = after - (n - before), d2 = d * d, term = (after - before) * d2;
      square[lane] += term;
      third[lane] += term * d;
      fourth[lane] += term * d2;
      sixth[lane] += term * d2 * d2;
      distinct[lane] += after > before;
    }
  }
  Moments moments{0, 0, 0, 0, 0};
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    moments.square += square[lane];
    moments.third += third[lane];
    moments.fourth += fourth[lane];
    moments.sixth += sixth[lane];
    moments.distinct += distinct[lane];
  }
  return moments;
}

std::uint32_t doubled_midrank(const std::int32_t* end) {
  return static_cast<std::uint32_t>(end[0]) + static_cast<std::uint32_t>(end[1]) + 1;
}

// Ranks x on the rows that y has; returns how many rows they share.
std::size_t rank_rows(const RankedColumn& x, const bool* y_present, Workspace& work) {
  std::uint32_t* ranks = work.ranks.data();
  std::uint32_t seen = 0;
  if (x.n_groups == 0) {
    for (std::size_t k = 0; k < x.n; ++k) {
      const std::int32_t row = x.order[k];
      seen += 2u * y_present[row];
      ranks[row] = seen;
    }
    return seen / 2;
  }
  std::int32_t* ends = work.x_ends.data();
  for (std::size_t k = 0; k < x.n; ++k) {
    seen += y_present[x.order[k]];
    ends[x.groups[k] + 1] = seen;
  }
  for (std::size_t k = 0; k < x.n; ++k) {
    const std::int32_t g = x.groups[k];
    ranks[x.order[k]] = doubled_midrank(ends + g);
  }
  return seen;
}

// Sum of products of the doubled midranks; y is ranked on the way.
template <class Sum>
Sum products(const RankedColumn& y, const bool* x_present, Workspace& work) {
  const std::uint32_t* ranks = work.ranks.data();
  Sum total = 0;
  std::uint32_t seen = 0;
  if (y.n_groups == 0) {
    for (std::size_t k = 0; k < y.n; ++k) {
      const std::int32_t row = y.order[k];
      seen += 2u * x_present[row];
      total += static_cast<Sum>(seen) * static_cast<Sum>(ranks[row]);
    }
    return total;
  }
  std::int32_t* ends = work.y_ends.data();
  std::uint64_t* sums = work.sums.data();
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < y.n; ++k) {
    const std::int32_t row = y.order[k], g = y.groups[k];
    seen += x_present[row];
    sum += ranks[row];
    ends[g + 1] = seen;
    sums[g + 1] = sum;
  }
  for (std::size_t g = 0; g < y.n_groups; ++g) {
    total += static_cast<Sum>(doubled_midrank(ends + g)) * static_cast<Sum>(sums[g + 1] - sums[g]);
  }
  return total;
}

double centered_products(const RankedColumn& y, const bool* x_present, std::size_t n, Workspace& work) {
  if (n <= kExactRows) {
    // Both terms may wrap around; their difference does not.
    const std::uint64_t expected = static_cast<std::uint64_t>(n) * (n + 1) * (n + 1);
    return static_cast<std::int64_t>(products<std::uint64_t>(y, x_present, work) - expected);
  }
  const double count = n;
  return products<double>(y, x_present, work) - count * (count + 1) * (count + 1);
}

}  // namespace

RankedPairs rank_pairs(const std::vector<RankedColumn>& columns, std::size_t n_rows,
                       const PairIndices& pairs) {
  RankedPairs found;
  found.figures.resize(pairs.count), found.counts.resize(pairs.count);
  Workspace work(n_rows);
  for (std::size_t p = 0; p < pairs.count; ++p) {
    const RankedColumn &x = columns[pairs.first[p]], &y = columns[pairs.second[p]];
    if (p == 0 || pairs.first[p] != pairs.first[p - 1]) std::fill(work.ranks.begin(), work.ranks.end(), 0);
    const std::size_t n = rank_rows(x, y.is_present, work);
    const double product = centered_products(y, x.is_present, n, work);
    const double count = n;
    const Moments a = x.n_groups == 0 ? untied_moments(count) : tied_moments(work.x_ends.data(), x.n_groups);
    const Moments b = y.n_groups == 0 ? untied_moments(count) : tied_moments(work.y_ends.data(), y.n_groups);
    found.counts[p] = {static_cast<std::int64_t>(n), a.distinct, b.distinct};
    if (n < 3 || a.distinct == 1 || b.distinct == 1) continue;
    found.figures[p] = {product / std::sqrt(a.square) / std::sqrt(b.square), at_unit_norm(a),
                        at_unit_norm(b)};
  }
  return found;
}

}  // namespace bychance
