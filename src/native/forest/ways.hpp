// Ways to choose, kept in tables where they are asked for over and over.
#pragma once

#include <cstddef>

namespace bychance {

// Of n: products of n/1, (n - 1)/2, …, which rounding leaves a few digits short of the last.
double chosen(double n, double k);

// The same for k = first … last-1, at their places in `ways`.
void chosen_each(double n, std::size_t first, std::size_t last, double* ways);

// Rows of Pascal's triangle up to kMostExact: whole numbers of 53 bits, as sums of them are.
constexpr std::size_t kMostExact = 56;
const double* pascal_row(std::size_t n);

}  // namespace bychance
