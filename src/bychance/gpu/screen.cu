// One tile of correlations → those of at least a size (how many, their places and values), and all in 1024 bins.
// `count` counts on where there is no room. Twin: NumpyBackend.screened in ranking/all_pairs/backend.py.
extern "C" __global__ void screen(const float* r, unsigned long long size, float threshold,
                                  unsigned long long capacity, unsigned long long* count,
                                  unsigned long long* at, float* value, unsigned long long* bins,
                                  int is_counted) {
  __shared__ unsigned int own[1024];
  if (is_counted) {
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) own[k] = 0;
    __syncthreads();
  }
  const unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
  for (unsigned long long k = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; k < size; k += step) {
    const float entry = r[k], length = fabsf(entry);
    if (is_counted) atomicAdd(&own[min(1023, (int)(length * 1024.0f))], 1u);
    // Not "length < threshold": what is no number is a hit.
    if (!(length < threshold)) {
      const unsigned long long place = atomicAdd(count, 1ull);
      if (place < capacity) {
        at[place] = k;
        value[place] = entry;
      }
    }
  }
  if (is_counted) {
    __syncthreads();
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) {
      if (own[k]) atomicAdd(&bins[k], (unsigned long long)own[k]);
    }
  }
}
