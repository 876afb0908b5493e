// Columns are copied as keys, once for the rows of a tree.
#include "forest/columns.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

namespace bychance::forest {
namespace {

using Rows = std::vector<std::uint32_t>;
using Positions = std::vector<std::int32_t>;

Rows rows_to_grow_on(const SampledRows& sampled, const std::vector<double>& weights, bool is_once) {
  Rows rows = rows_of_role(sampled, kGrow);
  if (!is_once) {
    Rows repeated;
    for (const std::uint32_t row : rows) repeated.insert(repeated.end(), sampled.repetitions[row], row);
    rows = std::move(repeated);
  }
  if (!weights.empty()) {
    const auto is_weightless = [&weights](std::uint32_t row) { return weights[row] == 0; };
    rows.erase(std::remove_if(rows.begin(), rows.end(), is_weightless), rows.end());
  }
  if (rows.empty()) throw std::invalid_argument("the rows of a tree must have weight");
  return rows;
}

Positions positions_of(const FeatureColumn& column, const Target& target, const Rows& rows) {
  const std::uint32_t n_codes = column.n_codes;
  if (n_codes <= 2) return n_codes == 2 ? Positions{0, 1} : Positions(n_codes, 0);
  const std::size_t c = target.n_outputs();
  std::vector<double> weights(n_codes + 1, 0.0), sums((n_codes + 1) * c, 0.0);  // missing values last
  for (const std::uint32_t row : rows) {
    const std::uint32_t code = column.codes[row];
    if (target.is_of_numbers()) {
      weights[code] += target.weight(row);
      sums[code] += target.weight(row) * target.numbers[row];
    } else {
      sums[code * c + static_cast<std::size_t>(target.classes[row])] += target.weight(row);
    }
  }
  weights.resize(n_codes), sums.resize(n_codes * c);
  // Categories with equal class weights get equal sums, whatever the order of their rows.
  for (std::size_t k = 0; k < sums.size() && !target.is_of_numbers(); ++k) weights[k / c] += sums[k];
  return category_positions(weights, sums, c);
}

class Writer {
 public:
  Writer(TreeColumns& out, const Rows& rows) : out_(out), rows_(rows) {}

  // Codes are kept if `positions` is null.
  void add(const FeatureColumn& column, TreeColumn added, const std::int32_t* positions) {
    const std::uint64_t n_keys = (static_cast<std::uint64_t>(added.n_codes) + 1) << out_.label_bits;
    if (n_keys > 0xFFFFFFFFULL) throw std::length_error("too many distinct values times classes");
    added.has_missing = column.has_missing && !added.is_missingness;
    added.start = out_.keys.size();
    if (positions) {
      first_keys_.resize(column.n_codes + 1);
      for (std::uint32_t code = 0; code < column.n_codes; ++code) {
        first_keys_[code] = static_cast<std::uint32_t>(positions[code]) << out_.label_bits;
      }
      first_keys_.back() = (added.is_missingness ? 1 : added.n_codes) << out_.label_bits;
    }
    write(column.codes.data(), positions != nullptr);
    out_.columns.push_back(added);
  }

