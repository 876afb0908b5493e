// Sums over the rows of one of two groups: how coarse their permutation law is.
//
// A squared correlation with a variable of two values is the square of such a sum. Two things leave atoms
// that a smooth law smears:
//   - values in a few lumps, h apart: the sum takes steps of h. A smooth tail z deviations out is too small
//     by about exp(h z/2), h in deviations of the sum.
//   - few rows apart from the largest lump: those in it hardly matter, and each of the others is in the
//     group or not. The likeliest such pattern is an atom.
#pragma once

#include <cstddef>

namespace bychance {

// Of n rows so many are in the smaller group; of the other variable, how many rows are apart from its largest
// lump, the squared skewness and the kurtosis.
struct GroupSum {
  double n, group_rows, apart, squared_skew, kurtosis;
};

// The p below which atoms show in the tail of the sum: there a smooth law may say less than half of it.
double finest_p(const GroupSum& sum);

// At most how many values lie within 0.3 standard deviations of each other.
std::size_t largest_lump(const double* values, std::size_t n);

}  // namespace bychance
