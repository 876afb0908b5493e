// Random and enumerated re-pairings of two samples, as rows of indices: row k of the first sample meets
// row permutation[k] of the second.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nulls/philox.hpp"

namespace bychance {

// Which positions may trade places: whole blocks of `block` consecutive rows, or rows within a stratum.
struct PermutationScheme {
  std::size_t n = 0;
  std::size_t block = 1;
  std::vector<std::int32_t> members;  // positions sorted by stratum; empty: one stratum of all rows
  std::vector<std::size_t> starts;    // where each stratum begins in members, and the end

  static PermutationScheme free(std::size_t n);
  static PermutationScheme within(const std::int32_t* strata, std::size_t n);
  static PermutationScheme blocks(std::size_t n, std::size_t block);
};

// Draws first, first+1, … of the stream into rows of `out` (count × n).
void random_permutations(const PermutationScheme& scheme, PhiloxKey key, std::uint64_t first,
                         std::size_t count, std::int32_t* out);

// Every distinct arrangement of a sample with ties, in lexicographic order; each is equally likely.
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
