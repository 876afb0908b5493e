// Triangles, row by row.
#include "forest/ways.hpp"

#include <vector>

namespace bychance {
namespace {

constexpr std::size_t kMostKept = 127;

constexpr std::size_t row_start(std::size_t n) { return n * (n + 1) / 2; }

double product(double n, double k) {
  double ways = k <= n ? 1 : 0;
  for (double i = 0; i < k && ways > 0; i += 1) ways *= (n - i) / (i + 1);
  return ways;
}

// That of n, up to kMostKept.
const double* kept_row(double n) {
  static const std::vector<double> kept = [] {
    std::vector<double> ways;
    for (std::size_t row = 0; row <= kMostKept; ++row) {
      for (std::size_t i = 0; i <= row; ++i) {
        ways.push_back(i ? ways.back() * (static_cast<double>(row - i + 1) / static_cast<double>(i)) : 1);
      }
    }
    return ways;
  }();
  return kept.data() + row_start(static_cast<std::size_t>(n));
}

}  // namespace

double chosen(double n, double k) {
  return n <= kMostKept && k <= n ? kept_row(n)[static_cast<std::size_t>(k)] : product(n, k);
}

void chosen_each(double n, std::size_t first, std::size_t last, double* ways) {
  const double* row = n <= kMostKept ? kept_row(n) : nullptr;
  for (std::size_t k = first; k < last; ++k) {
    const auto number = static_cast<double>(k);
    ways[k] = row && number <= n ? row[k] : product(n, number);
  }
}

const double* pascal_row(std::size_t n) {
  static const std::vector<double> triangle = [] {
    std::vector<double> ways(row_start(kMostExact + 1), 1.0);
    for (std::size_t row = 2; row <= kMostExact; ++row) {
      for (std::size_t i = 1; i < row; ++i) {
        ways[row_start(row) + i] = ways[row_start(row - 1) + i - 1] + ways[row_start(row - 1) + i];
      }
    }
    return ways;
  }();
  return triangle.data() + row_start(n);
}

}  // namespace bychance
