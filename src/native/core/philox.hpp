// Philox4x64-10 (Salmon et al. 2011): a counter-based generator, so that draw number s of a null is the
// same whatever was drawn before it and by whichever thread. Words equal numpy.random.Philox's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

namespace bychance {

using PhiloxKey = std::pair<std::uint64_t, std::uint64_t>;

// Returns the upper 64 bits of a * b, and writes the lower ones.
inline std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b, std::uint64_t* low) {
#if defined(_MSC_VER) && !defined(__clang__)
  std::uint64_t high;
  *low = _umul128(a, b, &high);
  return high;
#else
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  *low = static_cast<std::uint64_t>(product);
  return static_cast<std::uint64_t>(product >> 64);
#endif
}

// Writes four words for each of several counters under a key. Multipliers, key increments and 10 rounds are
// those of Salmon et al. Several blocks at once, counters counter[0], counter[0] + 1, …: their
// multiplications do not wait for one another.
template <int blocks>
inline void philox_blocks(PhiloxKey key, const std::uint64_t counter[4], std::uint64_t* words) {
  std::uint64_t c0[blocks], c1[blocks], c2[blocks], c3[blocks];
  for (int b = 0; b < blocks; ++b) {
    c0[b] = counter[0] + static_cast<std::uint64_t>(b);
    c1[b] = counter[1];
    c2[b] = counter[2];
    c3[b] = counter[3];
  }
  for (int round = 0; round < 10; ++round) {
    for (int b = 0; b < blocks; ++b) {
      std::uint64_t low0, low1;
      const std::uint64_t high0 = multiply_high(0xD2E7470EE14C6C93ULL, c0[b], &low0);
      const std::uint64_t high1 = multiply_high(0xCA5A826395121157ULL, c2[b], &low1);
      c0[b] = high1 ^ c1[b] ^ key.first;
      c1[b] = low1;
      c2[b] = high0 ^ c3[b] ^ key.second;
      c3[b] = low0;
    }
    key.first += 0x9E3779B97F4A7C15ULL;
    key.second += 0xBB67AE8584CAA73BULL;
  }
  for (int b = 0; b < blocks; ++b) {
    words[4 * b] = c0[b];
    words[4 * b + 1] = c1[b];
    words[4 * b + 2] = c2[b];
    words[4 * b + 3] = c3[b];
  }
}

// The random numbers of one draw: counter (block, draw, round, step), read by words or by their halves, the
// lower one first. Draws of a sample are of round 0; those that go on from there have later ones.
class DrawStream {
 public:
  DrawStream(PhiloxKey key, std::uint64_t draw, std::uint64_t round = 0, std::uint64_t step = 0)
      : key_(key), counter_{0, draw, round, step} {}

  // Uniform on 0..bound-1 without bias (Lemire 2019: multiply, reject the short remainder).
  std::uint32_t below(std::uint32_t bound) {
    std::uint64_t product = static_cast<std::uint64_t>(next_half()) * bound;
    auto low = static_cast<std::uint32_t>(product);
    if (low < bound) {
      const std::uint32_t threshold = (0u - bound) % bound;
      while (low < threshold) {
        product = static_cast<std::uint64_t>(next_half()) * bound;
        low = static_cast<std::uint32_t>(product);
      }
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  std::uint64_t next_word() {  // a stream is read in words or in halves
    if (used_ == kHalves) refill();
    used_ += 2;
    return words_[used_ / 2 - 1];
  }

 private:
  static constexpr int kBlocks = 2;                 // blocks at once: more do not fit in registers (speed)
  static constexpr unsigned kHalves = 8 * kBlocks;  // 32-bit numbers of these blocks

  std::uint32_t next_half() {
    if (used_ == kHalves) refill();
    const unsigned half = used_++;
    return static_cast<std::uint32_t>(words_[half / 2] >> (half % 2 * 32));
  }

  void refill() {
    philox_blocks<kBlocks>(key_, counter_, words_);
    counter_[0] += kBlocks;
    used_ = 0;
  }

  PhiloxKey key_;
  std::uint64_t counter_[4];
  std::uint64_t words_[kHalves / 2];
  unsigned used_ = kHalves;
};

// A Fisher-Yates shuffle: partners[i], for i = size-1, …, 1, is uniform on 0..i, the place that trades
// with i.
void draw_partners(DrawStream& stream, std::size_t size, std::uint32_t* partners);

}  // namespace bychance
