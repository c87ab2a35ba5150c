// Scalar kernels: element-wise, reductions, scan, divergence, row-wise, transpose, histogram.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void vecadd(const float *a, const float *b, float *c, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    c[i] = a[i] + b[i];
}

// Partial sums by shuffles, then shared memory, then one atomic per block.
extern "C" __global__ void reduce_sum(const float *in, float *out, int n) {
  __shared__ float partial[32];
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    s += in[i];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int o = 16; o; o >>= 1)
    s += __shfl_xor_sync(0xffffffffu, s, o);
  if (lane == 0)
    partial[warp] = s;
  __syncthreads();
  if (warp == 0) {
    s = lane < (blockDim.x >> 5) ? partial[lane] : 0.f;
    for (int o = 16; o; o >>= 1)
      s += __shfl_down_sync(0xffffffffu, s, o);
    if (lane == 0)
      atomicAdd(out, s);
  }
}

// The last block to finish adds up what all blocks wrote: release and acquire through an atomic.
__device__ unsigned finished = 0;
extern "C" __global__ void reduce_last_block(const float *in, float *partial, float *out, int n) {
  __shared__ float sums[256];
  __shared__ bool last;
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    s += in[i];
  sums[threadIdx.x] = s;
  __syncthreads();
  for (int o = blockDim.x / 2; o; o >>= 1) {
    if (threadIdx.x < o)
      sums[threadIdx.x] += sums[threadIdx.x + o];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sums[0];
    __threadfence();
    last = atomicAdd(&finished, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float t = 0;
    for (int b = 0; b < gridDim.x; b++)
      t += partial[b];
    *out = t;
    finished = 0;
  }
}

// Inclusive scan of one block, Hillis and Steele, two buffers.
extern "C" __global__ void scan_block(const int *in, int *out, int n) {
  extern __shared__ int buffer[];
  int t = threadIdx.x, from = 0, base = blockIdx.x * blockDim.x;
  buffer[t] = base + t < n ? in[base + t] : 0;
  __syncthreads();
  for (int o = 1; o < blockDim.x; o <<= 1) {
    int to = from ^ 1;
    int v = buffer[from * blockDim.x + t];
    if (t >= o)
      v += buffer[from * blockDim.x + t - o];
    buffer[to * blockDim.x + t] = v;
    from = to;
    __syncthreads();
  }
  if (base + t < n)
    out[base + t] = buffer[from * blockDim.x + t];
}

// Loops that end at different times, nested branches, an early return, a jump table.
extern "C" __global__ void divergent(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned x = in[i];
  int steps = 0;
  while (x > 1) {
    if (x & 1) {
      x = 3 * x + 1;
      if (steps > 1000)
        break;
    } else {
      x >>= 1;
    }
    if (++steps == 200) {
      steps = -1;
      break;
    }
  }
  unsigned votes = __ballot_sync(__activemask(), steps & 1);
  switch (in[i] % 6) {
  case 0:
    steps += 7;
    break;
  case 1:
    steps *= 3;
    break;
  case 2:
    steps ^= 0x55;
    break;
  case 3:
    steps -= 9;
    break;
  case 4:
    steps <<= 2;
    break;
  default:
    steps = ~steps;
  }
  out[2 * i] = steps;
  out[2 * i + 1] = (i & 31) == 0 ? __popc(votes) : steps % 7;
}

__device__ __forceinline__ float block_reduce(float v, float *scratch, bool maximum) {
  for (int o = 16; o; o >>= 1) {
    float other = __shfl_xor_sync(0xffffffffu, v, o);
    v = maximum ? fmaxf(v, other) : v + other;
  }
  if ((threadIdx.x & 31) == 0)
    scratch[threadIdx.x >> 5] = v;
  __syncthreads();
  v = scratch[0];
  for (int w = 1; w < blockDim.x / 32; w++)
    v = maximum ? fmaxf(v, scratch[w]) : v + scratch[w];
  __syncthreads();
  return v;
}

extern "C" __global__ void softmax(const __half *in, __half *out, __nv_bfloat16 *outb, int cols) {
  __shared__ float scratch[32];
  const __half *row = in + (size_t)blockIdx.x * cols;
  float m = -INFINITY;
  for (int i = threadIdx.x; i < cols; i += blockDim.x)
    m = fmaxf(m, __half2float(row[i]));
  m = block_reduce(m, scratch, true);
  float s = 0;
  for (int i = threadIdx.x; i < cols; i += blockDim.x)
    s += exp2f((__half2float(row[i]) - m) * 1.44269504f);
  s = block_reduce(s, scratch, false);
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    float p = exp2f((__half2float(row[i]) - m) * 1.44269504f) / s;
    out[(size_t)blockIdx.x * cols + i] = __float2half_rn(p);
    outb[(size_t)blockIdx.x * cols + i] = __float2bfloat16_rn(p);
  }
}

extern "C" __global__ void layer_norm(const float *in, const float *gain, const float *bias,
                                      float *out, int cols) {
  __shared__ float scratch[32];
  const float *row = in + (size_t)blockIdx.x * cols;
  float s = 0;
  for (int i = threadIdx.x; i < cols; i += blockDim.x)
    s += row[i];
  float mean = block_reduce(s, scratch, false) / cols;
  float v = 0;
  for (int i = threadIdx.x; i < cols; i += blockDim.x)
    v += (row[i] - mean) * (row[i] - mean);
  float scale = rsqrtf(block_reduce(v, scratch, false) / cols + 1e-5f);
  for (int i = threadIdx.x; i < cols; i += blockDim.x)
    out[(size_t)blockIdx.x * cols + i] = (row[i] - mean) * scale * gain[i] + bias[i];
}

extern "C" __global__ void transpose(const unsigned short *in, unsigned short *out, int rows,
                                     int cols) {
  __shared__ unsigned short tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y0 = blockIdx.y * 32;
  for (int y = threadIdx.y; y < 32; y += blockDim.y)
    if (x < cols && y0 + y < rows)
      tile[y][threadIdx.x] = in[(size_t)(y0 + y) * cols + x];
  __syncthreads();
  int tx = y0 + threadIdx.x;
  for (int y = threadIdx.y; y < 32; y += blockDim.y)
    if (tx < rows && blockIdx.x * 32 + y < cols)
      out[(size_t)(blockIdx.x * 32 + y) * rows + tx] = tile[threadIdx.x][y];
}

extern "C" __global__ void histogram(const unsigned char *in, unsigned *out, int n) {
  __shared__ unsigned bins[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    bins[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[in[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    atomicAdd(&out[i], bins[i]);
}
