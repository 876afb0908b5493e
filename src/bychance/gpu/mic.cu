// MIC, MIC_e and TIC_e of many permutations of many pairs: one warp per permutation.
//
// The same search as src/native/mic (Reshef et al. 2011): W(s, t) = sum over rows of g(points of the row in
// s..t) - g(points in s..t), F_l(t) = max over s < t of F_{l-1}(s) + W(s, t), g(k) = k ln k. Here g is an integer,
// a multiple of `unit`, so that sums neither round nor depend on their order; a value differs from the CPU's by
// what the rounding of g costs. Lane = t, the levels F_1, F_2, … of t in registers.
//
// Compiled once per budget: BUDGET = floor(n^exponent) fixes rows, columns and superclumps. CLUMPS is the setting,
// KIND 0 is mic, 1 mic_e, 2 tic_e, LEVELS are kept in registers at a time. Pairs come as the tie groups of sorted
// columns: the permutation says which sorted position of y meets each sorted position of x.

#include "mic_clumps.cuh"

#if BUDGET > 28
#define PER_ROWS __noinline__
#else
#define PER_ROWS __forceinline__
#endif

__device__ inline int best_of(int candidate, int gained, int best) {
  return larger(candidate + gained, best);
}

// Keeps the levels of t for later boundaries, and either the last of them for the next levels, or says what one
// more column makes of it at the last boundary.
template <int ROWS, int COUNT, bool IS_LAST>
__device__ inline int keep(const Warp& w, int t, bool is_stored, const int* best, const u32* end, const u32* right,
                           u32* levels, int* after) {
  constexpr int KEPT = COUNT - 1, STRIDE = (KEPT + 3) / 4 * 4;
  if (t < 1) return UNREACHABLE;
  if constexpr (STRIDE > 0) {
    if (is_stored) {
      u32 kept[STRIDE];
#pragma unroll
      for (int l = 0; l < STRIDE; ++l) kept[l] = l < KEPT ? u32(best[l]) : 0u;
      store<STRIDE>(levels + t * STRIDE, kept);
    }
  }
  if (IS_LAST) return best[COUNT - 1] + gain<ROWS>(end, right);
  after[t] = best[COUNT - 1];
  return UNREACHABLE;
}

