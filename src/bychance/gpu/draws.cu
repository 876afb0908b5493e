// Statistics under numbered permutations of pairs, one thread per draw, and permutations written out.

typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned short Index;

// Random numbers of a draw, as src/native/permutations/permutations.cpp makes them.
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

// What a thread draws: draw number `draw` of `count` of a pair with n rows. In shared memory, what a block's threads
// hold of a position lies side by side, `pitch` apart from the next position.
struct Task {
  int threads, pitch, start, draw, n;
  u64 pair, row;  // of the output
  __device__ Task(const int* n_of, int count) {
    threads = blockDim.x, pitch = threads + 2;
    const int blocks = (count + threads - 1) / threads;
    pair = blockIdx.x / blocks, start = blockIdx.x % blocks * threads;
    draw = start + threadIdx.x, row = pair * count + draw, n = n_of[pair];
  }
};

// All kernels make draws first, first + 1, … of each pair's key, `count` per pair. Arrays have a row of `stride`
// positions per pair. Sums are formed in the order of the CPU's, so that both give the same bits.

// sum of x[k] y[pairing[k]]: every other product from the last one on has its own sum.
extern "C" __global__ void line_draws(const u64* keys, const int* n_of, const double* x, const double* y, u64 first,
                                      int count, int stride, double* out) {
  EXTERN_SHARED(Index, orders);
  const Task task(n_of, count);
  if (task.draw >= count) return;
  Index* own = orders + threadIdx.x;
  shuffle(keys + 2 * task.pair, first + task.draw, task.n, own, task.pitch);
  const double* a = x + task.pair * stride;
  const double* b = y + task.pair * stride;
  double first_sum = 0, second_sum = 0;
  int k = task.n;
  for (; k > 1; k -= 2) {
    first_sum += a[k - 1] * b[own[(k - 1) * task.pitch]];
    second_sum += a[k - 2] * b[own[(k - 2) * task.pitch]];
  }
  if (k == 1) first_sum += a[0] * b[own[0]];
  out[task.row] = first_sum + second_sum;
}

// sum over groups g of weight[g] times the squared sum of the line over g; the line is permuted or the groups are.
// `sizes` has two numbers per pair: how many groups, and whether the line is permuted.
extern "C" __global__ void group_draws(const u64* keys, const int* n_of, const int* sizes, const int* codes,
                                       const double* lines, const double* weights, u64 first, int count, int stride,
                                       int most_groups, double* out) {
  EXTERN_SHARED(double, shared);
  const Task task(n_of, count);
  if (task.draw >= count) return;
  double* sums = shared + threadIdx.x;
  Index* own = reinterpret_cast<Index*>(shared + most_groups * task.threads) + threadIdx.x;
  shuffle(keys + 2 * task.pair, first + task.draw, task.n, own, task.pitch);
  const int n_groups = sizes[2 * task.pair], is_line_permuted = sizes[2 * task.pair + 1];
  const int* code = codes + task.pair * stride;
  const double* line = lines + task.pair * stride;
  const double* weight = weights + task.pair * most_groups;
  for (int g = 0; g < n_groups; ++g) sums[g * task.threads] = 0;
  for (int k = 0; k < task.n; ++k) {
    const int met = own[k * task.pitch];
    if (is_line_permuted)
      sums[code[k] * task.threads] += line[met];
    else
      sums[code[met] * task.threads] += line[k];
  }
  double total = 0;
  for (int g = 0; g < n_groups; ++g) total += weight[g] * sums[g * task.threads] * sums[g * task.threads];
  out[task.row] = total;
}

// The sums over cells of src/native/permutations/cell_sum.cpp for `gain` and `contingency`. `sizes` has three numbers
// per pair: rows and columns of its table, and whether the function is `contingency`; `order` has the rows of data by
// the label of x, `starts` where each label starts there, `columns` the totals.
extern "C" __global__ void cell_draws(const u64* keys, const int* n_of, const int* sizes, const int* order,
                                      const int* codes, const int* starts, const int* columns, u64 first, int count,
                                      int stride, int start_stride, int most_columns, double* out) {
  EXTERN_SHARED(Index, shared);
  const Task task(n_of, count);
  if (task.draw >= count) return;
  const int pitch = task.pitch, n = task.n;
  Index* counts = shared + threadIdx.x;
  Index* own = counts + most_columns * pitch;
  shuffle(keys + 2 * task.pair, first + task.draw, n, own, pitch);
  sizes += 3 * task.pair, order += task.pair * stride, codes += task.pair * stride;
  starts += task.pair * start_stride, columns += task.pair * most_columns;
  const int n_rows = sizes[0], n_columns = sizes[1], is_contingency = sizes[2];
  long long total_empty = 0;
  for (int j = 0; j < n_columns; ++j) {
    counts[j * pitch] = 0;
    total_empty += is_contingency ? columns[j] : (long long)(columns[j]) * columns[j];
  }
  double total = 0;
  for (int i = 0; i < n_rows; ++i) {
    const int begin = starts[i], end = starts[i + 1], size = end - begin;
    for (int k = begin; k < end; ++k) ++counts[codes[own[order[k] * pitch]] * pitch];
    long long empty = total_empty;
    const bool is_dense = n_columns <= 2 * size;
    for (int k = 0; k < (is_dense ? n_columns : size); ++k) {
      const int j = is_dense ? k : codes[own[order[begin + k] * pitch]], met = counts[j * pitch];
      if (met == 0) continue;
      counts[j * pitch] = 0;
      empty -= is_contingency ? columns[j] : (long long)(columns[j]) * columns[j];
      const long long product = (long long)(size)*columns[j];
      const double above = double((long long)(n)*met - product) / double(n);
      total += above * above / double(is_contingency ? product : (long long)(size));
    }
    if (empty != 0) total += double(size) / double(n) * (double(empty) / double(n));
  }
  out[task.row] = total;
}

// Re-pairings for kernels that read them more than once: rows of `stride` positions. A block shuffles draws of one
// pair in shared memory and writes them row by row.
extern "C" __global__ void shuffles(const u64* keys, const int* n_of, u64 first, int count, int stride, Index* out) {
  EXTERN_SHARED(Index, orders);
  const Task task(n_of, count);
  if (task.draw < count) shuffle(keys + 2 * task.pair, first + task.draw, task.n, orders + threadIdx.x, task.pitch);
  __syncthreads();
  for (int row = threadIdx.x >> 5; row < task.threads && task.start + row < count; row += task.threads >> 5) {
    Index* to = out + (task.pair * count + task.start + row) * stride;
    for (int k = threadIdx.x & 31; k < task.n; k += 32) to[k] = orders[k * task.pitch + row];
  }
}

// Re-pairings with rows too long for shared memory: each is shuffled where it lies.
extern "C" __global__ void long_shuffles(const u64* keys, const int* n_of, u64 first, int count, int stride,
                                         Index* out) {
  const Task task(n_of, count);
  if (task.draw < count) shuffle(keys + 2 * task.pair, first + task.draw, task.n, out + task.row * stride, 1);
}
