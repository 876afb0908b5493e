// The places of a shuffle: one word makes several numbers (Brackett-Rozinsky, Lemire 2024): the high half of
// word · range is a number below the range, the low half the word for the next range. All of them are made
// anew if the last low half is below 2^64 mod the product of the ranges.
#include <type_traits>

#include "core/philox.hpp"

namespace bychance {
namespace {

template <class Count>
std::uint64_t numbers_below(DrawStream& stream, std::uint64_t range, Count count, std::uint32_t* last) {
  std::uint64_t word = stream.next_word();
  for (std::uint64_t k = 0; k < count; ++k) {
    *(last - k) = static_cast<std::uint32_t>(multiply_high(word, range - k, &word));
  }
  return word;
}

template <class Count>
std::uint64_t product_of(std::uint64_t range, Count count) {
  std::uint64_t product = range;
  for (std::uint64_t k = 1; k < count; ++k) product *= range - k;
  return product;
}

// Numbers for places range-1, range-2, …. `most` is at least the product of their ranges; returns what that
// of smaller ones is at most.
template <class Count>
std::uint64_t by_one_word(DrawStream& stream, std::uint64_t range, Count count, std::uint64_t most,
                          std::uint32_t* partners) {
  std::uint32_t* last = partners + range - 1;
  std::uint64_t low = numbers_below(stream, range, count, last);
  if (low < most) {
    most = product_of(range, count);
    const std::uint64_t threshold = (0 - most) % most;
    while (low < threshold) low = numbers_below(stream, range, count, last);
  }
  return most;
}

// `count` numbers a word down to place `end`; returns how many places are left.
template <std::uint64_t count>
std::uint64_t down_to(DrawStream& stream, std::uint64_t end, std::uint64_t left, std::uint32_t* partners) {
  if (left <= end) return left;
  constexpr std::integral_constant<std::uint64_t, count> each{};
  for (std::uint64_t most = product_of(left, each); left > end; left -= count) {
    most = by_one_word(stream, left, each, most, partners);
  }
  return left;
}

}  // namespace

void draw_partners(DrawStream& stream, std::size_t size, std::uint32_t* partners) {
  std::uint64_t left = size;
  left = down_to<1>(stream, std::uint64_t{1} << 30, left, partners);
  left = down_to<2>(stream, std::uint64_t{1} << 19, left, partners);
  left = down_to<3>(stream, std::uint64_t{1} << 14, left, partners);
  left = down_to<4>(stream, std::uint64_t{1} << 11, left, partners);
  left = down_to<5>(stream, std::uint64_t{1} << 9, left, partners);
  left = down_to<6>(stream, std::uint64_t{1} << 7, left, partners);
  left = down_to<8>(stream, 8, left, partners);
  if (left > 1) by_one_word(stream, left, left - 1, product_of(left, left - 1), partners);
}

}  // namespace bychance
