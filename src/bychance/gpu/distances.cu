// Inner products of U-centered distances under permutations: one thread per draw, in O(n log n).

typedef unsigned long long u64;
typedef unsigned short Index;

struct alignas(16) Sums {
  int n;
  double x, y, xy;

  __device__ void add(const Sums& other) {
    n += other.n;
    x += other.x;
    y += other.y;
    xy += other.xy;
  }
};

// Nodes of a tree that are on their way at a time.
#ifdef IN_SHARED
constexpr int kSteps = 4;
#else
constexpr int kSteps = 2;
#endif

// The sums of one thread. In shared memory those of a warp lie side by side, so that no two threads meet in a bank,
// and counts in two bytes; in global memory a node is one sector.
struct Tree {
#ifdef IN_SHARED
  double* sums;
  Index* counts;

  __device__ Sums get(unsigned i) const {
    const double* node = sums + i * 96;
    return {counts[i * 32], node[0], node[32], node[64]};
  }
  __device__ void put(unsigned i, const Sums& node) {
    counts[i * 32] = Index(node.n);
    sums[i * 96] = node.x, sums[i * 96 + 32] = node.y, sums[i * 96 + 64] = node.xy;
  }
#else
  Sums* nodes;

  __device__ Sums get(unsigned i) const { return nodes[i]; }
  __device__ void put(unsigned i, const Sums& node) { nodes[i] = node; }
#endif
};

// What src/native/permutations/ranks.cpp computes, in its order, so that both give the same bits: x ascending, the rows
// seen so far in a Fenwick tree over the positions of y. `pairings` has a row of `stride` per draw, `count` draws per
// pair. A tree has stride + 2 nodes, in shared memory or in `trees`: node 0 stays empty and the one after the last
// takes what belongs to none, so that steps beyond the end of a walk do no harm.
extern "C" __global__ void distance_draws(const int* n_of, const int* x_order, const double* x, const double* x_rows,
                                          const int* y_positions, const double* y, const double* y_rows,
                                          const double* totals, const Index* pairings, int n_pairs, int count,
                                          int stride, Sums* trees, double* out) {
  const int threads = blockDim.x, blocks = (count + threads - 1) / threads;
#ifdef IN_SHARED
  EXTERN_SHARED(double, shared);
  Tree tree = {shared + threadIdx.x, reinterpret_cast<Index*>(shared + 96 * (stride + 2)) + threadIdx.x};
#else
  Tree tree = {trees + (u64(blockIdx.x) * threads + threadIdx.x) * (stride + 2)};
#endif
  for (int part = blockIdx.x; part < n_pairs * blocks; part += gridDim.x) {
    const int pair = part / blocks, draw = part % blocks * threads + threadIdx.x;
    const unsigned n = n_of[pair];
    if (draw >= count) continue;
    const u64 row = u64(pair) * count + draw, start = u64(pair) * stride;
    const Index* pairing = pairings + row * stride;
    const int* order = x_order + start;
    const Sums nothing = {0, 0, 0, 0};
    for (unsigned i = 0; i <= n + 1; ++i) tree.put(i, nothing);
    Sums all = nothing;
    double total = 0;
    int next = pairing[order[0]], after = order[n > 1];  // on their way while the tree is at work
    for (unsigned k = 0; k < n; ++k) {
      const u64 there = start + next;
      const double xl = x[start + k], yl = y[there];
      const unsigned position = y_positions[there];
      next = pairing[after], after = order[k + 2 < n ? k + 2 : 0];
      const Sums one = {1, xl, yl, xl * yl};
      Sums below = nothing;
      for (unsigned i = position; i > 0;) {
        Sums nodes[kSteps];
#pragma unroll
        for (int step = 0; step < kSteps; ++step) {
          nodes[step] = tree.get(i);
          i &= i - 1;
        }
#pragma unroll
        for (int step = 0; step < kSteps; ++step) below.add(nodes[step]);
      }
      const double n_signed = 2 * below.n - all.n, x_signed = 2 * below.x - all.x;
      const double y_signed = 2 * below.y - all.y, xy_signed = 2 * below.xy - all.xy;
      total += n_signed * one.xy - xl * y_signed - yl * x_signed + xy_signed;
      for (unsigned i = position + 1; i <= n;) {
        unsigned at[kSteps];
        Sums nodes[kSteps];
#pragma unroll
        for (int step = 0; step < kSteps; ++step) {
          at[step] = i;
          nodes[step] = tree.get(i);
          i += i & (~i + 1);
          i = i > n ? n + 1 : i;
        }
#pragma unroll
        for (int step = 0; step < kSteps; ++step) {
          nodes[step].add(one);
          tree.put(at[step], nodes[step]);
        }
      }
      all.add(one);
    }
    double first_sum = 0, second_sum = 0;
    unsigned k = 0;
    for (; k + 1 < n; k += 2) {
      first_sum += x_rows[start + k] * y_rows[start + pairing[k]];
      second_sum += x_rows[start + k + 1] * y_rows[start + pairing[k + 1]];
    }
    if (k < n) first_sum += x_rows[start + k] * y_rows[start + pairing[k]];
    const double size = n;
    out[row] = 2 * total - 2 / (size - 2) * (first_sum + second_sum) + totals[pair] / ((size - 1) * (size - 2));
  }
}
