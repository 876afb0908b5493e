// One tile of correlations → those of at least a size (how many, their places and values), and all in 1024 bins.
// `count` counts on where there is no room. Twin: Backend.screened in ranking/arrays/products.py.

struct Hits {
  float threshold;
  unsigned long long capacity;
  unsigned long long* count;
  unsigned long long* at;
  float* value;

  // Not "size >= threshold": what is no number is a hit.
  __device__ void look(float entry, unsigned long long place) const {
    if (fabsf(entry) < threshold) return;
    const unsigned long long hit = atomicAdd(count, 1ull);
    if (hit < capacity) {
      at[hit] = place;
      value[hit] = entry;
    }
  }
};

__device__ void count_in(unsigned int* bins, float entry) {
  atomicAdd(&bins[(int)fminf(fabsf(entry) * 1024.0f, 1023.0f)], 1u);
}

extern "C" __global__ void screen(const float* r, unsigned long long size, float threshold,
                                  unsigned long long capacity, unsigned long long* count,
                                  unsigned long long* at, float* value, unsigned long long* bins,
                                  int is_counted) {
  EXTERN_SHARED(unsigned int, own);
  if (is_counted) {
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) own[k] = 0;
    __syncthreads();
  }
  const Hits hits = {threshold, capacity, count, at, value};
  const unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
  const unsigned long long first = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
  const float4* quads = reinterpret_cast<const float4*>(r);
#pragma unroll 4
  for (unsigned long long k = first; k < size / 4; k += step) {
    const float4 q = quads[k];
    const float largest = fmaxf(fmaxf(fabsf(q.x), fabsf(q.y)), fmaxf(fabsf(q.z), fabsf(q.w)));
    const bool is_number = q.x == q.x && q.y == q.y && q.z == q.z && q.w == q.w;
    if (is_counted) {
      count_in(own, q.x);
      count_in(own, q.y);
      count_in(own, q.z);
      count_in(own, q.w);
    }
    if (!(largest < threshold) || !is_number) {
      hits.look(q.x, 4 * k);
      hits.look(q.y, 4 * k + 1);
      hits.look(q.z, 4 * k + 2);
      hits.look(q.w, 4 * k + 3);
    }
  }
  const unsigned long long last = size / 4 * 4 + first;
  if (last < size) {
    if (is_counted) count_in(own, r[last]);
    hits.look(r[last], last);
  }
  if (is_counted) {
    __syncthreads();
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) {
      if (own[k]) atomicAdd(&bins[k], (unsigned long long)own[k]);
    }
  }
}

