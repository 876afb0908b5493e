// Class totals of the children of a split.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forest/columns.hpp"

namespace bychance {

// Rows without the value are child n_children until they join one.
class ClassTally {
 public:
  explicit ClassTally(const TreeColumns& data) : n_classes_(data.n_classes), mask_(data.label_mask()) {}

  void start(std::size_t n_children);
  void add(std::size_t child, std::uint32_t /*row*/, std::uint32_t key, double weight) {
    totals_[child * n_classes_ + (key & mask_)] += weight;
  }
  // The child where the missing rows raise the gain most, or the heaviest.
  std::size_t child_for_missing(bool is_by_gain) const;
  void join_missing(std::size_t child);
  // Two children of rows that all have the value and weigh one, in one pass: `each` is called with a function
  // that takes whether a row goes right, and its key.
  template <class Each>
  void add_in_two(Each each);

  const double* of_child(std::size_t child) const { return totals_.data() + child * n_classes_; }

 private:
  std::size_t n_classes_;
  std::uint32_t mask_;
  std::size_t n_children_ = 0;
  std::vector<double> totals_;
  std::vector<std::size_t> cells_;
};

template <class Each>
void ClassTally::add_in_two(Each each) {
  const std::size_t c = n_classes_;
  const std::uint32_t mask = mask_;
  cells_.assign(2 * c, 0);
  if (c == 2) {
    std::size_t ones = 0, right_ones = 0, n_right = 0, n = 0;
    each([&](bool goes_right, std::uint32_t key) {
      ones += key & 1;
      right_ones += key & goes_right;
      n_right += goes_right;
      ++n;
    });
    cells_ = {n - n_right - (ones - right_ones), ones - right_ones, n_right - right_ones, right_ones};
  } else {
    std::size_t* cells = cells_.data();
    each([cells, c, mask](bool goes_right, std::uint32_t key) { ++cells[goes_right * c + (key & mask)]; });
  }
  totals_.assign(cells_.begin(), cells_.end());
}

}  // namespace bychance
