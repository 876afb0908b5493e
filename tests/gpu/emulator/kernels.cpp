// Entry points of the emulated kernels, one source at a time.
#include "warp.hpp"

#if defined(MIC_DRAWS)
#include "mic.cu"
extern "C" void run(int n_blocks, int n_threads, int n_bytes, int levels_at, int far_levels_at, int before_at, int after_at, int warp_bytes,
                    int far_bytes, char* far, const int* table, double unit,
                    const int* n_of, const int* x, const int* y, const unsigned char* labels, const u32* ties,
                    const int* parts, const double* entropy, const Index* pairings, int count, int per_block,
                    double* out) {
  emulated::launch(n_blocks, n_threads, n_bytes, [=] {
    mic_draws(levels_at, far_levels_at, before_at, after_at, warp_bytes, far_bytes, far, table, unit, n_of, x, y, labels, ties, parts, entropy, pairings, count, per_block, out);
  });
}
#elif defined(LINE_DRAWS)
#include "draws.cu"
extern "C" void run(int n_blocks, int n_threads, int n_bytes, const u64* keys, const int* n_of, const double* x,
                    const double* y, u64 first, int count, int stride, double* out) {
  emulated::launch(n_blocks, n_threads, n_bytes,
                   [=] { line_draws(keys, n_of, x, y, first, count, stride, out); });
}
#elif defined(GROUP_DRAWS)
#include "draws.cu"
extern "C" void run(int n_blocks, int n_threads, int n_bytes, const u64* keys, const int* n_of, const int* sizes,
                    const int* codes, const double* lines, const double* weights, u64 first, int count, int stride,
                    int most_groups, double* out) {
  emulated::launch(n_blocks, n_threads, n_bytes, [=] {
    group_draws(keys, n_of, sizes, codes, lines, weights, first, count, stride, most_groups, out);
  });
}
#elif defined(CELL_DRAWS)
#include "draws.cu"
extern "C" void run(int n_blocks, int n_threads, int n_bytes, const u64* keys, const int* n_of, const int* sizes,
                    const int* order, const int* codes, const int* starts, const int* columns, u64 first, int count,
                    int stride, int start_stride, int most_columns, double* out) {
  emulated::launch(n_blocks, n_threads, n_bytes, [=] {
    cell_draws(keys, n_of, sizes, order, codes, starts, columns, first, count, stride, start_stride, most_columns, out);
  });
}
#elif defined(DISTANCE_DRAWS)
#include "distances.cu"
extern "C" void run(int n_blocks, int n_threads, int n_bytes, const int* n_of, const int* x_order, const double* x,
                    const double* x_rows, const int* y_positions, const double* y, const double* y_rows,
                    const double* totals, const Index* pairings, int n_pairs, int count, int stride, Sums* trees,
                    double* out) {
  emulated::launch(n_blocks, n_threads, n_bytes, [=] {
    distance_draws(n_of, x_order, x, x_rows, y_positions, y, y_rows, totals, pairings, n_pairs, count, stride, trees,
                   out);
  });
}
#elif defined(LONG_SHUFFLES)
#include "draws.cu"
extern "C" void run(int n_blocks, int n_threads, int n_bytes, const u64* keys, const int* n_of, u64 first, int count,
                    int stride, Index* out) {
  emulated::launch(n_blocks, n_threads, n_bytes, [=] { long_shuffles(keys, n_of, first, count, stride, out); });
}
#elif defined(SCREEN)
#include "screen.cu"
using u64 = unsigned long long;
extern "C" void run(int n_blocks, int n_threads, int n_bytes, const float* r, u64 size, double threshold, u64 capacity,
                    u64* count, u64* at, float* value, u64* bins, int is_counted) {
  emulated::launch(n_blocks, n_threads, n_bytes, [=] {
    screen(r, size, float(threshold), capacity, count, at, value, bins, is_counted);
  });
}
#else
#include "draws.cu"
extern "C" void run(int n_blocks, int n_threads, int n_bytes, const u64* keys, const int* n_of, u64 first, int count,
                    int stride, Index* out) {
  emulated::launch(n_blocks, n_threads, n_bytes, [=] { shuffles(keys, n_of, first, count, stride, out); });
}
#endif
