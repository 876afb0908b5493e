// Walks from (0, 0) to (n, b), each row one to the right and at most one up, that stay near the straight line
// wherever there is a cut: counted row by row, by how many have been up x times.
#pragma once

#include <cstddef>
#include <vector>

namespace bychance {

// Two counts: where walks at the very edge are out, and where they are in.
struct WalkCounts {
  double out, in;
};

class BandWalk {
 public:
  // The walks that have (x n - m b)^2 < scale m (n - m), or as much, after m rows, for the m in
  // left[first] … left[last-1]. What differs by a billionth is equal.
  WalkCounts kept(double n, double b, double scale, const double* left, std::size_t first, std::size_t last);

 private:
  // Cell y counts the walks that go up y times more, so that a row adds to each cell the next one.
  struct Band {
    WalkCounts* walks;
    std::ptrdiff_t first, last;  // cells that count

    void add_row();
    bool pass_cut(std::ptrdiff_t most, double center, double radius);
  };

  WalkCounts met(const Band& band, bool is_odd);
  WalkCounts all_ways_on(const Band& band, double rest) const;

  std::vector<WalkCounts> cells_, before_;
};

}  // namespace bychance
