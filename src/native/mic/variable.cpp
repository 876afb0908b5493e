// Prepared variables: sorted order, tie groups and the equipartitions of every row count. And the tables of
// g(k) = k ln k that all searches read.
#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "core/column_order.hpp"
#include "mic/parts.hpp"

namespace bychance {

namespace {

// g(2^bits) < 2^(bits + log2(bits)) bounds every partial sum, so these bits never overflow 53.
double rounding_unit(int bits) {
  return std::ldexp(1.0, 52 - bits - int(std::ceil(std::log2(bits * 0.6932))));
}

std::unique_ptr<MicTables> build(int bits) {
  auto tables = std::make_unique<MicTables>();
  const double unit = rounding_unit(bits);
  tables->unit = 1 / unit;
  const std::int32_t size = (std::int32_t(1) << bits) + 1;
  tables->single.resize(size);
  for (std::int32_t k = 2; k < size; ++k)
    tables->single[k] = std::nearbyint(k * std::log(double(k)) * unit) / unit;
  const std::vector<double>& g = tables->single;
  for (double value : g) tables->negative.push_back(-value);
  for (std::int32_t a = 0; a < MicTables::stride; ++a)
    for (std::int32_t b = 0; b < MicTables::stride; ++b) {
      tables->pair.push_back(g[a] + g[b]);
      tables->two_rows.push_back(g[a] + g[b] - g[a + b]);
    }
  if (bits > 8) return tables;
  for (std::int32_t a = 0; a < MicTables::stride; ++a)
    for (std::int32_t total = 0; total < MicTables::total_stride; ++total)
      tables->odd_row.push_back(g[a] - g[total]);
  return tables;
}

double budget_of(std::size_t n, const MicSettings& settings) {
  return std::max(std::pow(double(n), settings.exponent), 4.0);
}

std::int32_t most_rows(double budget) { return std::max(std::int32_t(budget / 2), 2); }

std::int32_t most_columns(double budget, std::int32_t rows, MicKind kind) {
  const std::int32_t most = std::int32_t(budget / rows);
  return kind == MicKind::mic ? most : std::min(most, rows);
}

// The clumps allowed follow the budget even if MIC_e uses fewer columns than it grants.
std::int32_t most_clumps(double budget, std::int32_t rows, double clumps) {
  return std::int32_t(std::clamp(clumps * std::floor(budget / rows), 1.0, 1e9));
}

void check(std::size_t n, const MicSettings& settings) {
  if (n < 1) throw std::invalid_argument("MIC needs at least one value.");
  if (!(settings.exponent > 0 && settings.exponent <= 1))
    throw std::invalid_argument("`exponent` must lie in (0, 1].");
  if (!(settings.clumps > 0 && settings.clumps <= 1e6))
    throw std::invalid_argument("`clumps` must lie in (0, 1e6].");
  if (n > (std::size_t(1) << 30) || most_rows(budget_of(n, settings)) > 65535)
    throw std::length_error("MIC cannot hold that many rows.");
}

void sort_values(const double* values, MicVariable& v) {
  const std::vector<KeyedRow> keyed = ascending_rows(values, std::size_t(v.n));
  v.order.resize(v.n);
  v.position.resize(v.n);
  v.group_starts.reserve(v.n + 1);
  for (std::int32_t k = 0; k < v.n; ++k) {
    v.order[k] = keyed[k].row;
    v.position[keyed[k].row] = k;
    if (k == 0 || keyed[k].key != keyed[k - 1].key) v.group_starts.push_back(k);
  }
  v.group_starts.push_back(v.n);
}

std::vector<std::int32_t> groups_of_positions(const MicVariable& v) {
  std::vector<std::int32_t> group_of(v.n);
  for (std::size_t g = 0; g + 1 < v.group_starts.size(); ++g)
    std::fill(group_of.begin() + v.group_starts[g], group_of.begin() + v.group_starts[g + 1],
              std::int32_t(g));
  return group_of;
}

std::int32_t earlier_twin(const MicVariable& v, const MicPartition& part) {
  for (std::size_t i = v.partitions.size(); i-- > 0;) {
    const MicPartition& other = v.partitions[i];
    if (other.rows == part.rows && other.columns >= part.columns &&
        std::equal(&v.cuts[part.first_cut], &v.cuts[part.first_cut] + part.rows, &v.cuts[other.first_cut]))
      return std::int32_t(i);
    // Without ties every row count differs from the one before.
    if (!v.has_ties()) break;
  }
  return -1;
}

void partition_rows(MicVariable& v) {
  const std::vector<std::int32_t> group_of = groups_of_positions(v);
  const std::int32_t groups = std::int32_t(v.group_starts.size()) - 1;
  const std::int32_t last = most_rows(v.budget);
  const double* g = mic_tables(v.n).single.data();
  std::vector<std::int32_t> cuts(last + 1);
  for (std::int32_t asked = 2; asked <= last; ++asked) {
    MicPartition part{};
    part.rows_asked = asked;
    part.columns = most_columns(v.budget, asked, v.settings.kind);
    part.superclumps = most_clumps(v.budget, asked, v.settings.clumps);
    part.first_cut = v.cuts.size();
    part.entropy = g[v.n];
    part.rows = equipartition(v.n, asked, group_of.data(), v.group_starts.data(), groups, cuts.data());
    v.cuts.insert(v.cuts.end(), cuts.begin(), cuts.begin() + part.rows + 1);
    for (std::int32_t r = 0; r < part.rows; ++r) {
      part.largest_row = std::max(part.largest_row, cuts[r + 1] - cuts[r]);
      part.entropy -= g[cuts[r + 1] - cuts[r]];
    }
    part.same_as = earlier_twin(v, part);
    v.partitions.push_back(part);
  }
  v.scale.assign(last + 1, 0.0);
  for (std::int32_t k = 2; k <= last; ++k) v.scale[k] = v.n * std::log(double(k));
}

}  // namespace

const MicTables& mic_tables(std::int32_t n) {
  static std::once_flag built[32];
  static std::unique_ptr<const MicTables> tables[32];
  int bits = 8;
  while ((std::int32_t(1) << bits) < n) ++bits;
  std::call_once(built[bits], [&] { tables[bits] = build(bits); });
  return *tables[bits];
}

MicVariable::MicVariable(const double* values, std::size_t size, const MicSettings& given)
    : n(std::int32_t(size)), settings(given), budget(0) {
  check(size, given);
  budget = budget_of(size, given);
  sort_values(values, *this);
  partition_rows(*this);
}

// Positions take the place of the walk over groups in the definition: a bin that begins at
// `begin` ends before the first later group with start + end >= 2 begin + 2 left / bins_left,
// and that group holds the position at half this sum or comes right after.
std::int32_t equipartition(std::int32_t n, std::int32_t bins, const std::int32_t* group_of,
                           const std::int32_t* starts, std::int32_t groups, std::int32_t* cuts) {
  std::int32_t found = 0, begin = 0;
  cuts[0] = 0;
  for (std::uint32_t bins_left = bins; bins_left > 1; --bins_left) {
    const std::uint32_t left = 2u * std::uint32_t(n - begin);
    const std::uint32_t sum = 2u * begin + (left + bins_left - 1) / bins_left;
    if (sum / 2 >= std::uint32_t(n)) break;
    std::int32_t group = group_of[sum / 2];
    if (std::uint32_t(starts[group] + starts[group + 1]) < sum) ++group;
    group = std::max(group, group_of[begin] + 1);
    if (group >= groups) break;
    begin = starts[group];
    cuts[++found] = begin;
  }
  cuts[++found] = n;
  return found;
}

MicCost mic_cost(std::size_t n, const MicSettings& settings) {
  check(n, settings);
  const double budget = budget_of(n, settings);
  const double last = most_rows(budget);
  MicCost cost{0, 0, 0};
  double widest = 0;
  for (double rows = 2; rows <= last; ++rows) {
    const double columns = most_columns(budget, std::int32_t(rows), settings.kind);
    const double clumps = std::min<double>(n, most_clumps(budget, std::int32_t(rows), settings.clumps));
    cost.operations += 2 * (double(n) + clumps * (columns > 2 ? clumps / 2 : 2.0) * (rows + columns));
    widest = std::max(widest, clumps * (8 * columns + 4 * rows + 48));
  }
  cost.variable_bytes = 12.0 * double(n) + 2 * last * last + 56 * last;
  cost.workspace_bytes = 4.0 * last * double(n) + 48.0 * double(n) + 16 * last * last + widest;
  return cost;
}

}  // namespace bychance
