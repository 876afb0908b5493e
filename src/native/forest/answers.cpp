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
  OrderedRows(const ShortTree& way, const FeatureRows& rows, std::size_t n_most)
      : rows_(rows), columns_(way.ordered_columns()), cells_(n_most * rows.n_columns()) {
    const Tree& tree = way.tree();
    for (const std::uint32_t column : columns_) {
      positions_.insert(positions_.end(), kBefore, std::numeric_limits<float>::quiet_NaN());
      starts_.push_back(static_cast<std::int64_t>(positions_.size()));
      const auto begin = tree.positions.begin();
      positions_.insert(positions_.end(), begin + tree.order_start[column],
                        begin + tree.order_start[column + 1]);
    }
  }

  void take(std::size_t start, std::size_t end) {
    start_ = start;
    unseen_.clear();
    const std::size_t n = rows_.n_columns();
    Cell* out = cells_.data();
    for (std::size_t row = start; row < end; ++row, out += n) {
      const Cell* in = rows_.at(row).cells;
      std::copy_n(in, n, out);
      bool is_unseen = false;
      for (std::size_t k = 0; k < columns_.size(); ++k) {
        const std::int32_t category = in[columns_[k]].category;
        is_unseen |= category == kUnseen;
        out[columns_[k]].rounded = positions_[static_cast<std::size_t>(starts_[k] + category)];
      }
      if (is_unseen) unseen_.push_back(row);
    }
  }
  const std::vector<std::size_t>& unseen() const { return unseen_; }
  CellsOfRow<FeatureRows::Exact> at(std::size_t row) const {
    return {cells_.data() + (row - start_) * rows_.n_columns(), {&rows_, row}};
  }

 private:
  static constexpr std::size_t kBefore = 2;  // the categories below 0: unseen and missing

  const FeatureRows& rows_;
  const std::vector<std::uint32_t>& columns_;
  std::vector<Cell> cells_;
  std::vector<float> positions_;
  std::vector<std::int64_t> starts_;
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

// In blocks that are at hand while they go down.
void add_many(const ShortTree& way, const FeatureRows& rows, double* out, Watch& watch) {
  constexpr std::size_t kBlockCells = 16384, kLeastRows = 128;
  const std::size_t n_outputs = way.tree().n_outputs();
  const std::size_t n_block = std::min(rows.n_rows, std::max(kLeastRows, kBlockCells / rows.n_columns()));
  const bool has_order = !way.ordered_columns().empty();
  OrderedRows block(way, rows, has_order ? n_block : 0);
  std::vector<std::uint32_t> ends;
  for (std::size_t start = 0; start < rows.n_rows; start += n_block) {
    ends.resize(std::min(n_block, rows.n_rows - start));
    if (has_order) {
      block.take(start, start + ends.size());
      find_ends(way, block, start, ends, watch);
    } else {
      find_ends(way, rows, start, ends, watch);
    }
    for (const std::size_t row : block.unseen()) ends[row - start] = way.end_of(rows.at(row));
    way.add_answers(ends, out + start * n_outputs);
  }
}

}  // namespace

void add_answers(const std::vector<const Tree*>& trees, const FeatureTable& rows, double* out, Watch& watch) {
  for (const Tree* tree : trees) add_few(*tree, TrainingRows{rows}, rows.n_rows, out, watch);
}

void add_answers(const std::vector<const Tree*>& trees, const FeatureRows& rows, double* out, Watch& watch) {
  ShortTree way;
  for (const Tree* tree : trees) {
    // To shorten a tree takes as long as some rows on their way down.
    if (rows.n_rows < tree->n_nodes() / 4) {
      add_few(*tree, rows, rows.n_rows, out, watch);
    } else {
      way.take(*tree);
      add_many(way, rows, out, watch);
    }
  }
}

}  // namespace bychance
