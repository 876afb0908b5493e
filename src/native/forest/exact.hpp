// Exact laws of gains where the responses are two classes: of n rows b have the rarer one, and every order of
// them is as likely. A split into m rows and the others gains 2 (x - m b/n)^2/(m (n - m)) with x rows of the
// rarer class among the m: x is hypergeometric, and along the cuts of a column a walk from 0 to b.
//
// Shares of a gain that others may equal count those by half.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "forest/band_walk.hpp"

namespace bychance {

class TwoClasses {
 public:
  TwoClasses(double n, double b) : n_(n), b_(b) {}

  // Of the orders, those in which a split of m rows gains more.
  double larger_fixed(double gain, double m) const;
  // Those in which the best cut gains more. `left` has the rows left of each of the cuts first … last-1.
  double larger_cut(double gain, const double* left, std::size_t first, std::size_t last);
  // Those in which a split of m rows has a share of larger gains of at most `share`, and below it.
  std::pair<double, double> at_most(double share, double m);

 private:
  double reaching_cut(double gain, const double* left, std::size_t first, std::size_t last, bool is_equal_in);
  void count(double m);  // fills chances_ with those of x

  const double n_, b_;
  BandWalk walk_;
  std::vector<double> chances_, next_;
};

}  // namespace bychance
