// What a tree is to predict: a class or a number per row, and the rows' weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bychance {

struct Target {
  std::size_t n_classes = 0;          // 0: numbers
  std::vector<std::int32_t> classes;  // per row, where there are classes
  std::vector<double> numbers;        // per row otherwise
  std::vector<double> weights;        // per row; empty: all one

  bool is_of_numbers() const { return n_classes == 0; }
  std::size_t n_rows() const { return is_of_numbers() ? numbers.size() : classes.size(); }
  std::size_t n_outputs() const { return is_of_numbers() ? 1 : n_classes; }  // class shares or a mean
  double weight(std::size_t row) const { return weights.empty() ? 1 : weights[row]; }
};

}  // namespace bychance
