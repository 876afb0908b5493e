// What a forest reads: training columns as small codes, a target, which rows are for what, and new rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "nulls/philox.hpp"

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

  // Each column is set once, by any thread. Numbers: NaN is missing; codes: those below 0 are.
  void set_numbers(std::size_t column, const double* numbers);
  void set_ranks(std::size_t column, const std::int32_t* codes, const double* values, std::size_t n_values);
  void set_categories(std::size_t column, const std::int32_t* codes, std::size_t n_categories);
};

// What a tree is to predict: a class or a number per row, and the rows' weights.
struct Target {
  std::size_t n_classes = 0;          // 0: numbers
  std::vector<std::int32_t> classes;  // per row, where there are classes
  std::vector<double> numbers;        // per row otherwise
  std::vector<double> weights;        // per row; empty: all one

  bool is_of_numbers() const { return n_classes == 0; }
  std::size_t n_rows() const { return is_of_numbers() ? numbers.size() : classes.size(); }
  std::size_t n_outputs() const { return is_of_numbers() ? 1 : n_classes; }  // class shares or a mean
  double weight(std::size_t row) const { return weights.empty() ? 1 : weights[row]; }
};

// Which rows a tree is grown on, which order its categories, and which it never sees: a function of the key.
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
  std::vector<std::uint32_t> repetitions;  // bootstrap: how often a row was drawn; empty otherwise
};

SampledRows sample_rows(const Sample& sample);

// The rows that have this role, ascending; of all rows, or of each `step`th.
std::vector<std::uint32_t> rows_of_role(const SampledRows& sampled, Role role, std::size_t step = 1);

// A value of a new row: a number, rounded so that more rows are at hand, or a category: -1 missing, -2 unseen
// in training.
union Cell {
  float rounded;
  std::int32_t category;
};
constexpr std::int32_t kMissing = -1, kUnseen = -2;

// Rows to predict. Columns are added one by one, and must stay where they are; with the last, the rows are
// there, the values of each together.
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
