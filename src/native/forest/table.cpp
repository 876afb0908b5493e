// Checks and stores the columns of a forest.
#include "forest/table.hpp"

#include <algorithm>

#include "forest/ranks.hpp"

namespace bychance {
namespace {

FeatureColumn column_of(const std::int32_t* codes, std::size_t n, std::size_t n_codes) {
  FeatureColumn column;
  column.n_codes = static_cast<std::uint32_t>(n_codes);
  column.codes.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    column.has_missing |= codes[k] < 0;
    column.codes[k] = codes[k] < 0 ? column.n_codes : static_cast<std::uint32_t>(codes[k]);
  }
  return column;
}

}  // namespace

void FeatureTable::set_numbers(std::size_t column, const double* numbers) {
  const Ranks ranked = rank_numbers(numbers, n_rows);
  set_ranks(column, ranked.codes.data(), ranked.values.data(), ranked.values.size());
}

void FeatureTable::set_ranks(std::size_t column, const std::int32_t* codes, const double* values,
                             std::size_t n_values) {
  columns[column] = column_of(codes, n_rows, n_values);
  columns[column].values.assign(values, values + n_values);
}

void FeatureTable::set_categories(std::size_t column, const std::int32_t* codes, std::size_t n_categories) {
  columns[column] = column_of(codes, n_rows, n_categories);
  columns[column].is_categorical = true;
}

FeatureRows::FeatureRows(std::size_t rows, std::size_t columns)
    : n_rows(rows), numbers_(columns), categories_(columns), cells_(rows * columns) {}

void FeatureRows::add_numeric(const double* numbers) {
  numbers_[n_added++] = numbers;
  if (n_added == n_columns()) take_rows();
}

void FeatureRows::add_categorical(const std::int32_t* codes) {
  categories_[n_added++] = codes;
  if (n_added == n_columns()) take_rows();
}

// A few rows of all columns at a time: each part of memory is then written once.
void FeatureRows::take_rows() {
  constexpr std::size_t kRows = 64;
  const std::size_t n = n_columns();
  for (std::size_t start = 0; start < n_rows; start += kRows) {
    const std::size_t end = std::min(n_rows, start + kRows);
    for (std::size_t column = 0; column < n; ++column) {
      const double* numbers = numbers_[column];
      const std::int32_t* categories = categories_[column];
      Cell* cell = cells_.data() + start * n + column;
      for (std::size_t row = start; row < end; ++row, cell += n) {
        if (numbers) {
          cell->rounded = static_cast<float>(numbers[row]);
        } else {
          cell->category = categories[row];
        }
      }
    }
  }
}

}  // namespace bychance