 private:
  void write(const std::uint32_t* codes, bool is_ordered) {
    out_.keys.resize(out_.keys.size() + rows_.size());
    std::uint32_t* keys = out_.keys.data() + out_.keys.size() - rows_.size();
    const std::uint32_t *rows = rows_.data(), *classes = out_.classes.data(), *first = first_keys_.data();
    const bool has_classes = out_.n_classes > 0;
    const unsigned bits = out_.label_bits;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const std::uint32_t code = codes[rows[k]], key = is_ordered ? first[code] : code << bits;
      keys[k] = has_classes ? key | classes[k] : key;
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

// The kind of split of a column, if any. One category per row has no information on other rows.
std::optional<SplitKind> kind_of(const FeatureColumn& column, CategoricalSplit categorical,
                                 std::size_t n_rows, bool has_order) {
  if (!column.is_categorical) return SplitKind::threshold;
  if (categorical == CategoricalSplit::multiway) return SplitKind::multiway;
  if (column.n_codes == n_rows && n_rows > 2) return std::nullopt;
  return has_order || column.n_codes <= 2 ? SplitKind::ordered : SplitKind::multiway;
}

template <class T>
void gather(const T* from, const std::uint32_t* rows, std::size_t n, T* to) {
  for (std::size_t k = 0; k < n; ++k) to[k] = from[rows[k]];
}

template <class T>
void gather_all(const std::vector<T>& from, const std::uint32_t* rows, std::size_t n, std::vector<T>& to) {
  to.resize(from.empty() ? 0 : n);
  if (!from.empty()) gather(from.data(), rows, n, to.data());
}

}  // namespace

TreeColumns tree_columns(const FeatureTable& table, const Target& target, const SampledRows& sampled,
                         CategoricalSplit categorical, const RowRules& row_rules, Watch& watch) {
  const bool is_once = sampled.repetitions.empty() || row_rules.is_once;
  const Rows grow = rows_to_grow_on(sampled, target.weights, is_once);
  const Rows order = rows_of_role(sampled, kOrder);
  TreeColumns out;
  out.n_rows = grow.size();
  out.n_classes = target.n_classes;
  out.source = grow;
  while ((std::size_t{1} << out.label_bits) < target.n_classes) ++out.label_bits;
  for (const std::uint32_t row : grow) {
    if (target.is_of_numbers()) {
      out.numbers.push_back(target.numbers[row]);
    } else {
      out.classes.push_back(static_cast<std::uint32_t>(target.classes[row]));
    }
    if (!target.weights.empty()) out.weights.push_back(target.weights[row]);
    if (is_once && !sampled.repetitions.empty()) out.copies.push_back(sampled.repetitions[row]);
  }
  out.keys.reserve(grow.size() * table.columns.size());
  Writer writer(out, grow);
  out.order_start.push_back(0);
  for (std::size_t f = 0; f < table.columns.size(); ++f) {
    const FeatureColumn& column = table.columns[f];
    Positions positions;
    out.first_column.push_back(out.columns.size());
    const std::optional<SplitKind> kind = kind_of(column, categorical, table.n_rows, !order.empty());
    const bool has_missingness = row_rules.splits_by_missing && column.has_missing && kind;
    if (kind) {
      TreeColumn added{static_cast<std::int32_t>(f), *kind, false, column.n_codes, 0};
      added.has_missingness = has_missingness;
      if (kind == SplitKind::threshold) added.values = &column.values;
      if (kind == SplitKind::ordered) {
        positions = positions_of(column, target, order);
        added.n_codes = n_positions(positions);
      }
      writer.add(column, added, kind == SplitKind::ordered ? positions.data() : nullptr);
      watch.done(grow.size());
    }
    if (has_missingness) {
      const SplitKind kind_of_missing = column.is_categorical ? SplitKind::ordered : SplitKind::threshold;
      TreeColumn added{static_cast<std::int32_t>(f), kind_of_missing, false, 2, 0};
      added.is_missingness = added.has_missingness = true;
      writer.add(column, added, Positions(column.n_codes, 0).data());
      watch.done(grow.size());
    }
    out.positions.insert(out.positions.end(), positions.begin(), positions.end());
    out.order_start.push_back(static_cast<std::int32_t>(out.positions.size()));
  }
  out.first_column.push_back(out.columns.size());
  return out;
}

void take_rows(const TreeColumns& from, const std::uint32_t* rows, std::size_t n, TreeColumns& to) {
  to.n_rows = n;
  to.n_classes = from.n_classes;
  to.label_bits = from.label_bits;
  to.columns = from.columns;
  to.first_column = from.first_column;
  gather_all(from.classes, rows, n, to.classes);
  gather_all(from.numbers, rows, n, to.numbers);
  gather_all(from.weights, rows, n, to.weights);
  to.keys.resize(to.columns.size() * n);
  for (std::size_t c = 0; c < to.columns.size(); ++c) {
    to.columns[c].start = c * n;
    gather(from.keys_of(from.columns[c]), rows, n, to.keys.data() + c * n);
  }
}

}  // namespace bychance::forest
