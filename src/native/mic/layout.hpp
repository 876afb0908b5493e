// Prepared variables as plain arrays, for a kernel that runs elsewhere.
#pragma once

#include "mic/mic.hpp"

namespace bychance {

// One row per variable, all of one budget; positions are sorted ones, at most most_n of them.
struct MicLayout {
  std::size_t partitions, most_n, words;  // words hold 32 positions each
  std::uint8_t* labels;                   // [variable][partition][most_n], row of each position
  std::uint32_t* ties;                    // [variable][words], a bit where a tie group starts
  std::int32_t* parts;  // [variable][partition], rows, and 1 + the earlier one with these cuts << 16
  double* entropy;      // [variable][partition]
};

void lay_out(const MicVariable& variable, std::size_t number, const MicLayout& layout);

}  // namespace bychance
