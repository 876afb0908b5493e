// Training rows of one tree, column by column, as keys (code << label_bits) | class: one number to count,
// sort and split rows by. For a target of numbers a key is a code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forest/tree.hpp"

namespace bychance::forest {

// Without rows to order them, columns of three categories or more are split multiway.
enum class CategoricalSplit { multiway, ordered };

// One way to split a feature. Missing values have the code n_codes.
struct TreeColumn {
  std::int32_t feature;
  SplitKind kind;
  bool has_missing;
  std::uint32_t n_codes;
  std::size_t start;
  const std::vector<double>* values = nullptr;  // by code; null for ordered categories
  bool is_missingness = false;                  // a column of missing values, with two codes
  bool has_missingness = false;                 // true if the feature also has such a column
};

struct TreeColumns {
  std::size_t n_rows = 0;
  std::size_t n_classes = 0;  // 0: numbers
  unsigned label_bits = 0;
  std::vector<TreeColumn> columns;        // by feature
  std::vector<std::size_t> first_column;  // per feature, and the end
  std::vector<std::uint32_t> keys;        // of column after column
  std::vector<std::uint32_t> source;      // per row of a tree: its number in the table
  std::vector<std::uint32_t> classes;     // per row; empty for a target of numbers
  std::vector<double> numbers;            // per row; empty for a target of classes
  std::vector<double> weights;            // per row; empty: all one
  std::vector<std::uint32_t> copies;      // per row: number of times it was drawn; empty: all once
  std::vector<std::int32_t> order_start;  // as in Tree
  std::vector<std::int32_t> positions;    // as in Tree

  std::uint32_t label_mask() const { return (1u << label_bits) - 1; }
  double weight(std::size_t row) const { return weights.empty() ? 1 : weights[row]; }
  const std::uint32_t* keys_of(const TreeColumn& column) const { return keys.data() + column.start; }
};

// Position of each category, from the weight and the sums of answers of its rows: n_outputs class weights, or
// a sum of numbers. Numbers are ordered by their mean, two classes by the share of the second, more classes
// by the first principal component of the shares. Each category counts one additional row with the overall
// mean, which is that of a category without rows. Categories with equal means share a position. Positions are
// 0, 1, … without gaps. Defined in order.cpp.
std::vector<std::int32_t> category_positions(const std::vector<double>& weights,
                                             const std::vector<double>& sums, std::size_t n_outputs);

// Copies some of the rows, in this order, into a smaller table, without the order of categories.
void take_rows(const TreeColumns& from, const std::uint32_t* rows, std::size_t n, TreeColumns& to);

struct RowRules {
  // True if features with missing values have a last column of them, with code 0 for rows with a value.
  bool splits_by_missing = false;
  bool is_once = false;  // rows that were drawn several times are listed once, with `copies`
};

// Throws std::length_error if codes times classes exceed 32 bits, std::invalid_argument if no row of the
// sample has weight.
TreeColumns tree_columns(const FeatureTable& table, const Target& target, const SampledRows& sampled,
                         CategoricalSplit categorical, const RowRules& row_rules, Watch& watch);

}  // namespace bychance::forest
