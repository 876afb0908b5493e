// How many cuts a search over correlated ones counts for.
#pragma once

#include <cstddef>

namespace bychance {

// How many independent cuts the cuts first … last-1 count for, of these weights to the left out of n.
double independent_cuts(double n, const double* left, std::size_t first, std::size_t last);

// ln(d/2), where the cuts between d values of equal size count for so many independent ones; 0 for one cut.
double log_of_values(double cuts);

// For how many independent cuts a cut counts beside another, of these weights to the left.
double independent_part(double n, double left_of_other, double left);

}  // namespace bychance
