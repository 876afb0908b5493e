// Inner products of U-centered distances under permutations: one thread per draw, in O(n log n).

typedef unsigned long long u64;
typedef unsigned short Index;

struct alignas(16) Sums {
  double n, x, y, xy;

  __device__ void add(const Sums& other) {
    n += other.n;
    x += other.x;
    y += other.y;
    xy += other.xy;
  }
};

// What src/native/nulls/distances.cpp computes, in its order, so that both give the same bits: x ascending, the rows
// seen so far in a Fenwick tree over the positions of y. `pairings` has a row of `stride` per draw, `count` draws per
// pair; `trees` has room for stride + 1 nodes per thread, which stays the same while a thread goes from draw to draw.
extern "C" __global__ void distance_draws(const int* n_of, const int* x_order, const double* x, const double* x_rows,
                                          const int* y_positions, const double* y, const double* y_rows,
                                          const double* totals, const Index* pairings, int n_pairs, int count,
                                          int stride, Sums* trees, double* out) {
  const int threads = blockDim.x, blocks = (count + threads - 1) / threads;
  Sums* tree = trees + (u64(blockIdx.x) * threads + threadIdx.x) * (stride + 1);
  for (int part = blockIdx.x; part < n_pairs * blocks; part += gridDim.x) {
    const int pair = part / blocks, draw = part % blocks * threads + threadIdx.x, n = n_of[pair];
    if (draw >= count) continue;
    const u64 row = u64(pair) * count + draw, start = u64(pair) * stride;
    const Index* pairing = pairings + row * stride;
    const Sums nothing = {0, 0, 0, 0};
    for (int i = 0; i <= n; ++i) tree[i] = nothing;
    Sums all = nothing;
    double total = 0;
    for (int k = 0; k < n; ++k) {
      const u64 there = start + pairing[x_order[start + k]];
      const double xl = x[start + k], yl = y[there];
      const Sums one = {1, xl, yl, xl * yl};
      const unsigned position = y_positions[there];
      Sums below = nothing;
      for (unsigned i = position; i > 0; i &= i - 1) below.add(tree[i]);
      const double n_signed = 2 * below.n - all.n, x_signed = 2 * below.x - all.x;
      const double y_signed = 2 * below.y - all.y, xy_signed = 2 * below.xy - all.xy;
      total += n_signed * one.xy - xl * y_signed - yl * x_signed + xy_signed;
      for (unsigned i = position + 1; i <= unsigned(n); i += i & (~i + 1)) tree[i].add(one);
      all.add(one);
    }
    double first_sum = 0, second_sum = 0;
    int k = 0;
    for (; k + 1 < n; k += 2) {
      first_sum += x_rows[start + k] * y_rows[start + pairing[k]];
      second_sum += x_rows[start + k + 1] * y_rows[start + pairing[k + 1]];
    }
    if (k < n) first_sum += x_rows[start + k] * y_rows[start + pairing[k]];
    const double size = n;
    out[row] = 2 * total - 2 / (size - 2) * (first_sum + second_sum) + totals[pair] / ((size - 1) * (size - 2));
  }
}
