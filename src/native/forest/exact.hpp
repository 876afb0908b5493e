// Exact laws of gains where the responses are two classes: of n rows b have the rarer one, and every order of
// them is as likely. A split into m rows and the others gains 2 (x - m b/n)^2/(m (n - m)) with x rows of the
// rarer class among the m: x is hypergeometric, and along the cuts of a column a walk from 0 to b.
#pragma once

#include <cstddef>
#include <vector>

#include "forest/band_walk.hpp"
#include "forest/hypergeometric.hpp"
#include "forest/known_laws.hpp"

namespace bychance {

// So many categories, each against the others, count for this many independent splits: gains of three are
// correlated, and next to none of those of many.
constexpr double independent(double count) { return count - 1.5 / count; }

constexpr double kMostSteps = 1e4;  // of walks

class TwoClasses {
 public:
  // Trees that are grown one after the other share what is known, and memory.
  static TwoClasses& of_this_thread();
  void set(double n, double b);
  // The law of the gain by a split of m rows; of larger gains no more than enough need be counted.
  Law& of_fixed(double gain, double m, double enough);
  // That by the best cut. `left` has the rows left of each of the cuts first … last-1.
  Law& of_cut(double gain, const double* left, std::size_t first, std::size_t last);
  // The orders in which one of the categories, whose rows so far are in `left`, has a share of larger gains
  // below this one, and those in which the best has the same; equal gains count by half. With more than a few
  // rows of the rarer class, categories are as good as independent, but for their number.
  Law& of_single(double share, const double* left, std::size_t count);

 private:
  Shares fixed(double distance, double m, double enough);
  Shares cut(double gain, const double* left, std::size_t first, std::size_t last);
  double radius_of(double gain, double m, bool is_equal_in) const;
  bool can_reach_cut(double gain, const double* left, std::size_t first, std::size_t last,
                     bool is_equal_in) const;
  double reaching_cut(double gain, const double* left, std::size_t first, std::size_t last, bool is_equal_in);
  Shares single(double share, const double* left, std::size_t count);
  struct Range {
    std::size_t low, high;
  };
  // Ways to leave rows of the rarer class, of which there are few, in the categories so far, by their number.
  struct Ways {
    static constexpr std::size_t kMost = 8;

    void multiply(const double* own, const Range& range, std::size_t least);

    std::size_t b, most = 0;
    double by_number[kMost + 1] = {1};
  };
  Shares of_share(double share, double m, Range& within, Range& not_below);
  double of_independent(std::size_t count, bool is_equal_in) const;

  double n_ = 0, b_ = 0, n_orders_ = 0;
  Law own_;  // of a node that is not small
  KnownSplits splits_;
  KnownSearches searches_;
  BandWalk walk_;
  Hypergeometric hypergeometric_;
  std::vector<double> chances_, next_;
  std::vector<Shares> better_;  // per category
};

}  // namespace bychance
