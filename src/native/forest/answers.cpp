// The answers of trees for many new rows: blocks of rows go down one tree after the other.
#include <algorithm>
#include <cmath>
#include <limits>

#include "forest/short_tree.hpp"
#include "forest/tree.hpp"
#include "forest/walk.hpp"

namespace bychance {
namespace {

// A block of rows with the positions of ordered categories in place of their numbers, as numbers; NaN where
// they are missing or unseen. Rows with an unseen category are listed: they may end before a leaf.
class OrderedRows {
 public:
  explicit OrderedRows(const FeatureRows& rows) : rows_(rows) {}

  void take(const ShortTree& way, std::size_t start, std::size_t end) {
    start_ = start;
    unseen_.clear();
    const std::size_t n = rows_.n_columns();
    cells_.resize((end - start) * n);
    Cell* out = cells_.data();
    for (std::size_t row = start; row < end; ++row, out += n) {
      const Cell* in = rows_.at(row).cells;
      std::copy_n(in, n, out);
      bool is_unseen = false;
      for (const OrderedColumn& ordered : way.ordered_columns()) {
        const std::int32_t category = in[ordered.column].category;
        is_unseen |= category == kUnseen;
        out[ordered.column].rounded = way.position(ordered, category);
      }
      if (is_unseen) unseen_.push_back(row);
    }
  }
  const std::vector<std::size_t>& unseen() const { return unseen_; }
  CellsOfRow<FeatureRows::Exact> at(std::size_t row) const {
    return {cells_.data() + (row - start_) * rows_.n_columns(), {&rows_, row}};
  }

 private:
  const FeatureRows& rows_;
  std::vector<Cell> cells_;
  std::vector<std::size_t> unseen_;
  std::size_t start_ = 0;
};

template <class Rows>
void add_few(const Tree& tree, const Rows& rows, std::size_t n, double* out, Watch& watch) {
  const std::size_t n_outputs = tree.n_outputs();
  visit_ends(tree, rows, n, itself, watch, [&](std::size_t row, std::size_t node) {
    add_answer(tree, tree.answers, node, out + row * n_outputs);
  });
}

template <class Rows>
void find_ends(const ShortTree& way, const Rows& rows, std::size_t start, std::vector<std::uint32_t>& ends,
               Watch& watch) {
  const auto row_of = [start](std::size_t k) { return start + k; };
  const auto visit = [&ends](std::size_t k, std::size_t node) { ends[k] = static_cast<std::uint32_t>(node); };
  if (way.has_categories()) {
    walk<true>(way, rows, ends.size(), row_of, watch, visit);
  } else {
    walk<false>(way, rows, ends.size(), row_of, watch, visit);
  }
}

// Blocks of rows are at hand while they go down all of these trees.
void add_many(const ShortTree* first, const ShortTree* last, const FeatureRows& rows, double* out,
              Watch& watch) {
  constexpr std::size_t kBlockCells = 16384, kLeastRows = 128;
  const std::size_t n_outputs = first->tree().n_outputs();
  const std::size_t n_block = std::max(kLeastRows, kBlockCells / rows.n_columns());
  OrderedRows ordered(rows);
  std::vector<std::uint32_t> ends;
  for (std::size_t start = 0; start < rows.n_rows; start += n_block) {
    ends.resize(std::min(n_block, rows.n_rows - start));
    for (const ShortTree* way = first; way != last; ++way) {
      if (way->ordered_columns().empty()) {
        find_ends(*way, rows, start, ends, watch);
      } else {
        ordered.take(*way, start, start + ends.size());
        find_ends(*way, ordered, start, ends, watch);
        for (const std::size_t row : ordered.unseen()) ends[row - start] = way->end_of(rows.at(row));
      }
      way->add_answers(ends, out + start * n_outputs);
    }
  }
}

// Whether it takes less time to shorten the trees than is won.
bool are_many(const FeatureRows& rows, const std::vector<const Tree*>& trees) {
  std::size_t n_nodes = 0;
  for (const Tree* tree : trees) n_nodes += tree->n_nodes();
  return rows.n_rows > 0 && rows.n_rows * trees.size() >= n_nodes / 4;
}

}  // namespace

void add_answers(const std::vector<const Tree*>& trees, const FeatureTable& rows, double* out, Watch& watch) {
  for (const Tree* tree : trees) add_few(*tree, TrainingRows{rows}, rows.n_rows, out, watch);
}

void add_answers(const std::vector<const Tree*>& trees, const FeatureRows& rows, double* out, Watch& watch) {
  constexpr std::size_t kBytesAtHand = 1 << 19;
  if (!are_many(rows, trees)) {
    for (const Tree* tree : trees) add_few(*tree, rows, rows.n_rows, out, watch);
    return;
  }
  std::vector<ShortTree> ways(trees.size());
  for (std::size_t k = 0; k < trees.size();) {
    std::size_t n_ways = 0;
    for (std::size_t n_bytes = 0; k < trees.size() && n_bytes < kBytesAtHand; ++k) {
      ways[n_ways].take(*trees[k]);
      n_bytes += ways[n_ways++].n_bytes();
    }
    add_many(ways.data(), ways.data() + n_ways, rows, out, watch);
  }
}

}  // namespace bychance
