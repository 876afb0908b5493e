// What a search of mic.cu starts from: where the clumps of a permutation start, and the counts of every row there.

typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned short Index;

#define ALL 0xffffffffu
#define UNREACHABLE (-(1 << 30))

__device__ constexpr int larger(int a, int b) { return a > b ? a : b; }
__device__ constexpr int smaller(int a, int b) { return a < b ? a : b; }

constexpr int MOST_ROWS = BUDGET / 2 > 2 ? BUDGET / 2 : 2;
constexpr int PARTITIONS = MOST_ROWS - 1;  // 2, 3, … rows
constexpr int WORDS = (MOST_N + 31) / 32;  // of a mask of positions

__device__ constexpr int columns_of(int rows) { return KIND == 0 ? BUDGET / rows : smaller(BUDGET / rows, rows); }
__device__ constexpr int superclumps_of(int rows) {
  return CLUMPS * (BUDGET / rows) < 1 ? 1 : CLUMPS * (BUDGET / rows) > 1e9 ? 1000000000 : int(CLUMPS * (BUDGET / rows));
}
// Counts of all rows and their total, two per word, each times four: the byte at which g is found.
__device__ constexpr int words_of(int rows) { return (rows + 2) / 2; }
__device__ constexpr int padded(int words) { return words <= 2 ? words : (words + 3) / 4 * 4; }

// Where what depends on the number of pieces lies in a warp's memory. All other places are constants, AT_…, in bytes,
// which the host chooses too (gpu/mic.py).
struct Room {
  int levels, far_levels, before, after;
};

// Shared memory by its offset: a pointer that goes through a function call is no longer known to be shared, and every
// access through it takes the slow way.
template <class T>
__device__ inline T* shared_at(int offset) {
  EXTERN_SHARED(char, shared);
  return reinterpret_cast<T*>(shared + offset);
}

// One side of the pair, as all its draws have it.
struct Axis {
  int side;
  bool has_ties;
  const unsigned char* far_labels;
  // Where tie groups start.
  __device__ const u32* ties() const { return shared_at<u32>(AT_TIES) + side * WORDS; }
  // Rows that ties leave, and 1 + which earlier partition has the same cuts << 16.
  __device__ int part(int at) const { return shared_at<int>(AT_PARTS)[side * PARTITIONS + at]; }
  // g(n) - sum of g(row totals)
  __device__ double entropy(int part) const { return shared_at<double>(AT_ENTROPY)[side * PARTITIONS + part]; }
  // The row of a sorted position.
  __device__ int label(int part, int position) const {
    if (AT_LABELS < 0) return far_labels[part * MOST_N + position];
    return shared_at<unsigned char>(AT_LABELS)[(side * PARTITIONS + part) * MOST_N + position];
  }
};

struct Warp {
  int lane;
  u32 below;    // lanes before this one
  int memory;   // where its own begins, in shared memory
  char* far;    // in global memory, for what has no room: levels of long searches, and with IS_FAR masks
  Room room;
  template <class T>
  __device__ T* at(int offset) const {
    return shared_at<T>(memory + offset);
  }
  // Levels of a search that take at most NEAR_BYTES lie in shared memory; MOST_BYTES is what any such search takes.
  template <int MOST_BYTES>
  __device__ u32* levels(int bytes) const {
    u32* near = at<u32>(room.levels);
    u32* other = reinterpret_cast<u32*>(far + room.far_levels);
    if constexpr (MOST_BYTES <= NEAR_BYTES) return near;
    if constexpr (NEAR_BYTES == 0) return other;
    return bytes <= NEAR_BYTES ? near : other;
  }
  __device__ u32* masks() const {
    if constexpr (IS_FAR) return reinterpret_cast<u32*>(far + AT_MASKS);
    return at<u32>(AT_MASKS);
  }
};

__device__ inline u32 g_of(u32 four_counts) { return *shared_at<u32>(AT_TABLE + four_counts); }

