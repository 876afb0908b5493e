// Checks and stores the columns of a forest.
#include "forest/table.hpp"

namespace bychance {
namespace {

template <class Code>
void write_codes(const std::int32_t* codes, std::size_t n, std::uint32_t missing, std::vector<Code>& out) {
  out.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    out[k] = static_cast<Code>(codes[k] < 0 ? missing : static_cast<std::uint32_t>(codes[k]));
  }
}

FeatureColumn column_of(const std::int32_t* codes, std::size_t n, std::size_t n_codes) {
  FeatureColumn column;
  column.n_codes = static_cast<std::uint32_t>(n_codes);
  if (n_codes <= 0xFFFF) {
    write_codes(codes, n, column.n_codes, column.narrow);
  } else {
    write_codes(codes, n, column.n_codes, column.wide);
  }
  for (std::size_t k = 0; k < n && !column.has_missing; ++k) column.has_missing = codes[k] < 0;
  return column;
}

}  // namespace

void FeatureTable::add_numeric(const std::int32_t* codes, std::size_t n, const double* values,
                               std::size_t n_values) {
  n_rows = n;
  columns.push_back(column_of(codes, n, n_values));
  columns.back().values.assign(values, values + n_values);
}

void FeatureTable::add_categorical(const std::int32_t* codes, std::size_t n, std::size_t n_categories) {
  n_rows = n;
  columns.push_back(column_of(codes, n, n_categories));
  columns.back().is_categorical = true;
}

FeatureRows::FeatureRows(std::size_t rows, std::size_t columns)
    : n_rows(rows), cells(rows * columns), n_columns_(columns) {}

template <class Value>
void FeatureRows::add(const Value* values) {
  double* cell = cells.data() + n_added++;
  for (std::size_t row = 0; row < n_rows; ++row, cell += n_columns_) *cell = values[row];
}

template void FeatureRows::add(const double*);
template void FeatureRows::add(const std::int32_t*);

}  // namespace bychance
