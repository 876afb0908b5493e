// Weighted squared sums of a line over groups under permutations: one thread per draw.
#include "stream.cuh"

// sum over groups g of weight[g] times the squared sum of the line over g, for draws first, first + 1, … of each
// pair's key, `count` per pair; the line is permuted or the groups are. `sizes` has two numbers per pair: how many groups,
// and whether the line is permuted. Sums are formed in the order of the CPU's, so that both give the same bits.
extern "C" __global__ void group_draws(const u64* keys, const int* n_of, const int* sizes, const int* codes,
                                       const double* lines, const double* weights, u64 first, int count, int stride,
                                       int most_groups, double* out) {
  EXTERN_SHARED(double, shared);
  const int threads = blockDim.x, blocks = (count + threads - 1) / threads, pitch = threads + 2;
  const int pair = blockIdx.x / blocks, draw = blockIdx.x % blocks * threads + threadIdx.x, n = n_of[pair];
  if (draw >= count) return;
  double* sums = shared + threadIdx.x;
  Index* own = reinterpret_cast<Index*>(shared + most_groups * threads) + threadIdx.x;
  shuffle(keys + 2 * pair, first + draw, n, own, pitch);
  const int n_groups = sizes[2 * pair], is_line_permuted = sizes[2 * pair + 1];
  const int* code = codes + u64(pair) * stride;
  const double* line = lines + u64(pair) * stride;
  const double* weight = weights + u64(pair) * most_groups;
  for (int g = 0; g < n_groups; ++g) sums[g * threads] = 0;
  for (int k = 0; k < n; ++k) {
    const int met = own[k * pitch];
    if (is_line_permuted)
      sums[code[k] * threads] += line[met];
    else
      sums[code[met] * threads] += line[k];
  }
  double total = 0;
  for (int g = 0; g < n_groups; ++g) total += weight[g] * sums[g * threads] * sums[g * threads];
  out[u64(pair) * count + draw] = total;
}
