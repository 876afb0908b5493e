// Re-pairings of numbered draws, as src/native/permutations/repairings.cpp makes them, by one thread per draw.

typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned short Index;

struct Stream {
  u64 key[2], block, draw;
  u64 words[4];
  int used;

  __device__ void refill() {
    u64 c0 = block++, c1 = draw, c2 = 0, c3 = 0, low = key[0], high = key[1];
    for (int round = 0; round < 10; ++round) {
      const u64 high0 = __umul64hi(0xD2E7470EE14C6C93ULL, c0), low0 = 0xD2E7470EE14C6C93ULL * c0;
      const u64 high1 = __umul64hi(0xCA5A826395121157ULL, c2), low1 = 0xCA5A826395121157ULL * c2;
      c0 = high1 ^ c1 ^ low;
      c1 = low1;
      c2 = high0 ^ c3 ^ high;
      c3 = low0;
      low += 0x9E3779B97F4A7C15ULL;
      high += 0xBB67AE8584CAA73BULL;
    }
    words[0] = c0, words[1] = c1, words[2] = c2, words[3] = c3;
    used = 0;
  }

  __device__ u64 next() {
    if (used == 4) refill();
    u64 word = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) word = used == k ? words[k] : word;  // a run-time index would leave registers
    ++used;
    return word;
  }

  // A word for numbers below range, range - 1, …, range - count + 1: partners.cpp says how it makes them.
  __device__ u64 word_for(u32 range, u32 count) {
    u64 product = range;
    for (u32 k = 1; k < count; ++k) product *= range - k;
    u64 word = next();
    if (word * product < product) {
      const u64 threshold = (0 - product) % product;
      while (word * product < threshold) word = next();
    }
    return word;
  }
};

// How many of the numbers below `left` and less are made of one word.
__device__ inline u32 numbers_per_word(u32 left) {
  if (left > 1u << 14) return 3;
  if (left > 1u << 11) return 4;
  if (left > 1u << 9) return 5;
  if (left > 1u << 7) return 6;
  return left > 8 ? 8 : left - 1;
}

// Draw number `draw` of the key's stream, position k at own[k * pitch].
__device__ inline void shuffle(const u64* key, u64 draw, int n, Index* own, int pitch) {
  Stream stream;
  stream.key[0] = key[0], stream.key[1] = key[1];
  stream.block = 0, stream.draw = draw, stream.used = 4;
  for (int k = 0; k < n; ++k) own[k * pitch] = Index(k);
  for (u32 left = u32(n); left > 1;) {
    const u32 count = numbers_per_word(left);
    u64 word = stream.word_for(left, count);
    for (u32 k = 0; k < count; ++k, --left) {
      const u32 other = u32(__umul64hi(word, left));
      word *= left;
      const Index held = own[(left - 1) * pitch];
      own[(left - 1) * pitch] = own[other * pitch];
      own[other * pitch] = held;
    }
  }
}
