// Every distinct arrangement of a sample with ties, as rows of indices: row k of the first sample meets row
// permutation[k] of the second.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "moments/cells.hpp"

namespace bychance {

// In lexicographic order of the codes, which are 0 or more; each is equally likely.
class Arrangements {
 public:
  Arrangements(const std::int32_t* codes, std::size_t n) : current_(codes, codes + n) {
    std::sort(current_.begin(), current_.end());
    if (n > 0 && current_[0] < 0) throw std::invalid_argument("codes must be >= 0");
    places_ = RowsByLabel(codes, n, n == 0 ? 0 : static_cast<std::size_t>(current_.back()) + 1);
  }

  std::size_t n() const { return current_.size(); }

  // Writes up to `capacity` rows of n(); returns how many, 0 at the end.
  std::size_t next(std::size_t capacity, std::int32_t* out) {
    std::size_t written = 0;
    for (; written < capacity && !is_done_; ++written) {
      next_ = places_.starts;
      for (const std::int32_t code : current_) {
        *out++ = places_.order[next_[code]++];
      }
      is_done_ = !std::next_permutation(current_.begin(), current_.end());
    }
    return written;
  }

 private:
  std::vector<std::int32_t> current_;
  RowsByLabel places_;             // of each code, in order
  std::vector<std::size_t> next_;  // of its places, while a row is written
  bool is_done_ = false;
};

}  // namespace bychance
