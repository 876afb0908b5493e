// Exact laws of gains where the responses are two classes: of n rows b have the rarer one, and every order of
// them is as likely. A split into m rows and the others gains 2 (x - m b/n)^2/(m (n - m)) with x rows of the
// rarer class among the m: x is hypergeometric, and along the cuts of a column a walk from 0 to b.
#pragma once

#include <cstddef>
#include <vector>

#include "forest/band_walk.hpp"

namespace bychance {

// Of all orders, those that gain more and those that gain as much.
struct Shares {
  double larger, equal;
};

class TwoClasses {
 public:
  void set(double n, double b);
  // By a split of m rows.
  Shares of_fixed(double gain, double m) const;
  // By the best cut. `left` has the rows left of each of the cuts first … last-1.
  Shares of_cut(double gain, const double* left, std::size_t first, std::size_t last);
  // Of the orders, those in which a split of m rows has a share of larger gains below this one, and those in
  // which it has the same; equal gains count by half.
  Shares of_share(double share, double m);

 private:
  double reaching_cut(double gain, const double* left, std::size_t first, std::size_t last, bool is_equal_in);
  void count(double m);  // fills chances_ with those of x

  double n_ = 0, b_ = 0, n_orders_ = 1;
  BandWalk walk_;
  std::vector<double> chances_, next_;
};

}  // namespace bychance
