// The best cut of a column on few rows of numbers. Most nodes are small, and what costs them most is a branch
// that was foreseen wrongly: there is none that depends on the rows.
#pragma once

#include <array>
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
  double* left;  // becomes the rows up to the end of each value
};

template <std::size_t kRows>
constexpr std::array<double, kRows - 1> reciprocals_of_cuts() {
  std::array<double, kRows - 1> reciprocals{};
  for (std::size_t k = 0; k + 1 < kRows; ++k) {
    reciprocals[k] = 1 / (static_cast<double>(k + 1) * static_cast<double>(kRows - k - 1));
  }
  return reciprocals;
}

// Each row is put where as many are less. Sums are those that a table of codes (`kIsByCode`) or a sort would
// give, to the last bit. `n_values` becomes how many values there are, and `out` is written
// piece by piece: a copy of what was just written would have to wait.
template <std::size_t kRows, bool kIsByCode, class Key>
void cut_of_rows(const Key* keys, const FewRows& few, std::size_t& n_values, FoundCut& out) {
  constexpr double n = kRows, scale = 1 / (n * n);
  static constexpr auto kReciprocals = reciprocals_of_cuts<kRows>();
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
    gains[k] = is_cut * (scale * (excess * excess) * kReciprocals[k]);
    most = gains[k] > most ? gains[k] : most;
    few.left[n_values - 1] = left;
    n_values += is_last;
  }
  few.left[n_values - 1] = n;
  out.gain = 0;
  if (most == few.least_gain) return;
  std::size_t cut = 0;
  for (std::size_t k = kRows - 1; k-- > 0;) {
    cut = (gains[k] >= most - kTie) & (gains[k] > few.least_gain) ? k : cut;
  }
  out.gain = gains[cut];
  out.reciprocal = kReciprocals[cut];
  out.low = sorted[cut] >> kPlaceBits;
  out.high = sorted[cut + 1] >> kPlaceBits;
}

template <bool kIsByCode, class Key, std::size_t... kBeyondTwo>
void cut_of_few(const Key* keys, const FewRows& few, std::size_t n_rows, std::size_t& n_values, FoundCut& out,
                std::index_sequence<kBeyondTwo...>) {
  using Cut = void (*)(const Key*, const FewRows&, std::size_t&, FoundCut&);
  static constexpr Cut kByRows[] = {cut_of_rows<kBeyondTwo + 2, kIsByCode, Key>...};
  kByRows[n_rows - 2](keys, few, n_values, out);
}

// Of 2 … kMostRowsOfCut rows.
template <class Key>
void cut_of_few(const Key* keys, const FewRows& few, std::size_t n_rows, bool is_by_code,
                std::size_t& n_values, FoundCut& out) {
  constexpr std::make_index_sequence<kMostRowsOfCut - 1> sizes;
  is_by_code ? cut_of_few<true>(keys, few, n_rows, n_values, out, sizes)
             : cut_of_few<false>(keys, few, n_rows, n_values, out, sizes);
}

}  // namespace bychance
