// Sums over the cells of contingency tables under permutations: one thread per draw.
#include "stream.cuh"

// The sums of src/native/permutations/cell_sum.cpp for `gain` and `contingency`, in its order, so that both give the same
// bits. `sizes` has three numbers per pair: rows and columns of its table, and whether the function is `contingency`;
// `order` has the rows of data by the label of x, `starts` where each label starts there, `columns` the totals.
extern "C" __global__ void cell_draws(const u64* keys, const int* n_of, const int* sizes, const int* order,
                                      const int* codes, const int* starts, const int* columns, u64 first, int count,
                                      int stride, int start_stride, int most_columns, double* out) {
  EXTERN_SHARED(Index, shared);
  const int threads = blockDim.x, blocks = (count + threads - 1) / threads, pitch = threads + 2;
  const int pair = blockIdx.x / blocks, draw = blockIdx.x % blocks * threads + threadIdx.x, n = n_of[pair];
  if (draw >= count) return;
  Index* counts = shared + threadIdx.x;
  Index* own = counts + most_columns * pitch;
  shuffle(keys + 2 * pair, first + draw, n, own, pitch);
  const int n_rows = sizes[3 * pair], n_columns = sizes[3 * pair + 1], is_contingency = sizes[3 * pair + 2];
  order += u64(pair) * stride, codes += u64(pair) * stride;
  starts += u64(pair) * start_stride, columns += u64(pair) * most_columns;
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
  out[u64(pair) * count + draw] = total;
}
