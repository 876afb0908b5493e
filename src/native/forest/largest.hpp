// The law of the sum of m of n numbers, where a number or two stand for much of the variance.
//
// The one that is farthest from the mean comes first: that it is the i-th of all has an exact probability,
// and the sum of the others, drawn from those nearer to the mean, is nearly normal. Exact for m = 1, and for
// m = 2 of few rows.
#pragma once

#include <cstddef>
#include <vector>

#include "forest/criterion.hpp"
#include "forest/exact.hpp"

namespace bychance {

class LargestFirst {
 public:
  // The numbers of these rows.
  void set(const NodeGroups& groups);
  // How often a sum of m of them is farther from its mean than this, and how often as far. Of the former no
  // more than enough need be counted.
  Shares of_sum(double distance, double m, double enough) const;
  std::size_t n() const { return numbers_.size(); }
  // Whether rows of whole weights are there as often as they weigh.
  bool counts_copies() const { return counts_copies_; }

 private:
  std::vector<double> numbers_;  // farthest from the mean first
  std::vector<double> sizes_;    // of rows, as they come
  bool counts_copies_ = false;
  std::vector<double> sums_, squares_;  // of the others, by what is left out in front
};

}  // namespace bychance
