// Keys are packed and unpacked here; a column is copied for the rows of a tree once.
#include "forest/columns.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "forest/count.hpp"
#include "forest/order.hpp"

namespace bychance {
namespace {

using Rows = std::vector<std::uint32_t>;
using Positions = std::vector<std::int32_t>;

Rows rows_to_grow_on(const SampledRows& sampled, const double* weights) {
  Rows rows = rows_of_role(sampled, kGrow);
  if (!sampled.repetitions.empty()) {
    Rows repeated;
    for (const std::uint32_t row : rows) repeated.insert(repeated.end(), sampled.repetitions[row], row);
    rows = std::move(repeated);
  }
  if (weights) {
    const auto is_weightless = [weights](std::uint32_t row) { return weights[row] == 0; };
    rows.erase(std::remove_if(rows.begin(), rows.end(), is_weightless), rows.end());
  }
  if (rows.empty()) throw std::invalid_argument("the rows of a tree must have weight");
  return rows;
}

// Class weights by category on these rows.
template <class Code>
std::vector<double> cells_of(const Code* codes, std::uint32_t n_codes, const Target& target,
                             const Rows& rows) {
  const std::size_t c = target.n_classes, n_cells = n_codes * c;
  if (!target.weights) {
    std::vector<std::int32_t> counts(n_cells + c + kByteCells, 0);
    count_cells(rows.size(), n_cells + c, counts.data(), [&](std::size_t k) {
      return codes[rows[k]] * c + static_cast<std::size_t>(target.y[rows[k]]);
    });
    return {counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(n_cells)};
  }
  std::vector<double> cells(n_cells + c, 0.0);
  for (const std::uint32_t row : rows) {
    cells[codes[row] * c + static_cast<std::size_t>(target.y[row])] += target.weights[row];
  }
  cells.resize(n_cells);
  return cells;
}

Positions positions_of(const FeatureColumn& column, const Target& target, const Rows& rows) {
  if (column.n_codes <= 2) return column.n_codes == 2 ? Positions{0, 1} : Positions(column.n_codes, 0);
  const std::vector<double> cells = column.narrow.empty()
                                        ? cells_of(column.wide.data(), column.n_codes, target, rows)
                                        : cells_of(column.narrow.data(), column.n_codes, target, rows);
  return category_positions(cells, target.n_classes);
}

class Writer {
 public:
  Writer(TreeColumns& out, const Rows& rows) : out_(out), rows_(rows) {}

  // `positions` may be null: codes as they are.
  void add(const FeatureColumn& column, TreeColumn added, const std::int32_t* positions) {
    const std::uint64_t n_keys = (static_cast<std::uint64_t>(added.n_codes) + 1) << out_.class_bits;
    if (n_keys > 0xFFFFFFFFULL) throw std::length_error("too many distinct values times classes");
    added.is_wide = n_keys > 0x10000;
    added.has_missing = column.has_missing;
    added.start = added.is_wide ? out_.wide.size() : out_.narrow.size();
    if (positions) {
      first_keys_.resize(column.n_codes + 1);
      for (std::uint32_t code = 0; code < column.n_codes; ++code) {
        first_keys_[code] = static_cast<std::uint32_t>(positions[code]) << out_.class_bits;
      }
      first_keys_.back() = added.n_codes << out_.class_bits;
    }
    if (added.is_wide) {
      write(column, positions != nullptr, out_.wide);
    } else {
      write(column, positions != nullptr, out_.narrow);
    }
    out_.columns.push_back(added);
  }

 private:
  template <class Key>
  void write(const FeatureColumn& column, bool is_ordered, std::vector<Key>& keys) {
    const std::size_t start = keys.size();
    keys.resize(start + rows_.size());
    if (column.narrow.empty()) {
      write_keys(column.wide.data(), is_ordered, keys.data() + start);
    } else {
      write_keys(column.narrow.data(), is_ordered, keys.data() + start);
    }
  }