// F_{A+1} … F_{A+COUNT} at all boundaries; what goes before is F_A. Each lane has two of them, t and t + 32, so that
// what is read of an s serves both. Leaves those of the last boundary in lane 31. With IS_LAST the level after them
// is needed at the last boundary alone, and returned.
template <int ROWS, int COUNT, int A, bool IS_LAST>
__device__ int fill_levels(const Warp& w, int pieces, int* later) {
  constexpr int SIZE = padded(words_of(ROWS)), KEPT = COUNT - 1, STRIDE = (KEPT + 3) / 4 * 4;
  const u32* counts = w.at<u32>(AT_COUNTS);
  constexpr int MOST = larger(smaller(superclumps_of(ROWS), MOST_N) - 63, 1), BYTES = 4 * STRIDE;
  u32* levels = w.levels<MOST * BYTES>(larger(pieces - 63, 1) * BYTES);
  const bool is_odd = A / LEVELS & 1;
  const int* before = w.at<int>(is_odd ? w.room.after : w.room.before);
  int* after = w.at<int>(is_odd ? w.room.before : w.room.after);
  u32 zero[SIZE], right[SIZE], later_right[SIZE], left[SIZE];
#pragma unroll
  for (int j = 0; j < SIZE; ++j) zero[j] = 0;
  int final_level = UNREACHABLE, best[COUNT];
  for (int base = pieces - 64 * ((pieces + 63) / 64) + 1; base <= pieces; base += 64) {
    const int t = base + w.lane;
    const bool has_first = base > -31;
    load<SIZE>(counts + larger(t + 32, 0) * SIZE, later_right);
    load<SIZE>(counts + larger(t, 0) * SIZE, right);
    {
      const int gained = gain<ROWS>(right, zero), later_gained = gain<ROWS>(later_right, zero);
#pragma unroll
      for (int l = 0; l < COUNT; ++l) best[l] = gained, later[l] = later_gained;
    }
#pragma unroll 1
    for (int s = 1; s < base; ++s) {
      u32 from[STRIDE ? STRIDE : 1];
      load<SIZE>(counts + s * SIZE, left);
      if constexpr (STRIDE > 0) load<STRIDE>(levels + s * STRIDE, from);
      const int gained = gain<ROWS>(right, left), later_gained = gain<ROWS>(later_right, left);
      if (A > 0) {
        best[0] = best_of(before[s], gained, best[0]);
        later[0] = best_of(before[s], later_gained, later[0]);
      }
#pragma unroll
      for (int l = 1; l < COUNT; ++l) {
        best[l] = best_of(int(from[l - 1]), gained, best[l]);
        later[l] = best_of(int(from[l - 1]), later_gained, later[l]);
      }
    }
#pragma unroll 1
    for (int i = larger(1 - base, 0); i < 32; ++i) {
      const int s = base + i;
      int from[COUNT];
#pragma unroll
      for (int l = 0; l < KEPT; ++l) from[l] = __shfl_sync(ALL, best[l], i);
      load<SIZE>(counts + s * SIZE, left);
      const int later_gained = gain<ROWS>(later_right, left);
      if (A > 0) later[0] = best_of(before[s], later_gained, later[0]);
#pragma unroll
      for (int l = 1; l < COUNT; ++l) later[l] = best_of(from[l - 1], later_gained, later[l]);
      if (w.lane > i) {
        const int gained = gain<ROWS>(right, left);
        if (A > 0) best[0] = best_of(before[s], gained, best[0]);
#pragma unroll
        for (int l = 1; l < COUNT; ++l) best[l] = best_of(from[l - 1], gained, best[l]);
      }
    }
#pragma unroll 1
    for (int i = larger(-31 - base, 0); i < 31; ++i) {
      const int s = base + 32 + i;
      int from[COUNT];
#pragma unroll
      for (int l = 0; l < KEPT; ++l) from[l] = __shfl_sync(ALL, later[l], i);
      if (w.lane > i) {
        load<SIZE>(counts + s * SIZE, left);
        const int gained = gain<ROWS>(later_right, left);
        if (A > 0) later[0] = best_of(before[s], gained, later[0]);
#pragma unroll
        for (int l = 1; l < COUNT; ++l) later[l] = best_of(from[l - 1], gained, later[l]);
      }
    }
    const bool is_stored = base + 63 < pieces;
    load<SIZE>(counts + pieces * SIZE, left);
    if (has_first)
      final_level = larger(final_level, keep<ROWS, COUNT, IS_LAST>(w, t, is_stored, best, left, right, levels, after));
    const int found =
        keep<ROWS, COUNT, IS_LAST>(w, t + 32, is_stored, later, left, later_right, levels, after);
    final_level = larger(final_level, found);
    __syncwarp();
  }
  return final_level;
}

// What a search finds goes into the largest cell, or with tic_e into their sum.
struct Cells {
  double largest, sum, diagonal;
  double entropy, unit;
  int rows, asked;
  bool is_second;  // of the two directions
  __device__ void add(int columns, int score) {
    double cell = (entropy + score * unit) * shared_at<double>(AT_SCALES)[smaller(rows, columns)];
    cell = cell < 0 ? 0 : cell > 1 ? 1 : cell;
    largest = cell > largest ? cell : largest;
    if (KIND != 2) return;
    if (columns != asked) {
      sum += cell;
    } else if (is_second) {
      sum += cell > diagonal ? cell : diagonal;
    } else {
      diagonal = cell;
    }
  }
};

