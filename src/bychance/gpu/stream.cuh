// Re-pairings of numbered draws, as src/native/nulls/repairings.cpp makes them, by one thread per draw.

typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned short Index;

struct Stream {
  u64 key[2], block, draw;
  u32 halves[8];
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
    const u64 words[4] = {c0, c1, c2, c3};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      halves[2 * k] = u32(words[k]);
      halves[2 * k + 1] = u32(words[k] >> 32);
    }
    used = 0;
  }

  __device__ u32 next() {
    if (used == 8) refill();
    u32 half = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) half = used == k ? halves[k] : half;  // a run-time index would leave registers
    ++used;
    return half;
  }

  __device__ u32 below(u32 bound) {
    u64 product = u64(next()) * bound;
    if (u32(product) < bound) {
      const u32 threshold = (0u - bound) % bound;
      while (u32(product) < threshold) product = u64(next()) * bound;
    }
    return u32(product >> 32);
  }
};

// Draw number `draw` of the key's stream, position k at own[k * pitch].
__device__ inline void shuffle(const u64* key, u64 draw, int n, Index* own, int pitch) {
  Stream stream;
  stream.key[0] = key[0], stream.key[1] = key[1];
  stream.block = 0, stream.draw = draw, stream.used = 8;
  for (int k = 0; k < n; ++k) own[k * pitch] = Index(k);
  for (int k = n; k > 1; --k) {
    const int other = stream.below(u32(k));
    const Index held = own[(k - 1) * pitch];
    own[(k - 1) * pitch] = own[other * pitch];
    own[other * pitch] = held;
  }
}