  template <class Code, class Key>
  void write_keys(const Code* codes, bool is_ordered, Key* keys) const {
    const std::uint32_t *rows = rows_.data(), *classes = out_.classes.data(), *first = first_keys_.data();
    const std::size_t n = rows_.size();
    const unsigned bits = out_.class_bits;
    if (is_ordered) {
      for (std::size_t k = 0; k < n; ++k) keys[k] = static_cast<Key>(first[codes[rows[k]]] | classes[k]);
    } else {
      for (std::size_t k = 0; k < n; ++k) {
        keys[k] = static_cast<Key>(static_cast<std::uint32_t>(codes[rows[k]]) << bits | classes[k]);
      }
    }
  }

  TreeColumns& out_;
  const Rows& rows_;
  std::vector<std::uint32_t> first_keys_;  // per category in order, and for missing values
};

std::uint32_t n_positions(const Positions& positions) {
  std::int32_t last = -1;
  for (const std::int32_t position : positions) last = position > last ? position : last;
  return static_cast<std::uint32_t>(last + 1);
}

// The ways to split a column.
std::vector<SplitKind> kinds_of(const FeatureColumn& column, const CategoricalRules& rules,
                                std::size_t n_rows, std::size_t n_order) {
  if (!column.is_categorical) return {SplitKind::threshold};
  if (column.n_codes == n_rows && n_rows > 2 && !rules.has_identifiers) return {};
  const bool has_order = n_order >= rules.order_rows * column.n_codes;
  for (const SplitUpTo& rule : has_order ? rules.with_order : rules.without_order) {
    if (column.n_codes > rule.n_categories) continue;
    if (rule.split == CategoricalSplit::both) return {SplitKind::ordered, SplitKind::multiway};
    return {rule.split == CategoricalSplit::ordered  ? SplitKind::ordered
            : rule.split == CategoricalSplit::single ? SplitKind::single
                                                     : SplitKind::multiway};
  }
  return {};
}

}  // namespace

TreeColumns tree_columns(const FeatureTable& table, const Target& target, const SampledRows& sampled,
                         const CategoricalRules& rules, Watch& watch) {
  const Rows grow = rows_to_grow_on(sampled, target.weights);
  const Rows order = rows_of_role(sampled, kOrder);
  TreeColumns out;
  out.n_rows = grow.size();
  out.n_classes = target.n_classes;
  while ((std::size_t{1} << out.class_bits) < target.n_classes) ++out.class_bits;
  out.classes.reserve(grow.size());
  for (const std::uint32_t row : grow) {
    out.classes.push_back(static_cast<std::uint32_t>(target.y[row]));
    if (target.weights) out.weights.push_back(target.weights[row]);
    if (!sampled.repetitions.empty()) out.copies.push_back(sampled.repetitions[row]);
  }
  out.narrow.reserve(grow.size() * table.columns.size());
  Writer writer(out, grow);
  out.order_start.push_back(0);
  for (std::size_t f = 0; f < table.columns.size(); ++f) {
    const FeatureColumn& column = table.columns[f];
    Positions positions;
    out.first_column.push_back(out.columns.size());
    for (const SplitKind kind : kinds_of(column, rules, table.n_rows, order.size())) {
      TreeColumn added{static_cast<std::int32_t>(f), kind, false, false, column.n_codes, 0};
      if (kind == SplitKind::ordered) {
        positions = positions_of(column, target, order.empty() ? grow : order);
        added.n_codes = n_positions(positions);
      }
      writer.add(column, added, kind == SplitKind::ordered ? positions.data() : nullptr);
      watch.done(grow.size());
    }
    out.positions.insert(out.positions.end(), positions.begin(), positions.end());
    out.order_start.push_back(static_cast<std::int32_t>(out.positions.size()));
  }
  out.first_column.push_back(out.columns.size());
  return out;
}

}  // namespace bychance
