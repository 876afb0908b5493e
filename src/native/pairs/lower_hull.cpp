// Counts p-values in cells, drops cells above the hull of the cells' largest values, and sorts what is left.
#include "pairs/lower_hull.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pairs/chunks.hpp"

namespace bychance {
namespace {

constexpr std::size_t kCells = (std::size_t{1} << 16) + 1;  // the last holds 1

// Cells are narrow in [0.01, 1], where most p-values lie, and narrower towards 0. They keep the order.
std::size_t cell_of(double p) { return static_cast<std::size_t>(std::sqrt(std::sqrt(p)) * (kCells - 1)); }

struct Cell {
  std::uint64_t count = 0;
  double least = std::numeric_limits<double>::infinity(), most = -1;
};

// Andrew's monotone chain: points come by ascending rank, of equal values only the last.
void add_point(LowerHull& hull, std::int64_t rank, double value) {
  auto& ranks = hull.ranks;
  auto& values = hull.values;
  while (ranks.size() > 1) {
    const std::size_t b = ranks.size() - 1, a = b - 1;
    const double run = static_cast<double>(ranks[b] - ranks[a]), reach = static_cast<double>(rank - ranks[a]);
    if ((values[b] - values[a]) * reach < (value - values[a]) * run) break;
    ranks.pop_back(), values.pop_back();
  }
  ranks.push_back(rank), values.push_back(value);
}

}  // namespace

LowerHull lower_hull(const double* p, std::size_t n, std::size_t n_threads) {
  // Threads count apart, which is worth it where there are more values than cells.
  const auto parts = in_chunks(n, std::min(n_threads, n / kCells), [&](std::size_t begin, std::size_t end) {
    std::vector<Cell> cells(kCells);
    for (std::size_t k = begin; k < end; ++k) {
      if (std::isnan(p[k])) continue;
      Cell& cell = cells[cell_of(p[k])];
      ++cell.count;
      cell.least = std::min(cell.least, p[k]), cell.most = std::max(cell.most, p[k]);
    }
    return cells;
  });
  std::vector<Cell> cells(kCells);
  std::vector<std::int64_t> ends(kCells);
  LowerHull outer, hull;  // `outer` has the largest value of each cell, so that no corner lies above it
  for (std::size_t c = 0; c < kCells; ++c) {
    for (const auto& part : parts) {
      cells[c].count += part[c].count;
      cells[c].least = std::min(cells[c].least, part[c].least);
      cells[c].most = std::max(cells[c].most, part[c].most);
    }
    hull.n_tests += cells[c].count;
    ends[c] = static_cast<std::int64_t>(hull.n_tests);
    if (cells[c].count > 0) add_point(outer, ends[c], cells[c].most);
  }
  std::vector<char> matters(kCells, 0);
  std::size_t corner = 0;  // the first of `outer` that does not lie before the cell's end
  for (std::size_t c = 0; c < kCells; ++c) {
    if (cells[c].count == 0) continue;
    while (outer.ranks[corner] < ends[c]) ++corner;
    double height = outer.values[corner];
    if (corner > 0) {
      const double run = static_cast<double>(outer.ranks[corner] - outer.ranks[corner - 1]);
      const double share = static_cast<double>(outer.ranks[corner] - ends[c]) / run;
      height -= share * (outer.values[corner] - outer.values[corner - 1]);
    }
    matters[c] = cells[c].least <= height * (1 + 1e-12);  // what rounding does
  }
  const auto picked = in_chunks(n, n_threads, [&](std::size_t begin, std::size_t end) {
    std::vector<double> values;
    for (std::size_t k = begin; k < end; ++k) {
      if (!std::isnan(p[k]) && matters[cell_of(p[k])]) values.push_back(p[k]);
    }
    return values;
  });
  std::vector<double> sorted;
  for (const auto& values : picked) sorted.insert(sorted.end(), values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t k = 0; k < sorted.size();) {
    const std::size_t c = cell_of(sorted[k]), end = k + cells[c].count;
    for (; k < end; ++k) {
      if (k + 1 == end || sorted[k + 1] > sorted[k]) {
        add_point(hull, ends[c] - static_cast<std::int64_t>(end - k) + 1, sorted[k]);
      }
    }
  }
  return hull;
}

}  // namespace bychance
