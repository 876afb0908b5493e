// Re-pairings of numbered draws, as src/native/nulls/repairings.cpp makes them: one thread per draw.

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

// Draws first, first + 1, … of each pair's key, `count` per pair: rows of `stride` positions. A block shuffles
// draws of one pair in shared memory, `blockDim.x + 2` to a position, and writes them row by row.
extern "C" __global__ void shuffles(const u64* keys, const int* n_of, u64 first, int count, int stride, Index* out) {
  EXTERN_SHARED(Index, orders);
  const int threads = blockDim.x, blocks = (count + threads - 1) / threads, pitch = threads + 2;
  const int pair = blockIdx.x / blocks, start = blockIdx.x % blocks * threads, n = n_of[pair];
  const int draw = start + threadIdx.x;
  if (draw < count) {
    Stream stream;
    stream.key[0] = keys[2 * pair], stream.key[1] = keys[2 * pair + 1];
    stream.block = 0, stream.draw = first + draw, stream.used = 8;
    Index* own = orders + threadIdx.x;
    for (int k = 0; k < n; ++k) own[k * pitch] = Index(k);
    for (int k = n; k > 1; --k) {
      const int other = stream.below(u32(k));
      const Index held = own[(k - 1) * pitch];
      own[(k - 1) * pitch] = own[other * pitch];
      own[other * pitch] = held;
    }
  }
  __syncthreads();
  for (int row = threadIdx.x >> 5; row < threads && start + row < count; row += threads >> 5) {
    Index* to = out + (u64(pair) * count + start + row) * stride;
    for (int k = threadIdx.x & 31; k < n; k += 32) to[k] = orders[k * pitch + row];
  }
}
