// CUDA's words for a C++ compiler: the threads of one block are fibers, and those of a warp meet at each
// collective operation. Slow, and as exact as the kernels: no thread runs ahead where the GPU would wait.
#pragma once

#define __restrict__
#include <ucontext.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#define __device__
#define __global__
#define __launch_bounds__(n, blocks)
#define __forceinline__ inline
#define __noinline__
#define EXTERN_SHARED(T, name) T* name = reinterpret_cast<T*>(emulated::shared.data())

struct uint2 {
  unsigned x, y;
};
struct uint4 {
  unsigned x, y, z, w;
};
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
struct float4 {
  float x, y, z, w;
};
struct Dim {
  int x;
};

namespace emulated {

constexpr std::size_t kStack = 1 << 16;

struct Meeting {  // of the threads of a warp or of a block
  int n_arrived = 0, round = 0;
  std::vector<int> given, shown;
};

struct Thread {
  ucontext_t context;
  std::unique_ptr<char[]> stack{new char[kStack]};
  bool is_done = false;
};

inline std::vector<Thread> threads;
inline std::vector<Meeting> warps;
inline Meeting block;
inline std::vector<std::uint64_t> shared;
inline ucontext_t scheduler;
inline int current = 0, block_number = 0, n_blocks = 0;
inline std::function<void()> body;

inline void step_aside() { swapcontext(&threads[current].context, &scheduler); }

inline const std::vector<int>& meet(Meeting& meeting, int place, int size, int value) {
  meeting.given.resize(size);
  meeting.given[place] = value;
  const int round = meeting.round;
  if (++meeting.n_arrived == size) {
    meeting.shown = meeting.given;
    meeting.n_arrived = 0;
    ++meeting.round;
  } else {
    while (meeting.round == round) step_aside();
  }
  return meeting.shown;
}

inline const std::vector<int>& meet_warp(int value) { return meet(warps[current / 32], current % 32, 32, value); }

inline void enter() {
  body();
  threads[current].is_done = true;
  step_aside();
}

inline void launch(int blocks, int n_threads, std::size_t shared_bytes, const std::function<void()>& kernel) {
  body = kernel;
  n_blocks = blocks;
  for (block_number = 0; block_number < n_blocks; ++block_number) {
    shared.assign(shared_bytes / 8 + 2, 0xA5A5A5A5A5A5A5A5u);
    threads = std::vector<Thread>(n_threads);
    warps.assign((n_threads + 31) / 32, {});
    block = {};
    for (Thread& thread : threads) {
      getcontext(&thread.context);
      thread.context.uc_stack.ss_sp = thread.stack.get();
      thread.context.uc_stack.ss_size = kStack;
      makecontext(&thread.context, enter, 0);
    }
    for (int n_left = n_threads; n_left > 0;)
      for (current = 0; current < n_threads; ++current)
        if (!threads[current].is_done) {
          swapcontext(&scheduler, &threads[current].context);
          n_left -= threads[current].is_done;
        }
  }
}

}  // namespace emulated

#define threadIdx (Dim{emulated::current})
#define blockIdx (Dim{emulated::block_number})
#define blockDim (Dim{int(emulated::threads.size())})
#define gridDim (Dim{emulated::n_blocks})

inline void __syncthreads() {
  emulated::meet(emulated::block, emulated::current, int(emulated::threads.size()), 0);
}
inline void __syncwarp() { emulated::meet_warp(0); }
inline unsigned __ballot_sync(unsigned, bool holds) {
  unsigned bits = 0;
  const std::vector<int>& all = emulated::meet_warp(holds);
  for (int lane = 0; lane < 32; ++lane) bits |= unsigned(all[lane] != 0) << lane;
  return bits;
}
inline int __shfl_sync(unsigned, int value, int lane) { return emulated::meet_warp(value)[lane]; }
inline int __shfl_up_sync(unsigned, int value, int by) {
  const int lane = emulated::current % 32;
  const std::vector<int>& all = emulated::meet_warp(value);
  return lane < by ? value : all[lane - by];
}
inline int __reduce_max_sync(unsigned, int value) {
  const std::vector<int>& all = emulated::meet_warp(value);
  int best = all[0];
  for (int each : all) best = each > best ? each : best;
  return best;
}
template <typename T>
T atomicAdd(T* sum, T more) {
  const T before = *sum;
  *sum += more;
  return before;
}
inline unsigned __float_as_uint(float value) {
  unsigned bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline float __uint_as_float(unsigned bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
inline float __fdividef(float a, float b) { return a / b; }
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __clz(unsigned bits) { return bits ? __builtin_clz(bits) : 32; }
inline int __ffs(unsigned bits) { return __builtin_ffs(int(bits)); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
