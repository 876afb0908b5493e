#include "rank_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace bychance {
namespace {

// Up to this many rows the centered sum of products, at most n^3/3, is exact in 64 bits.
constexpr std::size_t kExactRows = std::size_t{1} << 21;

struct Workspace {
  std::vector<std::uint32_t> ranks;           // doubled midranks of x by row; 0 where x is missing
  std::vector<std::uint32_t> x_ends, y_ends;  // shared rows up to the end of each tie group
  std::vector<std::uint64_t> sums;            // ranks of x summed up to the end of each tie group of y
};

struct Moments {
  double square, third, fourth, sixth;  // sums of powers of centered doubled midranks
  std::int64_t distinct;
};

// Doubled ranks are -(n-1), -(n-3), ..., n-1 about their mean.
Moments untied_moments(double n) {
  const double square = n * (n * n - 1) / 3, n2 = n * n;
  return {square, 0, square * (3 * n2 - 7) / 5, square * (3 * n2 * n2 - 18 * n2 + 31) / 7,
          static_cast<std::int64_t>(n)};
}

Moments tied_moments(const std::vector<std::uint32_t>& ends, std::size_t n_groups) {
  const double n = ends[n_groups];
  Moments moments{0, 0, 0, 0, 0};
  double before = 0;
  for (std::size_t g = 0; g < n_groups; ++g) {
    const double after = ends[g + 1], size = after - before, d = before + after - n;
    const double d2 = d * d, square = size * d2;
    moments.square += square;
    moments.third += square * d;
    moments.fourth += square * d2;
    moments.sixth += square * d2 * d2;
    moments.distinct += size > 0;
    before = after;
  }
  return moments;
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
  std::uint32_t* ends = work.x_ends.data();
  for (std::size_t k = 0; k < x.n; ++k) {
    seen += y_present[x.order[k]];
    ends[x.groups[k] + 1] = seen;
  }
  for (std::size_t k = 0; k < x.n; ++k) {
    const std::int32_t g = x.groups[k];
    ranks[x.order[k]] = ends[g] + ends[g + 1] + 1;
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
  std::uint32_t* ends = work.y_ends.data();
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
    const std::uint32_t midrank = ends[g] + ends[g + 1] + 1;
    total += static_cast<Sum>(midrank) * static_cast<Sum>(sums[g + 1] - sums[g]);
  }
  return total;
}

double centered_products(const RankedColumn& y, const bool* x_present, std::size_t n, Workspace& work) {
  if (n <= kExactRows) {
    // Both terms may wrap around; their difference does not.
    const std::uint64_t expected = static_cast<std::uint64_t>(n) * (n + 1) * (n + 1);
    return static_cast<double>(
        static_cast<std::int64_t>(products<std::uint64_t>(y, x_present, work) - expected));
  }
  const auto count = static_cast<double>(n);
  return products<double>(y, x_present, work) - count * (count + 1) * (count + 1);
}

}  // namespace

void rank_pairs(const RankedColumn* columns, std::size_t n_rows, ColumnPairs pairs, LineFigures* figures,
                std::int64_t* counts) {
  Workspace work{std::vector<std::uint32_t>(n_rows), std::vector<std::uint32_t>(n_rows + 1),
                 std::vector<std::uint32_t>(n_rows + 1), std::vector<std::uint64_t>(n_rows + 1)};
  for (std::size_t p = 0; p < pairs.count; ++p) {
    const RankedColumn &x = columns[pairs.first[p]], &y = columns[pairs.second[p]];
    if (p == 0 || pairs.first[p] != pairs.first[p - 1]) std::fill(work.ranks.begin(), work.ranks.end(), 0);
    const std::size_t n = rank_rows(x, y.is_present, work);
    const double product = centered_products(y, x.is_present, n, work);
    const auto count = static_cast<double>(n);
    const Moments a = x.n_groups == 0 ? untied_moments(count) : tied_moments(work.x_ends, x.n_groups);
    const Moments b = y.n_groups == 0 ? untied_moments(count) : tied_moments(work.y_ends, y.n_groups);
    counts[3 * p] = static_cast<std::int64_t>(n);
    counts[3 * p + 1] = a.distinct;
    counts[3 * p + 2] = b.distinct;
    if (n < 3 || a.distinct == 1 || b.distinct == 1) {
      figures[p] = {std::numeric_limits<double>::quiet_NaN(), 0, 0, 0, 0, 0, 0};
      continue;
    }
    const double x_norm = std::sqrt(a.square), y_norm = std::sqrt(b.square);
    figures[p] = {product / x_norm / y_norm,
                  a.third / (a.square * x_norm),
                  a.fourth / (a.square * a.square),
                  a.sixth / (a.square * a.square * a.square),
                  b.third / (b.square * y_norm),
                  b.fourth / (b.square * b.square),
                  b.sixth / (b.square * b.square * b.square)};
  }
}

}  // namespace bychance
