// Input of a forest: training columns as small codes, a target, the roles of rows, and new rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/philox.hpp"

namespace bychance::forest {

// A training column. Numeric: dense ranks of its distinct values; categorical: category numbers. The code
// n_codes stands for a missing value.
struct FeatureColumn {
  bool is_categorical = false;
  bool has_missing = false;
  std::uint32_t n_codes = 0;
  std::vector<std::uint32_t> codes;
  std::vector<double> values;  // numeric: the distinct values, ascending

  // The code of the least value above x.
  std::uint32_t first_above(double x) const {
    return static_cast<std::uint32_t>(std::upper_bound(values.begin(), values.end(), x) - values.begin());
  }
};

struct FeatureTable {
  std::size_t n_rows;
  std::vector<FeatureColumn> columns;

  FeatureTable(std::size_t rows, std::size_t n_columns) : n_rows(rows), columns(n_columns) {}

  // Each column is set once, by any thread. NaN is missing, and so are negative codes.
  void set_numbers(std::size_t column, const double* numbers);
  void set_ranks(std::size_t column, const std::int32_t* codes, const double* values, std::size_t n_values);
  void set_categories(std::size_t column, const std::int32_t* codes, std::size_t n_categories);
};

// Target of a tree: a class or a number per row, and the weights of rows.
struct Target {
  std::size_t n_classes = 0;          // 0: numbers
  std::vector<std::int32_t> classes;  // per row; empty for numbers
  std::vector<double> numbers;        // per row; empty for classes
  std::vector<double> weights;        // per row; empty: all one

  bool is_of_numbers() const { return n_classes == 0; }
  std::size_t n_rows() const { return is_of_numbers() ? numbers.size() : classes.size(); }
  std::size_t n_outputs() const { return is_of_numbers() ? 1 : n_classes; }  // class shares or a mean
  double weight(std::size_t row) const { return weights.empty() ? 1 : weights[row]; }
};

// Roles of rows in a tree: grown on, used to order categories, or out of bag. They follow from the key.
enum Role : std::uint8_t { kGrow = 0, kOrder = 1, kOutOfBag = 2 };

// Streams of a tree's key.
constexpr std::uint64_t kRowStream = 0, kFeatureStream = 1;

struct Sample {
  std::size_t n_rows = 0;
  std::size_t n_grow = 0;
  std::size_t n_order = 0;
  bool bootstrap = false;  // n_grow rows with replacement; the other roles come from the rows not drawn
  PhiloxKey key{0, 0};
};

struct SampledRows {
  std::vector<std::uint8_t> roles;         // one per row of the table
  std::vector<std::uint32_t> repetitions;  // number of times each row was drawn; empty without bootstrap
};

SampledRows sample_rows(const Sample& sample);

// The rows with this role in ascending order, among each `step`th row.
std::vector<std::uint32_t> rows_of_role(const SampledRows& sampled, Role role, std::size_t step = 1);

// A value of a new row: a number, rounded so that more rows fit in the cache, or a category. Category -1 is
// missing, and -2 was unseen in training.
union Cell {
  float rounded;
  std::int32_t category;
};
constexpr std::int32_t kMissing = -1, kUnseen = -2;

// Rows to predict. Columns are added one by one, and are not copied. With the last column the rows are made,
// each with its values together.
struct FeatureRows {
  std::size_t n_rows = 0, n_added = 0;

  FeatureRows(std::size_t rows, std::size_t columns);
  void add_numeric(const double* numbers);  // NaN: missing
  void add_categorical(const std::int32_t* codes);

  std::size_t n_columns() const { return numbers_.size(); }
  const Cell* at(std::size_t row) const { return cells_.data() + row * n_columns(); }
  double number(std::size_t row, std::size_t column) const {
    return numbers_[column] ? numbers_[column][row] : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  void take_rows();

  std::vector<const double*> numbers_;           // per column, or null
  std::vector<const std::int32_t*> categories_;  // the same
  std::vector<Cell> cells_;
};

}  // namespace bychance::forest
