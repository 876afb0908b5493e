// Two passes over the shared rows of a pair: means, then centered power sums.
#include "moments/lines.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "core/arithmetic.hpp"

namespace bychance {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kCenterSample = 1000;  // values of which the median is taken
constexpr std::size_t kBlockRows = 256;  // summed on their own, so that rounding does not grow with the rows

// The power of two that brings a size to [1/2, 1), as far as there is one.
double to_unit(double size) {
  int exponent = 0;
  std::frexp(size, &exponent);
  return std::ldexp(1.0, std::min(1000, -exponent));
}

// Calls visit(begin, end) for every eight rows of which some may be shared, until it returns false.
template <class Visit>
void for_shared_words(const bool* a, const bool* b, std::size_t n, Visit visit) {
  constexpr std::uint64_t all_missing = 0x0101010101010101u;
  for (std::size_t k = 0; k < n; k += kWord) {
    const std::size_t end = std::min(k + kWord, n);
    if (end - k == kWord) {
      std::uint64_t word_a, word_b;
      std::memcpy(&word_a, a + k, kWord);
      std::memcpy(&word_b, b + k, kWord);
      if ((word_a | word_b) == all_missing) continue;
    }
    if (!visit(k, end)) return;
  }
}

void center(double* c, std::size_t n) {
  const double mean = sum_in_lanes(n, [c](std::size_t k) { return c[k]; }) / n;
  for (std::size_t k = 0; k < n; ++k) c[k] -= mean;
}

double largest_size(const double* c, std::size_t n) {
  double largest = 0;
  for (std::size_t k = 0; k < n; ++k) largest = std::max(largest, std::abs(c[k]));
  return largest;
}

class DistinctValues {
 public:
  explicit DistinctValues(std::size_t limit) : found_(limit) {}
  void clear() { count_ = 0; }
  bool is_full() const { return count_ == found_.size(); }
  std::int64_t count() const { return count_; }
  void add(double value) {
    if (is_full() || std::find(found_.begin(), end(), value) != end()) return;
    found_[count_++] = value;
  }

 private:
  std::vector<double>::iterator end() { return found_.begin() + count_; }
  std::vector<double> found_;
  std::size_t count_ = 0;
};

}  // namespace

LineScaling scaling_of(const double* values, std::size_t n) {
  if (n == 0) return {1, 0, 1};
  const auto [smallest, largest] = std::minmax_element(values, values + n);
  const double before = to_unit(std::max(std::abs(*smallest), std::abs(*largest)));
  std::vector<double> sample;
  for (std::size_t k = 0, step = std::max<std::size_t>(1, n / kCenterSample); k < n; k += step) {
    sample.push_back(values[k]);
  }
  const auto middle = sample.begin() + (sample.size() / 2);
  std::nth_element(sample.begin(), middle, sample.end());
  const double center = *middle * before;
  return {before, center, to_unit(std::max(*largest * before - center, center - *smallest * before))};
}

void power_sums(const double* values, std::size_t n, const LineScaling& scaling, double* sums) {
  std::fill(sums, sums + kPowers, 0.0);
  double z[kBlockRows], power[kBlockRows];
  for (std::size_t start = 0; start < n; start += kBlockRows) {
    const std::size_t count = std::min(kBlockRows, n - start);
    for (std::size_t k = 0; k < count; ++k) power[k] = z[k] = scaling(values[start + k]);
    for (std::size_t p = 0; p < kPowers; ++p) {
      double part[4] = {0, 0, 0, 0};
      for (std::size_t k = 0; k < count; ++k) part[k % 4] += power[k];
      sums[p] += (part[0] + part[1]) + (part[2] + part[3]);
      for (std::size_t k = 0; k < count; ++k) power[k] *= z[k];
    }
  }
}

