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
  // Cells that count. Cell y has the walks that go up y times more, so that a row adds to each cell the next
  // one.
  struct Cells {
    std::ptrdiff_t first, last;

    bool are_none() const { return first > last; }
  };
  // Those that a cut leaves, and of them those where no walk is out.
  struct Gate {
    Cells open, inner;
  };

  Gate gate_at(double center, double radius) const;
  void start(std::ptrdiff_t n_rows, const Cells& open);
  void add_rows(std::ptrdiff_t n_rows, const Cells& open);
  void pass_rows(std::ptrdiff_t n_rows, const Cells& open);
  void leave_out(const Cells& inner);
  WalkCounts met(bool is_odd);
  WalkCounts all_ways_on(double rest) const;

  std::ptrdiff_t most_ = 0;  // ups
  Cells cells_{0, 0};
  std::vector<WalkCounts> walks_, before_;  // with an empty cell in the end
};

}  // namespace bychance
