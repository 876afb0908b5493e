// What a forest reads: training columns as small codes, and new rows as they come.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace bychance {

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
  std::size_t n_columns() const { return columns.size(); }

  // Each column is set once, by any thread. Numbers: NaN is missing; codes: those below 0 are.
  void set_numbers(std::size_t column, const double* numbers);
  void set_ranks(std::size_t column, const std::int32_t* codes, const double* values, std::size_t n_values);
  void set_categories(std::size_t column, const std::int32_t* codes, std::size_t n_categories);
};

// The values of a row together, so that more rows are at hand: numbers rounded, categories as they are.
union Cell {
  float rounded;
  std::int32_t category;
};

// `exact` has the numbers that were rounded.
template <class Exact>
struct CellsOfRow {
  const Cell* cells;
  Exact exact;

  float rounded(std::size_t column) const { return cells[column].rounded; }
  double number(std::size_t column) const { return exact.number(column); }
  std::int32_t category(std::size_t column) const { return cells[column].category; }
};

// Rows to predict: numbers (NaN: missing) and categories (-1: missing, -2: unseen in training). Columns are
// added one by one, and must stay where they are; with the last, the rows are there.
struct FeatureRows {
  std::size_t n_rows = 0, n_added = 0;

  FeatureRows(std::size_t rows, std::size_t columns);
  void add_numeric(const double* numbers);
  void add_categorical(const std::int32_t* codes);

  struct Exact {
    const FeatureRows* rows;
    std::size_t row;
    double number(std::size_t column) const {
      const double* numbers = rows->numbers_[column];
      return numbers ? numbers[row] : std::numeric_limits<double>::quiet_NaN();
    }
  };
  std::size_t n_columns() const { return numbers_.size(); }
  CellsOfRow<Exact> at(std::size_t row) const { return {cells_.data() + row * n_columns(), {this, row}}; }

 private:
  void take_rows();

  std::vector<const double*> numbers_;           // per column, or null
  std::vector<const std::int32_t*> categories_;  // the same
  std::vector<Cell> cells_;
};

}  // namespace bychance