template <int ROWS>
__device__ inline int gain(const u32* right, const u32* left) {
  u32 sum = 0;  // of numbers modulo 2^32: g itself may be larger, W is not
#pragma unroll
  for (int j = 0; j < words_of(ROWS); ++j) {
    const u32 points = right[j] - left[j];
    const u32 low = g_of(points & 0xffffu);
    sum = 2 * j == ROWS ? sum - low : sum + low;
    if (2 * j + 1 <= ROWS) {
      const u32 high = g_of(points >> 16);
      sum = 2 * j + 1 == ROWS ? sum - high : sum + high;
    }
  }
  return int(sum);
}

template <int COUNT>
__device__ inline void load(const void* from, u32* to) {
  if constexpr (COUNT == 1) {
    to[0] = *static_cast<const u32*>(from);
  } else if constexpr (COUNT == 2) {
    const uint2 two = *static_cast<const uint2*>(from);
    to[0] = two.x, to[1] = two.y;
  } else {
#pragma unroll
    for (int k = 0; k < COUNT; k += 4) {
      const uint4 four = static_cast<const uint4*>(from)[k / 4];
      to[k] = four.x, to[k + 1] = four.y, to[k + 2] = four.z, to[k + 3] = four.w;
    }
  }
}

template <int COUNT>
__device__ inline void store(void* to, const u32* from) {
  if constexpr (COUNT == 1) {
    *static_cast<u32*>(to) = from[0];
  } else if constexpr (COUNT == 2) {
    *static_cast<uint2*>(to) = make_uint2(from[0], from[1]);
  } else {
#pragma unroll
    for (int k = 0; k < COUNT; k += 4)
      static_cast<uint4*>(to)[k / 4] = make_uint4(from[k], from[k + 1], from[k + 2], from[k + 3]);
  }
}

__device__ inline int next_bit(const u32* mask, const u32* other, int words, int position, bool* is_other_only) {
  int word = (position + 1) >> 5;
  if (word >= words) return -1;
  u32 bits = (mask[word] | other[word]) & ~((1u << ((position + 1) & 31)) - 1);
  while (!bits && ++word < words) bits = mask[word] | other[word];
  if (!bits) return -1;
  const int bit = __ffs(bits) - 1;
  *is_other_only = !(mask[word] >> bit & 1);
  return word * 32 + bit;
}

__device__ inline int last_bit(const u32* mask, const u32* other, int position, bool* is_other_only) {
  int word = position >> 5;
  u32 bits = (mask[word] | other[word]) & ((2u << (position & 31)) - 1);
  while (!bits && --word >= 0) bits = mask[word] | other[word];
  if (!bits) return -1;
  const int bit = 31 - __clz(bits);
  *is_other_only = !(mask[word] >> bit & 1);
  return word * 32 + bit;
}

