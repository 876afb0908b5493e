// The multinomial logit with one slope for all classes that makes the classes of rows most likely.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/watch.hpp"

namespace bychance::forest {

// Rows by classes of logarithms x of what speaks for a class, the class y of each row, its weight (in all 1),
// and what the intercepts start from.
struct JudgedRows {
  std::size_t n_rows, n_classes;
  const double* logs;
  const std::int32_t* classes;
  const double* weights;
  const double* start;
};

// p_ik = exp(a_k + s x_ik) / sum_j exp(a_j + s x_ij), and -log p_iy of each row. The intercepts make the
// mean of p_ik over rows the share of class k.
struct Calibration {
  double slope;                    // s
  std::vector<double> intercepts;  // a_k, up to a constant
  std::vector<double> losses;
};

// The slope lies between `least` and `most`. Every class has a row.
Calibration calibrate(const JudgedRows& rows, double least, double most, Watch& watch);

}  // namespace bychance::forest