template <int ROWS, int LEFT, int A>
__device__ void search_from(const Warp& w, int pieces, Cells& cells) {
  constexpr int PASSES = (LEFT + LEVELS - 1) / LEVELS, COUNT = (LEFT + PASSES - 1) / PASSES;
  constexpr bool IS_LAST = COUNT == LEFT;
  // Passes after the first have as many levels or fewer; A only tells which buffer is which.
  int best[COUNT];
  int last = fill_levels<ROWS, COUNT, A, IS_LAST>(w, pieces, best);
  constexpr int DONE = columns_of(ROWS) - 1 - LEFT;
  // With two rows all cells share one scale, and more columns never score less.
#pragma unroll
  for (int l = 0; l < COUNT; ++l)
    if (DONE + l + 1 >= 2 && (ROWS > 2 || KIND == 2)) cells.add(DONE + l + 1, best[l]);
  if constexpr (IS_LAST) {
    last = __reduce_max_sync(ALL, last);
    cells.add(columns_of(ROWS), last);
  } else {
    search_from<ROWS, LEFT - COUNT, A + LEVELS>(w, pieces, cells);
  }
}

template <int ROWS>
__device__ void search_two(const Warp& w, int pieces, Cells& cells) {
  constexpr int SIZE = padded(words_of(ROWS));
  const u32* counts = w.at<u32>(AT_COUNTS);
  u32 zero[SIZE], middle[SIZE], end[SIZE];
#pragma unroll
  for (int j = 0; j < SIZE; ++j) zero[j] = 0;
  load<SIZE>(counts + pieces * SIZE, end);
  int best = UNREACHABLE;
  for (int s = w.lane; s < pieces; s += 32) {
    load<SIZE>(counts + s * SIZE, middle);
    best = larger(best, gain<ROWS>(middle, zero) + gain<ROWS>(end, middle));
  }
  cells.add(2, __reduce_max_sync(ALL, best));
}

// Both directions of one row count. Where there are many row counts each is one function: all in one take
// minutes to compile.
template <int ROWS>
__device__ PER_ROWS Cells search_rows(Warp w, Axis x, Axis y, int n, Cells cells) {
  constexpr int PART = ROWS - 2, COLUMNS = columns_of(ROWS);
  cells.asked = ROWS;
  cells.diagonal = 0;
#pragma unroll 1
  for (int direction = 0; direction < 2; ++direction) {
    const Axis rows = {1 - direction, direction ? x.has_ties : y.has_ties, direction ? x.far_labels : y.far_labels};
    const int at = direction * PARTITIONS + PART, part = rows.part(PART);
    const int pieces = w.at<int>(AT_PIECES)[at];
    const bool is_repeat = part >> 16 && w.at<int>(AT_FOUND)[at] <= superclumps_of(ROWS);
    cells.rows = part & 0xffff;
    cells.entropy = rows.entropy(PART);
    cells.is_second = direction == 1;
    if (cells.rows < 2 || (KIND != 2 && is_repeat)) {
      if (KIND == 2 && direction == 1) cells.sum += cells.diagonal;
      continue;
    }
    count_points<ROWS>(w, rows, w.at<Index>(direction ? AT_X_AT_Y : AT_Y_AT_X), n, w.masks() + at * WORDS, pieces);
    if constexpr (COLUMNS == 2) {
      search_two<ROWS>(w, pieces, cells);
    } else {
      search_from<ROWS, COLUMNS - 1, 0>(w, pieces, cells);
    }
    __syncwarp();
  }
  return cells;
}

template <int ROWS>
__device__ __forceinline__ void search_all(const Warp& w, const Axis& x, const Axis& y, int n, bool is_idle,
                                           Cells& cells) {
  __syncthreads();  // warps in different row counts would thrash the instruction cache
  if (!is_idle) cells = search_rows<ROWS>(w, x, y, n, cells);
  if constexpr (ROWS < MOST_ROWS) search_all<ROWS + 1>(w, x, y, n, is_idle, cells);
}

__device__ void lay_out(const Warp& w, const Axis& x, const Axis& y, const Index* pairing, int n) {
  Index* y_at_x = w.at<Index>(AT_Y_AT_X);
  Index* x_at_y = w.at<Index>(AT_X_AT_Y);
  for (int k = w.lane; k < n; k += 32) {
    const Index partner = pairing[k];
    y_at_x[k] = partner;
    x_at_y[partner] = Index(k);
  }
  __syncwarp();
  u32* masks = w.masks();
  int* found = w.at<int>(AT_FOUND);
  find_clumps(w, x, y, y_at_x, n, masks, found);
  find_clumps(w, y, x, x_at_y, n, masks + PARTITIONS * WORDS, found + PARTITIONS);
  for (int at = w.lane; at < 2 * PARTITIONS; at += 32) {
    const int allowed = superclumps_of(at % PARTITIONS + 2), clumps = found[at];
    w.at<int>(AT_PIECES)[at] = clumps > allowed ? merge_clumps(masks + at * WORDS, n, allowed) : clumps;
  }
  __syncwarp();
}

