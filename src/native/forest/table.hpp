// What a forest reads: training columns as small codes, and new rows as they come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bychance {

// A training column. Numeric: dense ranks of its distinct values; categorical: category numbers. The code
// n_codes stands for a missing value. Codes are held in 16 bits where they fit.
struct FeatureColumn {
  bool is_categorical = false;
  bool has_missing = false;
  std::uint32_t n_codes = 0;
  std::vector<std::uint16_t> narrow;
  std::vector<std::uint32_t> wide;
  std::vector<double> values;  // numeric: the distinct values, ascending

  std::uint32_t code(std::size_t row) const { return narrow.empty() ? wide[row] : narrow[row]; }
};

struct FeatureTable {
  std::size_t n_rows = 0;
  std::vector<FeatureColumn> columns;

  // Codes below n_codes; negative: missing.
  void add_numeric(const std::int32_t* codes, std::size_t n, const double* values, std::size_t n_values);
  void add_categorical(const std::int32_t* codes, std::size_t n, std::size_t n_categories);
};

// A column of rows to predict: numbers (NaN: missing) or categories (-1: missing, -2: unseen in training).
struct RowColumn {
  bool is_categorical = false;
  std::vector<double> numbers;
  std::vector<std::int32_t> codes;
};

struct FeatureRows {
  std::size_t n_rows = 0;
  std::vector<RowColumn> columns;

  void add_numeric(const double* numbers, std::size_t n);
  void add_categorical(const std::int32_t* codes, std::size_t n);
};

}  // namespace bychance
