// Inner products of pairs of lines under re-pairings: one thread per draw.
#include "stream.cuh"

// sum of x[k] y[pairing[k]] for draws first, first + 1, … of each pair's key, `count` per pair; lines are rows of
// `stride` numbers. Every other product from the last one on has its own sum, as on the CPU, so that both give the same bits.
extern "C" __global__ void line_draws(const u64* keys, const int* n_of, const double* x, const double* y, u64 first,
                                      int count, int stride, double* out) {
  EXTERN_SHARED(Index, orders);
  const int threads = blockDim.x, blocks = (count + threads - 1) / threads, pitch = threads + 2;
  const int pair = blockIdx.x / blocks, draw = blockIdx.x % blocks * threads + threadIdx.x, n = n_of[pair];
  if (draw >= count) return;
  Index* own = orders + threadIdx.x;
  shuffle(keys + 2 * pair, first + draw, n, own, pitch);
  const double* a = x + u64(pair) * stride;
  const double* b = y + u64(pair) * stride;
  double first_sum = 0, second_sum = 0;
  int k = n;
  for (; k > 1; k -= 2) {
    first_sum += a[k - 1] * b[own[(k - 1) * pitch]];
    second_sum += a[k - 2] * b[own[(k - 2) * pitch]];
  }
  if (k == 1) first_sum += a[0] * b[own[0]];
  out[u64(pair) * count + draw] = first_sum + second_sum;
}
