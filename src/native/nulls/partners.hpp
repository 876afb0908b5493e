// The random numbers of a Fisher-Yates shuffle.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nulls/philox.hpp"

namespace bychance {

// partners[i], for i = size-1, …, 1, is uniform on 0..i: the place that trades with i.
void draw_partners(DrawStream& stream, std::size_t size, std::uint32_t* partners);

}  // namespace bychance
