// Clumps: which runs along the column axis a search may cut, and what each holds of every row.
#include <algorithm>
#include <stdexcept>

#include "mic/parts.hpp"

namespace bychance {

namespace {

constexpr std::int32_t mixed = -1;

template <class T>
void grow(std::vector<T>& values, std::size_t size) {
  if (values.size() < size) values.resize(size);
}

// Row of a tie group, or mixed.
std::int32_t row_of_group(const std::uint16_t* row, std::int32_t begin, std::int32_t end) {
  for (std::int32_t k = begin + 1; k < end; ++k)
    if (row[k] != row[begin]) return mixed;
  return row[begin];
}

std::int32_t clumps_without_ties(std::int32_t n, MicWorkspace& ws) {
  const std::uint16_t* row = ws.row.data();
  std::int32_t* clump_of = ws.clump_of.data();
  std::int32_t* starts = ws.clump_starts.data();
  std::int32_t clump = 0, previous = row[0];
  starts[0] = 0;
  for (std::int32_t k = 0; k < n; ++k) {
    clump += row[k] != previous;
    previous = row[k];
    clump_of[k] = clump;
    starts[clump + 1] = k + 1;  // overwritten until the clump ends: no branch
  }
  return clump + 1;
}

std::int32_t clumps_with_ties(const MicVariable& columns, MicWorkspace& ws) {
  std::int32_t clumps = 0, previous = mixed;
  for (std::size_t g = 0; g + 1 < columns.group_starts.size(); ++g) {
    const std::int32_t begin = columns.group_starts[g], end = columns.group_starts[g + 1];
    const std::int32_t row = row_of_group(ws.row.data(), begin, end);
    if (row == mixed || row != previous) ws.clump_starts[clumps++] = begin;
    previous = row;
    std::fill(&ws.clump_of[begin], &ws.clump_of[begin] + (end - begin), clumps - 1);
  }
  ws.clump_starts[clumps] = columns.n;
  return clumps;
}

// Equipartition of the clumps by a walk without branches, for few clumps per bin.
std::int32_t merge_few(std::int32_t n, std::int32_t clumps, std::int32_t bins, MicWorkspace& ws) {
  const std::int32_t* starts = ws.clump_starts.data();
  std::int32_t* bounds = ws.bounds.data();
  std::int32_t* piece_of = ws.piece_of.data();
  std::int64_t twice_begin = 0, bins_left = bins;
  std::int32_t found = 0;
  bounds[0] = piece_of[0] = 0;
  for (std::int32_t i = 1; i < clumps; ++i) {
    const std::int64_t reach = starts[i] + starts[i + 1] - twice_begin;
    const bool is_new = reach * bins_left >= 2 * std::int64_t(n) - twice_begin;
    twice_begin = is_new ? 2 * std::int64_t(starts[i]) : twice_begin;
    bins_left -= is_new;
    found += is_new;
    bounds[found] = std::int32_t(twice_begin / 2);
    piece_of[i] = found;
  }
  bounds[++found] = n;
  return found;
}

// Leaves the superclumps' bounds, and in piece_of the superclump of every clump.
std::int32_t merge_clumps(std::int32_t n, std::int32_t clumps, std::int32_t bins, MicWorkspace& ws) {
  if (clumps < 6 * std::int64_t(bins)) return merge_few(n, clumps, bins, ws);
  const std::int32_t found =
      equipartition(n, bins, ws.clump_of.data(), ws.clump_starts.data(), clumps, ws.bounds.data());
  for (std::int32_t piece = 0; piece < found; ++piece) {
    const std::int32_t first = ws.clump_of[ws.bounds[piece]];
    const std::int32_t end = ws.clump_of[ws.bounds[piece + 1] - 1] + 1;
    std::fill(&ws.piece_of[first], &ws.piece_of[first] + (end - first), piece);
  }
  return found;
}

// How the rows of a partition are spread over look-ups.
struct Layout {
  bool paired;       // two rows per look-up
  bool only_last;    // two rows and their total in the last look-up
  bool odd_in_last;  // an odd row shares the last look-up with the total
  std::int32_t lookups;
};

Layout layout_of(const MicPartition& part, std::int32_t n) {
  const bool paired = part.largest_row < MicTables::stride;
  const bool only_last = paired && part.rows == 2;
  const bool odd_in_last = paired && part.rows % 2 && n < MicTables::total_stride;
  const std::int32_t lookups = only_last ? 0 : !paired ? part.rows : (part.rows + (odd_in_last ? 0 : 1)) / 2;
  return {paired, only_last, odd_in_last, lookups};
}

// What one point of a row adds to which running index; the last look-up's come behind the others.
void steps_of_rows(const Layout& layout, const MicPartition& part, MicWorkspace& ws) {
  const std::int32_t size = ws.boundaries;
  grow(ws.slot, part.rows);
  grow(ws.step, part.rows);
  for (std::int32_t row = 0; row < part.rows; ++row) {
    const bool is_odd = part.rows % 2 && row == part.rows - 1;
    ws.slot[row] = (layout.paired ? row / 2 : row) * size;
    ws.step[row] = !layout.paired || row % 2 || is_odd ? 1 : MicTables::stride;
    if (is_odd && layout.odd_in_last) ws.step[row] = MicTables::total_stride;
    if (layout.only_last || (is_odd && layout.odd_in_last)) ws.slot[row] = layout.lookups * size;
  }
}

// Running indices at every boundary, the last look-up's behind the others.
void index_boundaries(const Layout& layout, std::int32_t n, bool merged, MicWorkspace& ws) {
  const std::int32_t size = ws.boundaries, blocks = layout.lookups + 1;
  grow(ws.index, std::size_t(size) * blocks);
  std::int32_t* index = ws.index.data();
  std::fill_n(index, std::size_t(size) * blocks, 0);
  if (merged)
    for (std::int32_t k = 0; k < n; ++k)
      index[ws.slot[ws.row[k]] + ws.piece_of[ws.clump_of[k]] + 1] += ws.step[ws.row[k]];
  else
    for (std::int32_t k = 0; k < n; ++k) index[ws.slot[ws.row[k]] + ws.clump_of[k] + 1] += ws.step[ws.row[k]];
  for (std::int32_t j = 0; j < blocks; ++j, index += size)
    for (std::int32_t t = 1; t < size; ++t) index[t] += index[t - 1];
  index -= size;
  if (!layout.only_last)
    for (std::int32_t t = 0; t < size; ++t) index[t] += ws.bounds[t];
}

void require_same_shape(const MicVariable& x, const MicVariable& y) {
  if (x.n != y.n) throw std::invalid_argument("MIC needs two variables of the same length.");
  if (x.settings.exponent != y.settings.exponent || x.settings.clumps != y.settings.clumps ||
      x.settings.kind != y.settings.kind)
    throw std::invalid_argument("MIC needs two variables prepared with the same settings.");
}

void expand_labels(const MicVariable& variable, std::vector<std::uint16_t>& labels) {
  const std::size_t n = variable.n;
  labels.resize(std::max(labels.size(), n * variable.partitions.size()));
  std::uint16_t* out = labels.data();
  for (const MicPartition& part : variable.partitions) {
    const std::int32_t* cuts = &variable.cuts[part.first_cut];
    for (std::int32_t r = 0; r < part.rows; ++r)
      out = std::fill_n(out, cuts[r + 1] - cuts[r], std::uint16_t(r));
  }
}

}  // namespace

void mic_start(const MicVariable& x, const MicVariable& y, MicWorkspace& ws) {
  require_same_shape(x, y);
  expand_labels(x, ws.labels_x);
  expand_labels(y, ws.labels_y);
}

void pair_positions(const MicVariable& x, const MicVariable& y, const std::int32_t* permutation,
                    MicWorkspace& ws) {
  const std::int32_t n = x.n;
  ws.y_at_x.resize(n);
  ws.x_at_y.resize(n);
  for (std::int32_t k = 0; k < n; ++k) {
    const std::int32_t observation = x.order[k];
    const std::int32_t at = y.position[permutation ? permutation[observation] : observation];
    ws.y_at_x[k] = at;
    ws.x_at_y[at] = k;
  }
}

std::int32_t find_clumps(const MicDirection& direction, std::size_t partition, MicWorkspace& ws) {
  const std::int32_t n = direction.rows.n;
  const std::uint16_t* labels = direction.labels + partition * std::size_t(n);
  ws.row.resize(n);
  ws.clump_of.resize(n);
  ws.clump_starts.resize(n + 1);
  ws.piece_of.resize(n);
  ws.bounds.resize(n + 1 + search_padding);
  for (std::int32_t k = 0; k < n; ++k) ws.row[k] = labels[direction.row_position[k]];
  const std::int32_t clumps =
      direction.columns.has_ties() ? clumps_with_ties(direction.columns, ws) : clumps_without_ties(n, ws);
  direction.clumps_found[partition] = clumps;
  const std::int32_t allowed = direction.rows.partitions[partition].superclumps;
  if (clumps > allowed) return merge_clumps(n, clumps, allowed, ws);
  std::copy_n(ws.clump_starts.begin(), clumps + 1, ws.bounds.begin());
  return clumps;
}

MicSearch make_search(const MicDirection& direction, std::size_t partition, std::int32_t clumps,
                      MicWorkspace& ws) {
  const std::int32_t n = direction.rows.n;
  const MicPartition& part = direction.rows.partitions[partition];
  const MicTables& tables = mic_tables(n);
  const Layout layout = layout_of(part, n);
  ws.boundaries = clumps + 1 + search_padding;
  std::fill_n(&ws.bounds[clumps + 1], search_padding, n);
  steps_of_rows(layout, part, ws);
  index_boundaries(layout, n, clumps < direction.clumps_found[partition], ws);
  MicSearch search;
  search.stride = search_stride(part.columns);
  grow(ws.levels, std::size_t(ws.boundaries) * search.stride);
  grow(ws.w, std::size_t(ws.boundaries) * 4);
  grow(ws.open, ws.boundaries);
  search.clumps = clumps;
  search.columns = part.columns;
  search.lookups = layout.lookups;
  search.boundaries = ws.boundaries;
  search.index = ws.index.data();
  search.last = ws.index.data() + std::size_t(ws.boundaries) * layout.lookups;
  search.table = layout.paired ? tables.pair.data() : tables.single.data();
  search.last_table = layout.only_last     ? tables.two_rows.data()
                      : layout.odd_in_last ? tables.odd_row.data()
                                           : tables.negative.data();
  search.levels = ws.levels.data();
  search.w = ws.w.data();
  search.open = ws.open.data();
  return search;
}

}  // namespace bychance
