// The number of rows that two sets of bits share, by the widest count of bits that the processor has.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bychance {

// Returns the number of bits that are set in both a and b.
using AndCount = std::int64_t (*)(const std::uint64_t* a, const std::uint64_t* b, std::size_t n_words);

// A way of counting, with its speed.
struct AndCounter {
  AndCount count;
  double words_a_row;  // words that take the time of counting one row by its labels
};

// Returns the fastest way that this processor has.
const AndCounter& and_counter();

}  // namespace bychance