// Where clumps start, for all partitions of the rows along one axis. Runs in the same row merge; a tie group
// whose points lie in different rows is one clump.
// A partition with the cuts of an earlier one has its clumps, and needs no mask where none are merged.
__device__ void find_clumps(const Warp& w, const Axis& columns, const Axis& rows, const Index* partner, int n,
                            u32* masks, int* found) {
  const int words = (n + 31) >> 5;
  u32* differs = w.at<u32>(AT_DIFFERS);
#pragma unroll 1
  for (int part = 0; part < PARTITIONS; ++part, masks += WORDS) {
    const int same_as = (rows.part(part) >> 16) - 1;
    if (same_as >= 0 && KIND != 2 && found[same_as] <= superclumps_of(part + 2)) {
      if (w.lane == 0) found[part] = found[same_as];
      __syncwarp();
      continue;
    }
    int carry = -1, clumps = 0;
    u32* into = columns.has_ties ? differs : masks;
    for (int word = 0; word < words; ++word) {
      const int k = word * 32 + w.lane;
      const int label = k < n ? rows.label(part, partner[k]) : -2;
      int previous = __shfl_up_sync(ALL, label, 1);
      if (w.lane == 0) previous = carry;
      carry = __shfl_sync(ALL, label, 31);
      const u32 bits = __ballot_sync(ALL, k < n && label != previous);
      clumps += __popc(bits);
      if (w.lane == 0) into[word] = bits;
    }
    if (!columns.has_ties) {
      if (w.lane == 0) found[part] = clumps;
      __syncwarp();
      continue;
    }
    __syncwarp();
    clumps = 0;
    for (int word = 0; word < words; ++word) {
      const int k = word * 32 + w.lane;
      bool is_start = columns.ties()[word] >> w.lane & 1;
      if (is_start && k > 0 && !(differs[word] >> w.lane & 1)) {
        bool is_mixed = false, was_mixed = false;
        if (next_bit(columns.ties(), differs, words, k, &is_mixed) < 0) is_mixed = false;
        if (last_bit(columns.ties(), differs, k - 1, &was_mixed) < 0) was_mixed = false;
        is_start = is_mixed || was_mixed;
      }
      const u32 bits = __ballot_sync(ALL, is_start);
      clumps += __popc(bits);
      if (w.lane == 0) masks[word] = bits;
    }
    if (w.lane == 0) found[part] = clumps;
    __syncwarp();
  }
}

// ceil(a / b) of positive integers below 2^22.
__device__ inline int quotient_above(int a, int b) {
  int quotient = int(__fdividef(float(a + b - 1), float(b)));
  const int rest = a + b - 1 - quotient * b;
  return quotient + (rest >= b) - (rest < 0);
}

__device__ inline int first_start_after(const u32* mask, int position, int n) {
  bool is_other_only = false;
  const int start = next_bit(mask, mask, (n + 31) >> 5, position, &is_other_only);
  return start < 0 ? n : start;
}

// Keeps of the clumps' starts those that begin one of at most `bins` nearly equal pieces: what
// src/native/mic/variable.cpp calls equipartition. Words of the mask are written once what follows needs them no more.
__device__ int merge_clumps(u32* mask, int n, int bins) {
  const int words = (n + 31) >> 5;
  int begin = 0, pieces = 1, written = 0;
  u32 kept = 1;  // of the next word to be written: the first position starts a clump
  for (int bins_left = bins; bins_left > 1; --bins_left) {
    const int sum = 2 * begin + quotient_above(2 * (n - begin), bins_left), middle = sum / 2;
    if (middle >= n) break;
    const int word = middle >> 5;
    const u32 here = mask[word], up_to_it = (2u << (middle & 31)) - 1;
    int earlier = word, later = word;
    u32 before = here & up_to_it, after = here & ~up_to_it;
    while (!before) before = mask[--earlier];
    while (!after && ++later < words) after = mask[later];
    const int start = earlier * 32 + 31 - __clz(before), end = after ? later * 32 + __ffs(after) - 1 : n;
    int chosen = start + end < sum ? end : start;
    if (chosen <= begin) chosen = first_start_after(mask, begin, n);
    if (chosen >= n) break;
    begin = chosen, ++pieces;
    if (chosen >> 5 > written) {
      mask[written] = kept;
      while (++written < chosen >> 5) mask[written] = 0;
      kept = 0;
    }
    kept |= 1u << (chosen & 31);
  }
  mask[written] = kept;
  while (++written < words) mask[written] = 0;
  return pieces;
}

