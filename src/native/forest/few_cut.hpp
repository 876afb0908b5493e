// The best cut of a column on few rows of numbers. Most nodes are small, and what costs them most is a branch
// that was foreseen wrongly: there is none that depends on the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "forest/criterion.hpp"
#include "forest/split.hpp"

namespace bychance {

constexpr std::size_t kMostRowsOfCut = 12;
constexpr unsigned kPlaceBits = 4;
constexpr std::uint32_t kMostCodesOfCut = 1u << (31 - kPlaceBits);

struct FewRows {
  const std::uint32_t* rows;
  const double* numbers;  // in the order of the rows
  double total;           // of the numbers
  double least_gain;
};

// Each row is put where as many are less. Sums are those that a table of codes (`kIsByCode`) or a sort would
// give, to the last bit. `n_values` becomes how many values there are.
template <std::size_t kRows, bool kIsByCode, class Key>
FoundCut cut_of_rows(const Key* keys, const FewRows& few, std::size_t& n_values) {
  constexpr double n = kRows, scale = 1 / (n * n);
  std::uint32_t items[kRows], sorted[kRows];
  std::size_t n_less[kRows] = {};
  for (std::size_t k = 0; k < kRows; ++k) {
    items[k] = static_cast<std::uint32_t>(keys[few.rows[k]]) << kPlaceBits | static_cast<std::uint32_t>(k);
    for (std::size_t j = 0; j < k; ++j) {
      const bool is_less = items[j] < items[k];
      n_less[k] += is_less;
      n_less[j] += !is_less;
    }
  }
  double z[kRows], gains[kRows - 1];
  for (std::size_t k = 0; k < kRows; ++k) sorted[n_less[k]] = items[k], z[n_less[k]] = few.numbers[k];
  double before = 0, own = 0, most = few.least_gain;  // sums of earlier groups, and of this one so far
  n_values = 1;
  for (std::size_t k = 0; k + 1 < kRows; ++k) {
    const bool is_last = (sorted[k] ^ sorted[k + 1]) >> kPlaceBits != 0;
    const double left = static_cast<double>(k + 1), is_cut = is_last;
    own += z[k];
    const double sum = before + own, excess = sum * n - left * few.total;
    if (kIsByCode) {
      before += is_cut * own;
      own *= 1 - is_cut;
    } else {
      before = sum;
      own = 0;
    }
    gains[k] = is_cut * (scale * (excess * excess) * (1 / (left * (n - left))));
    most = gains[k] > most ? gains[k] : most;
    n_values += is_last;
  }
  if (most == few.least_gain) return {};
  std::size_t cut = 0;
  for (std::size_t k = kRows - 1; k-- > 0;) {
    cut = (gains[k] >= most - kTie) & (gains[k] > few.least_gain) ? k : cut;
  }
  const auto left = static_cast<double>(cut + 1);
  return {gains[cut], 1 / (left * (n - left)), sorted[cut] >> kPlaceBits, sorted[cut + 1] >> kPlaceBits};
}

template <bool kIsByCode, class Key, std::size_t... kBeyondTwo>
FoundCut cut_of_few(const Key* keys, const FewRows& few, std::size_t n_rows, std::size_t& n_values,
                    std::index_sequence<kBeyondTwo...>) {
  using Cut = FoundCut (*)(const Key*, const FewRows&, std::size_t&);
  constexpr Cut by_rows[] = {cut_of_rows<kBeyondTwo + 2, kIsByCode, Key>...};
  return by_rows[n_rows - 2](keys, few, n_values);
}

// Of 2 … kMostRowsOfCut rows.
template <class Key>
FoundCut cut_of_few(const Key* keys, const FewRows& few, std::size_t n_rows, bool is_by_code,
                    std::size_t& n_values) {
  constexpr std::make_index_sequence<kMostRowsOfCut - 1> sizes;
  return is_by_code ? cut_of_few<true>(keys, few, n_rows, n_values, sizes)
                    : cut_of_few<false>(keys, few, n_rows, n_values, sizes);
}

}  // namespace bychance
