// Re-pairings written out, for kernels that read them more than once.
#include "stream.cuh"

// Draws first, first + 1, … of each pair's key, `count` per pair: rows of `stride` positions. A block shuffles
// draws of one pair in shared memory, `blockDim.x + 2` to a position, and writes them row by row.
extern "C" __global__ void shuffles(const u64* keys, const int* n_of, u64 first, int count, int stride, Index* out) {
  EXTERN_SHARED(Index, orders);
  const int threads = blockDim.x, blocks = (count + threads - 1) / threads, pitch = threads + 2;
  const int pair = blockIdx.x / blocks, start = blockIdx.x % blocks * threads, n = n_of[pair];
  const int draw = start + threadIdx.x;
  if (draw < count) shuffle(keys + 2 * pair, first + draw, n, orders + threadIdx.x, pitch);
  __syncthreads();
  for (int row = threadIdx.x >> 5; row < threads && start + row < count; row += threads >> 5) {
    Index* to = out + (u64(pair) * count + start + row) * stride;
    for (int k = threadIdx.x & 31; k < n; k += 32) to[k] = orders[k * pitch + row];
  }
}

// The same where rows are too long for shared memory: each is shuffled where it lies.
extern "C" __global__ void long_shuffles(const u64* keys, const int* n_of, u64 first, int count, int stride,
                                         Index* out) {
  const int threads = blockDim.x, blocks = (count + threads - 1) / threads;
  const int pair = blockIdx.x / blocks, draw = blockIdx.x % blocks * threads + threadIdx.x;
  if (draw < count) shuffle(keys + 2 * pair, first + draw, n_of[pair], out + (u64(pair) * count + draw) * stride, 1);
}
