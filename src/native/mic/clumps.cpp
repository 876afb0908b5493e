// Clumps: which runs along the column axis a search may cut, and what each holds of every row.
#include <algorithm>
#include <limits>
#include <stdexcept>

#include "mic/parts.hpp"

namespace bychance {

namespace {

template <class T>
void grow(std::vector<T>& values, std::size_t size) {
  if (values.size() < size) values.resize(size);
}

// The row of every position along the columns, and how often it changed so far.
void lay_rows(const MicDirection& direction, const std::uint16_t* labels, MicWorkspace& ws) {
  const std::int32_t n = direction.rows.n;
  const std::int32_t* position = direction.row_position;
  std::uint16_t* rows = ws.row.data();
  std::int32_t* changes = ws.changes.data();
  std::int32_t changed = 0;
  std::uint16_t previous = labels[position[0]];
  for (std::int32_t k = 0; k < n; ++k) {
    const std::uint16_t row = labels[position[k]];
    changed += row != previous;
    previous = row;
    rows[k] = row;
    changes[k] = changed;
  }
}

std::int32_t clumps_without_ties(std::int32_t n, MicWorkspace& ws) {
  const std::int32_t* changes = ws.changes.data();
  std::int32_t* starts = ws.clump_starts.data();
  starts[0] = 0;
  for (std::int32_t k = 0; k < n; ++k) starts[changes[k] + 1] = k + 1;  // overwritten until the clump ends
  return changes[n - 1] + 1;
}

// A tie group joins the clump before it if neither holds more than one row, and both the same one. No
// branch: on permuted rows none could be foretold.
std::int32_t clumps_with_ties(const MicVariable& columns, MicWorkspace& ws) {
  const std::int32_t* changes = ws.changes.data();
  const std::int32_t* groups = columns.group_starts.data();
  const std::size_t n_groups = columns.group_starts.size() - 1;
  std::int32_t* starts = ws.clump_starts.data();
  std::int32_t clumps = 0, before = -1;
  bool was_mixed = true;
  for (std::size_t g = 0; g < n_groups; ++g) {
    const std::int32_t first = changes[groups[g]], last = changes[groups[g + 1] - 1];
    const bool is_mixed = first != last;
    starts[clumps] = groups[g];
    clumps += is_mixed | was_mixed | (first != before);
    was_mixed = is_mixed;
    before = last;
  }
  starts[clumps] = columns.n;
  return clumps;
}

// Equipartition of the clumps by a walk without branches, for few clumps per bin.
std::int32_t merge_few(std::int32_t n, std::int32_t clumps, std::int32_t bins, MicWorkspace& ws) {
  const std::int32_t* starts = ws.clump_starts.data();
  std::int32_t* bounds = ws.bounds.data();
  std::int64_t twice_begin = 0, bins_left = bins;
  std::int32_t found = 0;
  bounds[0] = 0;
  for (std::int32_t i = 1; i < clumps; ++i) {
    const std::int64_t reach = starts[i] + starts[i + 1] - twice_begin;
    const std::int64_t missing = 2 * std::int64_t(n) - twice_begin - reach * bins_left;
    const std::int64_t is_new = missing <= 0;
    twice_begin += -is_new & (2 * std::int64_t(starts[i]) - twice_begin);
    bins_left -= is_new;
    found += std::int32_t(is_new);
    bounds[found] = std::int32_t(twice_begin / 2);
  }
  bounds[++found] = n;
  return found;
}

// Leaves the superclumps' bounds.
std::int32_t merge_clumps(std::int32_t n, std::int32_t clumps, std::int32_t bins, MicWorkspace& ws) {
  if (clumps < 6 * std::int64_t(bins)) return merge_few(n, clumps, bins, ws);
  const std::int32_t* starts = ws.clump_starts.data();
  std::int32_t* clump_of = ws.changes.data();
  for (std::int32_t i = 0; i < clumps; ++i) std::fill(clump_of + starts[i], clump_of + starts[i + 1], i);
  return equipartition(n, bins, clump_of, starts, clumps, ws.bounds.data());
}

// The look-ups over which the rows of a partition are spread.
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

// Look-ups are counted together, in lanes of one word: no lane overflows, since an index into a table of two
// counts is below 2^15 and every other one at most n.
int lanes_of(std::int32_t n) { return n < 1 << 16 ? 4 : 2; }

// The step of one point of a row in the word that holds the lane of its look-up, [word][row].
void steps_of_rows(const Layout& layout, const MicPartition& part, int lanes, MicWorkspace& ws) {
  const std::int32_t words = layout.lookups / lanes + 1;
  ws.step.assign(std::size_t(words) * part.rows, 0);
  for (std::int32_t row = 0; row < part.rows; ++row) {
    const bool is_odd = part.rows % 2 && row == part.rows - 1;
    const bool is_last = layout.only_last || (is_odd && layout.odd_in_last);
    const std::int32_t lookup = is_last ? layout.lookups : layout.paired ? row / 2 : row;
    std::uint64_t step = !layout.paired || row % 2 || is_odd ? 1 : MicTables::stride;
    if (is_odd && layout.odd_in_last) step = MicTables::total_stride;
    ws.step[std::size_t(lookup / lanes) * part.rows + row] = step << lookup % lanes * (64 / lanes);
  }
}

// The counts of one word of look-ups at every boundary.
void count_to_boundaries(std::int32_t n, const std::uint64_t* step, MicWorkspace& ws) {
  const std::uint16_t* row = ws.row.data();
  std::uint64_t* counts = ws.counts.data();
  std::uint64_t count = 0;
  for (std::int32_t k = 0; k < n; ++k) {
    counts[k] = count;
    count += step[row[k]];
  }
  counts[n] = count;
  std::uint64_t* at_bounds = ws.at_bounds.data();
  for (std::int32_t t = 0; t < ws.boundaries; ++t) at_bounds[t] = counts[ws.bounds[t]];
}

// Running indices at every boundary, the last look-up's behind the others.
void index_boundaries(const Layout& layout, const MicPartition& part, std::int32_t n, MicWorkspace& ws) {
  const std::int32_t size = ws.boundaries, blocks = layout.lookups + 1;
  const int lanes = lanes_of(n), bits = 64 / lanes;
  const std::uint64_t mask = (std::uint64_t(1) << bits) - 1;
  grow(ws.index, std::size_t(size) * blocks);
  grow(ws.counts, std::size_t(n) + 1);
  grow(ws.at_bounds, size);
  steps_of_rows(layout, part, lanes, ws);
  std::int32_t* index = ws.index.data();
  for (std::int32_t j = 0; j < blocks; ++j, index += size) {
    if (j % lanes == 0) count_to_boundaries(n, &ws.step[std::size_t(j / lanes) * part.rows], ws);
    const std::uint64_t* counts = ws.at_bounds.data();
    for (std::int32_t t = 0; t < size; ++t) index[t] = std::int32_t(counts[t] >> j % lanes * bits & mask);
  }
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

// The gain of the score as the next point of each row passes a cut between two columns; the points of a row
// stand together, at its cuts.
void expand_gains(const MicVariable& variable, std::vector<double>& gains) {
  const std::size_t n = variable.n;
  const double* g = mic_tables(variable.n).single.data();
  gains.resize(std::max(gains.size(), n * variable.partitions.size()));
  for (std::size_t i = 0; i < variable.partitions.size(); ++i) {
    const MicPartition& part = variable.partitions[i];
    if (part.columns != 2) continue;
    const std::int32_t* cuts = &variable.cuts[part.first_cut];
    double* out = &gains[i * n];
    for (std::int32_t r = 0; r < part.rows; ++r)
      for (std::int32_t left = 0, right = cuts[r + 1] - cuts[r]; right > 0; ++left, --right)
        *out++ = g[left + 1] - g[left] - (g[right] - g[right - 1]);
  }
}

// The part of the score that the sizes of both columns make, for a cut after each position; minus infinity
// within ties.
void expand_ends(const MicVariable& variable, std::vector<double>& ends) {
  const std::int32_t n = variable.n;
  const double* g = mic_tables(n).single.data();
  ends.assign(n, -std::numeric_limits<double>::infinity());
  for (std::size_t i = 1; i < variable.group_starts.size(); ++i) {
    const std::int32_t end = variable.group_starts[i];
    ends[end - 1] = -g[end] - g[n - end];
  }
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
  expand_gains(x, ws.gains_x);
  expand_gains(y, ws.gains_y);
  expand_ends(x, ws.ends_x);
  expand_ends(y, ws.ends_y);
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
  ws.row.resize(n);
  ws.changes.resize(n);
  ws.clump_starts.resize(n + 1);
  ws.bounds.resize(n + 1 + search_padding);
  lay_rows(direction, direction.labels + partition * std::size_t(n), ws);
  const std::int32_t clumps =
      direction.columns.has_ties() ? clumps_with_ties(direction.columns, ws) : clumps_without_ties(n, ws);
  direction.clumps_found[partition] = clumps;
  const std::int32_t allowed = direction.rows.partitions[partition].superclumps;
  if (clumps > allowed) return merge_clumps(n, clumps, allowed, ws);
  std::copy_n(ws.clump_starts.begin(), clumps + 1, ws.bounds.begin());
  return clumps;
}

double two_column_bound(const MicDirection& direction, std::size_t partition, MicWorkspace& ws) {
  const std::int32_t n = direction.rows.n;
  const MicPartition& part = direction.rows.partitions[partition];
  const std::uint16_t* labels = direction.labels + partition * std::size_t(n);
  const double* gains = direction.gains + partition * std::size_t(n);
  const std::int32_t* cuts = &direction.rows.cuts[part.first_cut];
  ws.next.assign(cuts, cuts + part.rows);
  std::int32_t* next = ws.next.data();
  double score = mic_tables(n).single[n] - part.entropy, best = -std::numeric_limits<double>::infinity();
  for (std::int32_t k = 0; k < n; ++k) {
    score += gains[next[labels[direction.row_position[k]]]++];
    best = std::max(best, score + direction.ends[k]);
  }
  return best;
}

MicSearch make_search(const MicDirection& direction, std::size_t partition, std::int32_t clumps,
                      MicWorkspace& ws) {
  const std::int32_t n = direction.rows.n;
  const MicPartition& part = direction.rows.partitions[partition];
  const MicTables& tables = mic_tables(n);
  const Layout layout = layout_of(part, n);
  ws.boundaries = clumps + 1 + search_padding;
  std::fill_n(&ws.bounds[clumps + 1], search_padding, n);
  index_boundaries(layout, part, n, ws);
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