// By one ballot per row and word: right where there are few rows or many boundaries.
template <int ROWS>
__device__ inline void count_by_ballots(const Warp& w, const Axis& rows, const Index* partner, int n,
                             const u32* starts, int pieces) {
  constexpr int PADDED = padded(words_of(ROWS));
  u32* counts = w.at<u32>(AT_COUNTS);
  u32 before[PADDED];
#pragma unroll
  for (int j = 0; j < PADDED; ++j) before[j] = 0;
  int boundary = 0;
  for (int word = 0; word * 32 < n; ++word) {
    const int k = word * 32 + w.lane;
    const int label = k < n ? rows.label(ROWS - 2, partner[k]) : -1;
    u32 here[PADDED];
#pragma unroll
    for (int j = 0; j < PADDED; ++j) here[j] = before[j];
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
      const u32 members = __ballot_sync(ALL, label == row);
      here[row / 2] += u32(4 * __popc(members & w.below)) << 16 * (row & 1);
      before[row / 2] += u32(4 * __popc(members)) << 16 * (row & 1);
    }
    here[ROWS / 2] += u32(4 * w.lane) << 16 * (ROWS & 1);
    before[ROWS / 2] += u32(4 * smaller(32, n - word * 32)) << 16 * (ROWS & 1);
    const u32 bits = starts[word];
    if (bits >> w.lane & 1) store<PADDED>(counts + (boundary + __popc(bits & w.below)) * PADDED, here);
    boundary += __popc(bits);
  }
  if (w.lane == 0) store<PADDED>(counts + pieces * PADDED, before);
  __syncwarp();
}

// By the points of every piece, added up where they lie, and then over the pieces: for few pieces and many rows.
template <int ROWS>
__device__ inline void count_by_pieces(const Warp& w, const Axis& rows, const Index* partner, int n, const u32* starts,
                                       int pieces) {
  constexpr int SIZE = padded(words_of(ROWS)), FILLED = (ROWS + 1) / 2;
  u32* counts = w.at<u32>(AT_COUNTS);
  for (int k = w.lane; k < (pieces + 1) * SIZE; k += 32) counts[k] = 0;
  __syncwarp();
  int boundary = 0;
  for (int word = 0; word * 32 < n; ++word) {
    const int k = word * 32 + w.lane;
    const u32 bits = starts[word];
    if (k < n) {
      const int label = rows.label(ROWS - 2, partner[k]), piece = boundary + __popc(bits & (w.below | 1u << w.lane));
      atomicAdd(&counts[piece * SIZE + label / 2], 4u << 16 * (label & 1));
    }
    boundary += __popc(bits);
  }
  __syncwarp();
  u32 carried[FILLED];
#pragma unroll
  for (int j = 0; j < FILLED; ++j) carried[j] = 0;
  for (int base = 1; base <= pieces; base += 32) {
    const int t = base + w.lane;
    u32 here[SIZE];
    load<SIZE>(counts + smaller(t, pieces) * SIZE, here);
    u32 total = 0;
#pragma unroll
    for (int j = 0; j < FILLED; ++j) {
#pragma unroll
      for (int step = 1; step < 32; step *= 2) {
        const u32 before = __shfl_up_sync(ALL, int(here[j]), step);
        here[j] += w.lane >= step ? before : 0u;
      }
      here[j] += carried[j];
      carried[j] = __shfl_sync(ALL, int(here[j]), 31);
      total += (here[j] & 0xffffu) + (here[j] >> 16);
    }
    if (ROWS % 2) {
      here[ROWS / 2] |= total << 16;
    } else {
      here[ROWS / 2] = total;
    }
    if (t <= pieces) store<SIZE>(counts + t * SIZE, here);
  }
  __syncwarp();
}

// Counts of every row before each boundary: boundary t is where piece t starts, the last one is n.
template <int ROWS>
__device__ inline void count_points(const Warp& w, const Axis& rows, const Index* partner, int n, const u32* starts,
                                    int pieces) {
  if constexpr (WORDS >= 4 && superclumps_of(ROWS) <= 64) {
    count_by_pieces<ROWS>(w, rows, partner, n, starts, pieces);
  } else {
    count_by_ballots<ROWS>(w, rows, partner, n, starts, pieces);
  }
}
