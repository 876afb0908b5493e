// Which rows of a block of bytes are alike. All rows are of one width; distinct ones are numbered as they
// first occur, by open addressing: a slot holds 1 + the number of a distinct row, 0 where it is free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bychance {

struct DistinctRows {
  std::vector<std::int32_t> codes;  // one per row
  std::vector<std::int64_t> first;  // where each distinct row occurs first
};

DistinctRows distinct_rows(const std::uint8_t* bytes, std::size_t n_rows, std::size_t width);

}  // namespace bychance
