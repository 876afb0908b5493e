// Every distinct arrangement of a sample with ties, as rows of indices: row k of the first sample meets row
// permutation[k] of the second.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bychance {

// In lexicographic order; each is equally likely.
class Arrangements {
 public:
  Arrangements(const std::int32_t* codes, std::size_t n);

  std::size_t n() const { return current_.size(); }

  // Writes up to `capacity` rows of n(); returns how many, 0 at the end.
  std::size_t next(std::size_t capacity, std::int32_t* out);

 private:
  std::vector<std::int32_t> current_;
  std::vector<std::int32_t> positions_;    // positions of each code, in order
  std::vector<std::size_t> first_, used_;  // where a code's positions begin, and how many are taken
  bool is_done_ = false;
};

}  // namespace bychance
