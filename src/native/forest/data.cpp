// Numbers become ranks, and rows are drawn by a counter-based stream, so that a tree depends on its key
// alone.
#include "forest/data.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/column_order.hpp"

namespace bychance::forest {
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

// The first `count` places of `rows` become a random choice without replacement.
void choose_first(std::vector<std::uint32_t>& rows, std::size_t count, DrawStream& stream) {
  const auto n = static_cast<std::uint32_t>(rows.size());
  for (std::uint32_t k = 0; k < count; ++k) std::swap(rows[k], rows[k + stream.below(n - k)]);
}

void choose_without_replacement(const Sample& sample, DrawStream& stream, SampledRows& out) {
  std::vector<std::uint32_t> rows(sample.n_rows);
  std::iota(rows.begin(), rows.end(), 0u);
  const std::size_t n_used = sample.n_grow + sample.n_order;
  choose_first(rows, n_used == sample.n_rows ? sample.n_grow : n_used, stream);
  for (std::size_t k = 0; k < n_used; ++k) out.roles[rows[k]] = k < sample.n_grow ? kGrow : kOrder;
}

void choose_with_replacement(const Sample& sample, DrawStream& stream, SampledRows& out) {
  out.repetitions.assign(sample.n_rows, 0);
  for (std::size_t k = 0; k < sample.n_grow; ++k) {
    ++out.repetitions[stream.below(static_cast<std::uint32_t>(sample.n_rows))];
  }
  std::vector<std::uint32_t> others;
  for (std::size_t row = 0; row < sample.n_rows; ++row) {
    if (out.repetitions[row] > 0) {
      out.roles[row] = kGrow;
    } else {
      others.push_back(static_cast<std::uint32_t>(row));
    }
  }
  const std::size_t n_order = std::min(sample.n_order, others.size());
  choose_first(others, n_order, stream);
  for (std::size_t k = 0; k < n_order; ++k) out.roles[others[k]] = kOrder;
}

}  // namespace

void FeatureTable::set_numbers(std::size_t column, const double* numbers) {
  std::vector<double> present(numbers, numbers + n_rows);
  std::vector<std::size_t> rows;  // of present numbers; empty if none is missing
  if (std::any_of(present.begin(), present.end(), [](double number) { return std::isnan(number); })) {
    present.clear();
    for (std::size_t row = 0; row < n_rows; ++row) {
      if (!std::isnan(numbers[row])) present.push_back(numbers[row]), rows.push_back(row);
    }
  }
  std::vector<std::int32_t> codes(n_rows, kMissing);
  std::vector<double> values;
  values.reserve(present.size());
  for (const KeyedRow& each : ascending_rows(present.data(), present.size())) {
    const auto place = static_cast<std::size_t>(each.row);
    const double number = present[place] + 0;  // 0 and -0 are one value
    if (values.empty() || number != values.back()) values.push_back(number);
    codes[rows.empty() ? place : rows[place]] = static_cast<std::int32_t>(values.size() - 1);
  }
  set_ranks(column, codes.data(), values.data(), values.size());
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

SampledRows sample_rows(const Sample& sample) {
  SampledRows out;
  out.roles.assign(sample.n_rows, kOutOfBag);
  DrawStream stream(sample.key, kRowStream);
  if (sample.bootstrap) {
    choose_with_replacement(sample, stream, out);
  } else {
    choose_without_replacement(sample, stream, out);
  }
  return out;
}

std::vector<std::uint32_t> rows_of_role(const SampledRows& sampled, Role role, std::size_t step) {
  const std::size_t n = sampled.roles.size();
  std::vector<std::uint32_t> rows((n + step - 1) / step);
  std::size_t count = 0;
  for (std::size_t row = 0; row < n; row += step) {  // roles are random: a branch is slow
    rows[count] = static_cast<std::uint32_t>(row);
    count += sampled.roles[row] == role;
  }
  rows.resize(count);
  return rows;
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

// A few rows of all columns at a time, so that each part of memory is written once.
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

}  // namespace bychance::forest
