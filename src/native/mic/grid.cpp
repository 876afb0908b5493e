// The characteristic matrix of a pair and the grid behind its largest cell.
#include <algorithm>
#include <limits>
#include <vector>

#include "mic/parts.hpp"

namespace bychance {

namespace {

struct Winner {
  double value = 0;
  bool along_x = true;
  std::size_t partition = 0;
  std::int32_t columns = 0;
};

void merge(const MicDirection& direction, bool along_x, MicWorkspace& ws, MicGrid& grid, Winner& winner) {
  fill_cells(direction, ws);
  const std::size_t width = direction.rows.scale.size(), side = grid.largest - 1;
  for (std::size_t i = 0; i < direction.rows.partitions.size(); ++i) {
    const std::int32_t rows = direction.rows.partitions[i].rows_asked;
    for (std::int32_t l = 2; l <= direction.rows.partitions[i].columns; ++l) {
      const double value = ws.cells[i * width + l];
      const std::size_t y = (along_x ? rows : l) - 2, x = (along_x ? l : rows) - 2;
      double& cell = grid.characteristic[y * side + x];
      if (!(cell >= value)) cell = value;
      if (value > winner.value) winner = {value, along_x, i, l};
    }
  }
}

// points[t][row] up to each boundary.
std::vector<std::int32_t> running_counts(std::int32_t clumps, std::int32_t rows, const MicWorkspace& ws) {
  std::vector<std::int32_t> points(std::size_t(clumps + 1) * rows, 0);
  for (std::int32_t t = 1, k = 0; t <= clumps; ++t) {
    std::copy_n(&points[std::size_t(t - 1) * rows], rows, &points[std::size_t(t) * rows]);
    for (; k < ws.bounds[t]; ++k) ++points[std::size_t(t) * rows + ws.row[k]];
  }
  return points;
}

// The search of mic/search.cpp with its choices kept: column cuts as positions, 0 and n included.
std::vector<std::int32_t> best_cuts(std::int32_t clumps, std::int32_t rows, std::int32_t columns,
                                    const std::vector<std::int32_t>& points, const MicWorkspace& ws,
                                    const double* g) {
  const std::size_t size = std::size_t(clumps) + 1;
  std::vector<double> before(size, -std::numeric_limits<double>::infinity()), now(size), w(size);
  std::vector<std::int32_t> from(size * (columns + 1), 0);
  before[0] = 0;
  std::vector<std::vector<double>> level(columns + 1, before);
  for (std::int32_t t = 1; t <= clumps; ++t) {
    for (std::int32_t s = 0; s < t; ++s) {
      w[s] = -g[ws.bounds[t] - ws.bounds[s]];
      for (std::int32_t r = 0; r < rows; ++r)
        w[s] += g[points[std::size_t(t) * rows + r] - points[std::size_t(s) * rows + r]];
    }
    for (std::int32_t l = 1; l <= columns; ++l)
      for (std::int32_t s = 0; s < t; ++s)
        if (level[l - 1][s] + w[s] > level[l][t]) {
          level[l][t] = level[l - 1][s] + w[s];
          from[l * size + t] = s;
        }
  }
  std::vector<std::int32_t> cuts;
  for (std::int32_t t = clumps, l = columns; t > 0; t = from[l-- * size + t]) cuts.push_back(ws.bounds[t]);
  cuts.push_back(0);
  std::reverse(cuts.begin(), cuts.end());
  return cuts;
}

std::vector<std::int32_t> inner(const std::vector<std::int32_t>& cuts) {
  return {cuts.begin() + 1, cuts.end() - 1};
}

void draw(const MicDirection& direction, const Winner& winner, MicWorkspace& ws, MicGrid& grid) {
  const MicVariable& rows = direction.rows;
  const MicPartition& part = rows.partitions[winner.partition];
  const std::int32_t clumps = find_clumps(direction, winner.partition, ws);
  const std::vector<std::int32_t> points = running_counts(clumps, part.rows, ws);
  const std::vector<std::int32_t> cuts =
      best_cuts(clumps, part.rows, winner.columns, points, ws, mic_tables(rows.n).single.data());
  const std::vector<std::int32_t> row_cuts(&rows.cuts[part.first_cut],
                                           &rows.cuts[part.first_cut] + part.rows + 1);
  const std::size_t columns = cuts.size() - 1;
  grid.counts.assign(columns * part.rows, 0);
  for (std::size_t c = 0; c < columns; ++c)
    for (std::int32_t k = cuts[c]; k < cuts[c + 1]; ++k)
      ++grid.counts[winner.along_x ? ws.row[k] * columns + c : c * part.rows + ws.row[k]];
  grid.x_cuts = inner(winner.along_x ? cuts : row_cuts);
  grid.y_cuts = inner(winner.along_x ? row_cuts : cuts);
}

}  // namespace

MicGrid mic_grid(const MicVariable& x, const MicVariable& y, MicWorkspace& ws) {
  mic_start(x, y, ws);
  pair_positions(x, y, nullptr, ws);
  MicGrid grid{};
  grid.largest = std::int32_t(x.scale.size()) - 1;
  grid.characteristic.assign(std::size_t(grid.largest - 1) * (grid.largest - 1),
                             std::numeric_limits<double>::quiet_NaN());
  Winner winner;
  merge(along_x(x, y, ws), true, ws, grid, winner);
  merge(along_y(x, y, ws), false, ws, grid, winner);
  grid.value = winner.value;
  grid.y_equipartitioned = winner.along_x;
  grid.counts.assign(1, x.n);
  if (winner.columns) draw(winner.along_x ? along_x(x, y, ws) : along_y(x, y, ws), winner, ws, grid);
  return grid;
}

}  // namespace bychance