// Pair p of the launch has the variables x[p] and y[p], whose labels, ties, parts and entropy are rows of those
// arrays; its draws are `count` rows of `pairings`. A block takes `per_block` draws of one pair.
extern "C" __global__ void __launch_bounds__(32 * WARPS, BLOCKS)
    mic_draws(int levels_at, int far_levels_at, int before_at, int after_at, int warp_bytes, int far_bytes,
              char* __restrict__ far, const int* __restrict__ table, double unit,
              const int* __restrict__ n_of, const int* __restrict__ x, const int* __restrict__ y,
              const unsigned char* __restrict__ labels, const u32* __restrict__ ties, const int* __restrict__ parts,
              const double* __restrict__ entropy, const Index* __restrict__ pairings, int count, int per_block,
              double* __restrict__ out) {
  const int blocks = (count + per_block - 1) / per_block;
  const int pair = blockIdx.x / blocks, first = blockIdx.x % blocks * per_block, n = n_of[pair];
  const int threads = blockDim.x;
  for (int k = threadIdx.x; k <= n; k += threads) shared_at<int>(AT_TABLE)[k] = table[k];
  for (int k = 2 + threadIdx.x; k <= MOST_ROWS; k += threads)
    shared_at<double>(AT_SCALES)[k] = 1.0 / (n * log(double(k)));
  Axis axes[2];
#pragma unroll
  for (int side = 0; side < 2; ++side) {
    const u64 variable = u64(side ? y[pair] : x[pair]);
    for (int k = threadIdx.x; k < WORDS; k += threads)
      shared_at<u32>(AT_TIES)[side * WORDS + k] = ties[variable * WORDS + k];
    for (int k = threadIdx.x; k < PARTITIONS; k += threads) {
      shared_at<int>(AT_PARTS)[side * PARTITIONS + k] = parts[variable * PARTITIONS + k];
      shared_at<double>(AT_ENTROPY)[side * PARTITIONS + k] = entropy[variable * PARTITIONS + k];
    }
    axes[side] = {side, false, labels + variable * PARTITIONS * MOST_N};
    if (AT_LABELS >= 0)
      for (int k = threadIdx.x; k < PARTITIONS * MOST_N; k += threads)
        shared_at<unsigned char>(AT_LABELS)[side * PARTITIONS * MOST_N + k] = axes[side].far_labels[k];
  }
  __syncthreads();
#pragma unroll
  for (int side = 0; side < 2; ++side)
    for (int word = 0; word * 32 < n; ++word) {
      const u32 all = n - word * 32 >= 32 ? ALL : (1u << (n - word * 32)) - 1;
      axes[side].has_ties |= axes[side].ties()[word] != all;
    }
  const int number = threadIdx.x >> 5;
  Warp w;
  w.lane = threadIdx.x & 31;
  w.below = (1u << w.lane) - 1;
  w.memory = AT_WARPS + number * warp_bytes;
  w.far = far + (u64(blockIdx.x) * WARPS + number) * far_bytes;
  w.room = {levels_at, far_levels_at, before_at, after_at};
  for (int k = 0; k < per_block; k += WARPS) {
    const int draw = first + k + number;
    const bool is_idle = k + number >= per_block || draw >= count;
    const u64 at = u64(pair) * count + draw;
    if (!is_idle) lay_out(w, axes[0], axes[1], pairings + at * MOST_N, n);
    Cells cells;
    cells.largest = cells.sum = 0;
    cells.unit = unit;
    search_all<2>(w, axes[0], axes[1], n, is_idle, cells);
    if (!is_idle && w.lane == 31) out[at] = KIND == 2 ? cells.sum : cells.largest;
    __syncwarp();
  }
}