std::size_t gather_shared(const MaskedColumn& x, const MaskedColumn& y, std::size_t n_rows, double* a,
                          double* b) {
  std::size_t n = 0;
  for_shared_words(x.is_missing, y.is_missing, n_rows, [&](std::size_t k, std::size_t end) {
    for (; k < end; ++k) {
      a[n] = x.values[k];
      b[n] = y.values[k];
      n += !(x.is_missing[k] | y.is_missing[k]);
    }
    return true;
  });
  return n;
}

// The first scale is a power of two, so that no two values become one; the second centering takes off what
// the first left by rounding.
bool make_line(double* c, std::size_t n) {
  if (std::all_of(c, c + n, [c](double value) { return value == c[0]; })) return false;
  const double power = to_unit(largest_size(c, n));
  for (std::size_t k = 0; k < n; ++k) c[k] *= power;
  center(c, n);
  const double largest = largest_size(c, n);
  for (std::size_t k = 0; k < n; ++k) c[k] /= largest;
  center(c, n);
  const double norm = std::sqrt(sum_in_lanes(n, [c](std::size_t k) { return c[k] * c[k]; }));
  for (std::size_t k = 0; k < n; ++k) c[k] /= norm;
  return true;
}

LinePowers powers_of(const double* c, std::size_t n) {
  const auto sum = [=](auto power) { return sum_in_lanes(n, [=](std::size_t k) { return power(c[k]); }); };
  return {sum([](double v) { return v * v * v; }), sum([](double v) { return (v * v) * (v * v); }),
          sum([](double v) { return (v * v * v) * (v * v * v); })};
}

void make_midranks(double* c, std::size_t n) {
  std::vector<std::pair<double, std::size_t>> sorted(n);
  for (std::size_t k = 0; k < n; ++k) sorted[k] = {c[k], k};
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t start = 0, end = 0; start < n; start = end) {
    while (end < n && sorted[end].first == sorted[start].first) ++end;
    const double rank = static_cast<double>(start + 1 + end) / 2;
    for (std::size_t k = start; k < end; ++k) c[sorted[k].second] = rank;
  }
}

std::int64_t count_distinct(const std::vector<double>& values, std::size_t limit) {
  DistinctValues found(limit);
  for (std::size_t k = 0; k < values.size() && !found.is_full(); ++k) found.add(values[k]);
  return found.count();
}

std::vector<LineFigures> line_pairs(const MaskedColumns& all, const PairIndices& pairs) {
  std::vector<LineFigures> found(pairs.count);
  std::vector<double> a(all.n_rows), b(all.n_rows);
  for (std::size_t p = 0; p < pairs.count; ++p) {
    const MaskedColumn &x = all.columns[pairs.first[p]], &y = all.columns[pairs.second[p]];
    const std::size_t n = gather_shared(x, y, all.n_rows, a.data(), b.data());
    if (!make_line(a.data(), n) || !make_line(b.data(), n)) continue;
    const double r = sum_in_lanes(n, [&](std::size_t k) { return a[k] * b[k]; });
    found[p] = {r, powers_of(a.data(), n), powers_of(b.data(), n)};
  }
  return found;
}

std::vector<DistinctOfBoth> distinct_pairs(const MaskedColumns& all, const PairIndices& pairs,
                                           std::size_t limit) {
  std::vector<DistinctOfBoth> found(pairs.count);
  DistinctValues x_found(limit), y_found(limit);
  for (std::size_t p = 0; p < pairs.count; ++p) {
    const MaskedColumn &x = all.columns[pairs.first[p]], &y = all.columns[pairs.second[p]];
    x_found.clear();
    y_found.clear();
    for_shared_words(x.is_missing, y.is_missing, all.n_rows, [&](std::size_t k, std::size_t end) {
      for (; k < end; ++k) {
        if (x.is_missing[k] | y.is_missing[k]) continue;
        x_found.add(x.values[k]);
        y_found.add(y.values[k]);
      }
      return !(x_found.is_full() && y_found.is_full());
    });
    found[p] = {x_found.count(), y_found.count()};
  }
  return found;
}

}  // namespace bychance
