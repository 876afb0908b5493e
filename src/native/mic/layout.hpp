// Prepared variables as plain arrays, for a kernel that runs elsewhere.
#pragma once

#include <algorithm>

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

// Cuts become a label per position, tie groups a bit where each starts.
inline void lay_out(const MicVariable& variable, std::size_t number, const MicLayout& layout) {
  std::uint32_t* ties = layout.ties + number * layout.words;
  std::fill_n(ties, layout.words, 0u);
  for (std::size_t g = 0; g + 1 < variable.group_starts.size(); ++g) {
    const auto start = static_cast<std::uint32_t>(variable.group_starts[g]);
    ties[start / 32] |= 1u << start % 32;
  }
  for (std::size_t i = 0; i < layout.partitions; ++i) {
    const MicPartition& part = variable.partitions[i];
    const std::int32_t* cuts = &variable.cuts[part.first_cut];
    const std::size_t at = number * layout.partitions + i;
    std::uint8_t* labels = layout.labels + at * layout.most_n;
    for (std::int32_t r = 0; r < part.rows; ++r) {
      std::fill(labels + cuts[r], labels + cuts[r + 1], static_cast<std::uint8_t>(r));
    }
    std::fill(labels + variable.n, labels + layout.most_n, std::uint8_t(0));
    layout.parts[at] = part.rows | (part.same_as + 1) << 16;
    layout.entropy[at] = part.entropy;
  }
}

}  // namespace bychance
