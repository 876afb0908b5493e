// Values of MIC, MIC_e and TIC_e (Reshef et al. 2011, 2016).
//
// For each row count one axis is equipartitioned and the cuts of the other are searched, in both
// directions of the pair. n I = g(n) - sum of g(row totals) + F_l(p); see mic/search.cpp.
#include "mic/mic.hpp"

#include <algorithm>
#include <cmath>

#include "mic/parts.hpp"

namespace bychance {

namespace {

// Below this many clumps the search itself costs no more than its bound.
constexpr std::int32_t worth_a_bound = 44;

// Equal cuts give equal scores as long as neither search had to merge clumps.
bool is_repeat(const MicDirection& direction, std::size_t partition) {
  const MicPartition& part = direction.rows.partitions[partition];
  if (part.same_as < 0) return false;
  direction.clumps_found[partition] = direction.clumps_found[part.same_as];
  return direction.clumps_found[partition] <= part.superclumps;
}

// The best scores with at most l columns, at l.
const double* all_levels(const MicSearch& search) {
  double* at_end = search.levels + std::size_t(search.clumps) * search.stride - 1;
  if (search.columns == 2)
    at_end[2] = search_two_columns(search);
  else
    search_columns(search);
  return at_end;
}

double cell(const MicVariable& rows, const MicPartition& part, std::int32_t columns, double score) {
  return (part.entropy + score) / rows.scale[std::min(part.rows, columns)];
}

// The gain of one more column on unrelated data, about; it settles the bound that is tried, never the value.
double noise_gain(std::int32_t rows) { return rows == 2 ? 2.3 : 1.75 * std::sqrt(rows - 1.0); }

// True if no cell with three or more columns can exceed `best`: for any penalty
// F_l(p) <= l * penalty + penalized_score. On unrelated data two rows nearly always win, and this
// spares the search of all other partitions.
bool is_beaten(const MicVariable& rows, const MicPartition& part, const MicSearch& search, double best) {
  if (best <= 0 || search.clumps < worth_a_bound) return false;
  const double unit = mic_tables(rows.n).unit;
  const double penalty = std::nearbyint(noise_gain(part.rows) / unit) * unit;
  const double score = penalized_score(search, penalty, 2 * (part.rows + 1) * unit);
  for (std::int32_t l = 3; l <= part.columns; ++l)
    if (cell(rows, part, l, score + l * penalty) > best) return false;
  return true;
}

double larger_cell(const MicDirection& direction, std::size_t i, double best, MicWorkspace& ws) {
  const MicVariable& rows = direction.rows;
  const MicPartition& part = rows.partitions[i];
  if (part.rows < 2 || is_repeat(direction, i)) return best;
  if (part.columns == 2 && cell(rows, part, 2, two_column_bound(direction, i, ws)) <= best) return best;
  const MicSearch search = make_search(direction, i, find_clumps(direction, i, ws), ws);
  if (part.rows > 2 || part.columns == 2)
    best = std::max(best, cell(rows, part, 2, search_two_columns(search)));
  if (part.columns == 2 || is_beaten(rows, part, search, best)) return best;
  const double* finals = all_levels(search);
  // With two rows all cells share one scale, and more columns never score less.
  for (std::int32_t l = part.rows > 2 ? 3 : part.columns; l <= part.columns; ++l)
    best = std::max(best, cell(rows, part, l, finals[l]));
  return best;
}

double largest_cell(const MicVariable& x, const MicVariable& y, MicWorkspace& ws) {
  const MicDirection directions[] = {along_x(x, y, ws), along_y(x, y, ws)};
  double best = 0;
  for (std::size_t i = 0; i < x.partitions.size() && snapped(best) < 1; ++i)
    for (const MicDirection& direction : directions) best = larger_cell(direction, i, best, ws);
  return best;
}

// Off the diagonal each cell of the equicharacteristic matrix comes from one direction; on it
// the larger of both counts, so that (x, y) and (y, x) agree. Pairs of mirrored cells are added
// first for the same reason.
double sum_of_cells(const MicVariable& x, const MicVariable& y, MicWorkspace& ws) {
  fill_cells(along_x(x, y, ws), ws);
  const std::vector<double> other = ws.cells;
  fill_cells(along_y(x, y, ws), ws);
  const std::size_t width = x.scale.size();
  double sum = 0;
  for (std::size_t i = 0; i < x.partitions.size(); ++i) {
    const std::int32_t rows = x.partitions[i].rows_asked;
    for (std::int32_t l = 2; l <= x.partitions[i].columns; ++l) {
      const double a = other[i * width + l], b = ws.cells[i * width + l];
      sum += l == rows ? std::max(a, b) : a + b;
    }
  }
  return sum;
}

double evaluate(const MicVariable& x, const MicVariable& y, MicWorkspace& ws) {
  if (x.settings.kind == MicKind::tic_e) return sum_of_cells(x, y, ws);
  return snapped(largest_cell(x, y, ws));
}

}  // namespace

double mic(const MicVariable& x, const MicVariable& y, MicWorkspace& workspace) {
  mic_start(x, y, workspace);
  return mic_paired(x, y, nullptr, workspace);
}

double mic_paired(const MicVariable& x, const MicVariable& y, const std::int32_t* pairing,
                  MicWorkspace& workspace) {
  pair_positions(x, y, pairing, workspace);
  return evaluate(x, y, workspace);
}

MicDirection along_x(const MicVariable& x, const MicVariable& y, MicWorkspace& ws) {
  ws.found_y.assign(y.partitions.size(), 0);
  return {x, y, ws.y_at_x.data(), ws.labels_y.data(), ws.gains_y.data(), ws.ends_x.data(), ws.found_y.data()};
}

MicDirection along_y(const MicVariable& x, const MicVariable& y, MicWorkspace& ws) {
  ws.found_x.assign(x.partitions.size(), 0);
  return {y, x, ws.x_at_y.data(), ws.labels_x.data(), ws.gains_x.data(), ws.ends_y.data(), ws.found_x.data()};
}

void fill_cells(const MicDirection& direction, MicWorkspace& ws) {
  const MicVariable& rows = direction.rows;
  const std::size_t width = rows.scale.size();
  ws.cells.assign(rows.partitions.size() * width, 0.0);
  for (std::size_t i = 0; i < rows.partitions.size(); ++i) {
    const MicPartition& part = rows.partitions[i];
    if (part.rows < 2) continue;
    double* cells = &ws.cells[i * width];
    if (is_repeat(direction, i)) {
      std::copy_n(&ws.cells[part.same_as * width], part.columns + 1, cells);
      continue;
    }
    const double* finals = all_levels(make_search(direction, i, find_clumps(direction, i, ws), ws));
    for (std::int32_t l = 2; l <= part.columns; ++l)
      cells[l] = snapped(std::max(cell(rows, part, l, finals[l]), 0.0));
  }
}

}  // namespace bychance
