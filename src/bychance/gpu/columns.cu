// Columns of a block (rows × columns) → lines for the screen of all pairs, and what is known of each column.
// Twin: lines_of in ranking/all_pairs/lines.py. VALUE is the type of the values.
//
// A block of threads takes 32 columns, one per lane, and its eight warps every eighth row of them. Sums are added up
// in one order, so that repeats agree bit by bit.

typedef unsigned int u32;
typedef unsigned short Half;  // its bits: a header for them is not everywhere
#define GROUPS 8

#define IS_ODD 1
#define IS_INFINITE 2

struct Block {
  double* parts;  // [group][column]
  double* more;
  int lane, group;
  __device__ double sum(double own) const {
    parts[group * 32 + lane] = own;
    __syncthreads();
    double total = 0;
    for (int k = 0; k < GROUPS; ++k) total += parts[k * 32 + lane];
    __syncthreads();
    return total;
  }
  __device__ double largest(double own) const {
    parts[group * 32 + lane] = own;
    __syncthreads();
    double found = 0;
    for (int k = 0; k < GROUPS; ++k) found = parts[k * 32 + lane] > found ? parts[k * 32 + lane] : found;
    __syncthreads();
    return found;
  }
  // The value that most rows have, if one has more than half of them: votes of the groups, by Boyer and Moore.
  __device__ double elected(double candidate, int votes) const {
    parts[group * 32 + lane] = candidate;
    more[group * 32 + lane] = votes;
    __syncthreads();
    double best = 0, for_it = 0;
    for (int k = 0; k < GROUPS; ++k) {
      const double other = parts[k * 32 + lane], count = more[k * 32 + lane];
      if (other == best) {
        for_it += count;
      } else if (count > for_it) {
        best = other, for_it = count - for_it;
      } else {
        for_it -= count;
      }
    }
    __syncthreads();
    return best;
  }
};

// To the nearest, ties to even; by way of float, which may round twice: what is off is measured, not assumed.
__device__ inline Half half_of(float value) {
  u32 bits = __float_as_uint(value);
  const u32 sign = bits >> 16 & 0x8000u;
  bits &= 0x7fffffffu;
  if (bits < 0x38800000u) return Half(sign | u32(rintf(__uint_as_float(bits) * 16777216.0f)));  // below 2^-14
  bits += 0xfffu + (bits >> 13 & 1u);
  return Half(sign | ((bits >> 13) - (112u << 10)));
}

__device__ inline double value_of(Half half) {
  const u32 size = half & 0x7fffu;
  const float value = size < 0x400u ? size / 16777216.0f : __uint_as_float((size + (112u << 10)) << 13);
  return half & 0x8000u ? -value : value;
}

// `values` steps by row_step and column_step. A column is odd where its norm is less than `least_norm` times its
// largest value, Σc⁴ is above `most_fourth`, or `n_alike` rows are alike. `facts` has Σc³, Σc⁴ and how far the line is
// off, squared and in its own scale, each for all columns.
extern "C" __global__ void column_lines(const VALUE* values, long long row_step, long long column_step, int n_columns,
                                        int n, int width, double scale, double least_norm, double most_fourth,
                                        int n_alike, int is_all_odd, Half* lines, double* facts, int* flags) {
  EXTERN_SHARED(double, shared);
  Half* tile = reinterpret_cast<Half*>(shared + 2 * GROUPS * 32);  // [column][row], 32 × 34
  const Block block = {shared, shared + GROUPS * 32, int(threadIdx.x & 31), int(threadIdx.x >> 5)};
  const int column = blockIdx.x * 32 + block.lane;
  const bool is_there = column < n_columns;
  const VALUE* own = values + (is_there ? column : 0) * column_step;
  const double infinity = 1.0 / 0.0;

  double sum = 0, size = 0;
  int is_missing = 0, is_infinite = 0;
  for (int row = block.group; row < n; row += GROUPS) {
    const double v = double(own[row * row_step]), a = v < 0 ? -v : v;
    sum += v;
    size = a > size ? a : size;
    is_missing |= v != v;
    is_infinite |= a == infinity;
  }
  const double mean = block.sum(sum) / n;
  size = block.largest(size);
  is_missing = block.largest(is_missing) > 0;
  is_infinite = block.largest(is_infinite) > 0;
  sum = 0;
  for (int row = block.group; row < n; row += GROUPS) sum += double(own[row * row_step]) - mean;
  const double rest = block.sum(sum) / n;
  sum = 0;
  for (int row = block.group; row < n; row += GROUPS) {
    const double c = double(own[row * row_step]) - mean - rest;
    sum += c * c;
  }
  const double norm = sqrt(block.sum(sum));
  bool is_odd = is_missing || !(least_norm * size < norm) || !(norm < infinity);

  double third = 0, fourth = 0, candidate = 0;
  int votes = 0;
  for (int row = block.group; row < n; row += GROUPS) {
    const double v = double(own[row * row_step]), c = is_odd ? 0.0 : (v - mean - rest) / norm;
    third += c * c * c;
    fourth += c * c * (c * c);
    if (votes == 0) candidate = v;
    votes += v == candidate ? 1 : -1;
  }
  third = block.sum(third);
  fourth = block.sum(fourth);
  candidate = block.elected(candidate, votes);
  int alike = 0;
  for (int row = block.group; row < n; row += GROUPS) alike += double(own[row * row_step]) == candidate;
  alike = int(block.sum(alike));
  is_odd = is_odd || is_all_odd || fourth > most_fourth || alike >= n_alike;

  double off = 0;
  for (int top = 0; top < width; top += 32) {
    for (int row = top + block.group; row < top + 32; row += GROUPS) {
      Half half = 0;
      if (row < n && !is_odd) {
        const double c = (double(own[row * row_step]) - mean - rest) / norm * scale;
        half = half_of(float(c));
        off += (c - value_of(half)) * (c - value_of(half));
      }
      tile[block.lane * 34 + row - top] = half;
    }
    __syncthreads();
    for (int k = block.group; k < 32; k += GROUPS) {
      const int to = blockIdx.x * 32 + k;
      if (to < n_columns) lines[(long long)to * width + top + block.lane] = tile[k * 34 + block.lane];
    }
    __syncthreads();
  }
  off = block.sum(off);
  if (block.group || !is_there) return;
  facts[column] = third;
  facts[n_columns + column] = fourth;
  facts[2 * n_columns + column] = off;
  flags[column] = (is_odd ? IS_ODD : 0) | (is_infinite ? IS_INFINITE : 0);
}
