// How likely a category of m rows has x of the b rows of the rarer class, of n in all: by x, each from the
// one before, as far as they are asked for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bychance {

constexpr double kFewRows = 64;  // the most that the smaller of m and b may be

class Hypergeometric {
 public:
  class Chances {
   public:
    std::size_t least() const { return least_; }  // as many as the other rows have no room for
    std::size_t most() const { return most_; }
    double at(std::size_t x) {
      if (x >= end_) extend(x);
      return chances_[x];
    }

   private:
    friend Hypergeometric;
    void extend(std::size_t x);

    double n_ = 0, m_ = -1, b_ = 0;
    std::size_t least_ = 0, most_ = 0, end_ = 0;
    double chances_[static_cast<std::size_t>(kFewRows) + 2];
  };

  void set(double n, double b);
  // Good until as many others were asked for as are kept.
  Chances& of(double m);

 private:
  double of_least(double m, bool has_room);

  static constexpr std::size_t kKept = 8;
  double n_ = 0, b_ = 0;
  Chances kept_[kKept];
  std::vector<double> none_;  // by m: chances that a category of up to b rows has none
};

}  // namespace bychance
