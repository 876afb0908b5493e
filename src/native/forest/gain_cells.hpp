// What the rows out of bag say of a split: their responses added up by child.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forest/target.hpp"
#include "forest/tree.hpp"

namespace bychance {

class GainCells {
 public:
  GainCells(const Tree& tree, const Target& target);

  void add(std::size_t node, std::size_t row);
  // The gain of a split into these children, times the weight of their rows, less its mean over permutations.
  double excess(std::size_t first_child, std::size_t n_children);

 private:
  double excess_of_classes(const double* cells, std::size_t n_children);
  double excess_of_numbers(const double* cells, std::size_t n_children) const;

  const Target& target_;
  const std::size_t width_;    // class weights; or weight, sum and sum of squares
  const double center_;        // of numbers
  std::vector<double> cells_;  // width_ a node
  std::vector<double> totals_;
};

}  // namespace bychance
