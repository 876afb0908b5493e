// The rows a tree is grown on, column by column, as keys (code << class_bits) | class: one number to count,
// to sort and to part rows by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forest_sample.hpp"
#include "forest_table.hpp"
#include "forest_tree.hpp"

namespace bychance {

enum class CategoricalSplit { multiway, ordered, both };

struct CategoricalRules {
  CategoricalSplit split = CategoricalSplit::ordered;
  std::uint32_t few_categories = 0;  // columns of more than two and up to so many have a split of their own
  SplitKind few_split = SplitKind::single;
  std::size_t order_rows = 0;                    // a category: where there are fewer to order by,
  std::uint32_t single_from = 1, single_to = 0;  // so many are split singly, others multiway
};

// One way to split a feature. Missing values have the code n_codes.
struct TreeColumn {
  std::int32_t feature;
  SplitKind kind;
  bool is_wide;
  bool has_missing;
  std::uint32_t n_codes;
  std::size_t start;
};

struct TreeColumns {
  std::size_t n_rows = 0;
  std::size_t n_classes = 0;
  unsigned class_bits = 0;
  std::vector<TreeColumn> columns;        // by feature
  std::vector<std::size_t> first_column;  // per feature, and the end
  std::vector<std::uint16_t> narrow;      // keys of columns that fit
  std::vector<std::uint32_t> wide;        // keys of the others
  std::vector<std::uint32_t> classes;     // per row
  std::vector<double> weights;            // per row; empty: all one
  std::vector<std::uint32_t> copies;      // per row: how often it was drawn; empty: once
  std::vector<std::int32_t> order_start;  // as in Tree
  std::vector<std::int32_t> positions;    // as in Tree

  std::uint32_t class_mask() const { return (1u << class_bits) - 1; }
};

struct Target {
  const std::int32_t* y;
  std::size_t n_classes;
  const double* weights;  // may be null
};

// Throws std::length_error where codes times classes pass 32 bits, std::invalid_argument where no row of the
// sample has weight.
TreeColumns tree_columns(const FeatureTable& table, const Target& labels, const SampledRows& sampled,
                         const CategoricalRules& rules);

}  // namespace bychance
