// Attention forward, head size 64, causal or not: O = softmax(Q K^T / 8) V by mma.sync in f16.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One warp per 16 rows of Q; K and V come through shared memory 32 rows at a time. S is a multiple
// of 32.
#include <cuda_fp16.h>
#include <stdint.h>

constexpr int D = 64, BK = 32, PITCH = 144;

__device__ __forceinline__ uint32_t shared_address(const void *p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ uint32_t pack(float lo, float hi) {
  __half2 h = __floats2half2_rn(lo, hi);
  return *(uint32_t *)&h;
}

extern "C" __global__ void __launch_bounds__(64)
    attention(const __half *Q, const __half *K, const __half *V, __half *O, int S, int causal) {
  __shared__ __align__(128) char ks[BK * PITCH], vs[BK * PITCH];
  int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, g = lane >> 2, t = lane & 3;
  int row0 = blockIdx.x * 32 + warp * 16;
  const __half *q = Q + (size_t)blockIdx.y * S * D;
  const char *k = (const char *)(K + (size_t)blockIdx.y * S * D);
  const char *v = (const char *)(V + (size_t)blockIdx.y * S * D);
  uint32_t a[4][4];
#pragma unroll
  for (int c = 0; c < 4; c++)
#pragma unroll
    for (int j = 0; j < 4; j++)
      a[c][j] = *(
          const uint32_t *)&q[(size_t)(row0 + g + 8 * (j & 1)) * D + 16 * c + 2 * t + 8 * (j >> 1)];
  float o[8][4] = {}, m[2] = {-1e30f, -1e30f}, l[2] = {0, 0};
  const float scale = 0.125f * 1.44269504f;
  int last = causal ? blockIdx.x * 32 + 32 : S;
  for (int kb = 0; kb < last; kb += BK) {
    for (int c = tid; c < BK * 8; c += 64) {
      int r = c >> 3, x = (c & 7) * 16;
      asm volatile(
          "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(ks + r * PITCH + x)),
          "l"(k + (size_t)(kb + r) * D * 2 + x));
      asm volatile(
          "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(vs + r * PITCH + x)),
          "l"(v + (size_t)(kb + r) * D * 2 + x));
    }
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;");
    __syncthreads();
    float s[4][4] = {};
#pragma unroll
    for (int c = 0; c < 4; c++)
#pragma unroll
      for (int n = 0; n < 4; n++) {
        uint32_t b[2];
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                     : "=r"(b[0]), "=r"(b[1])
                     : "r"(shared_address(ks + (n * 8 + (lane & 7)) * PITCH + c * 32 +
                                          ((lane >> 3) & 1) * 16)));
        mma(s[n], a[c], b);
      }
#pragma unroll
    for (int h = 0; h < 2; h++) {
      int row = row0 + g + 8 * h;
      float mx = m[h];
#pragma unroll
      for (int n = 0; n < 4; n++)
#pragma unroll
        for (int e = 0; e < 2; e++) {
          float &x = s[n][2 * h + e];
          x *= scale;
          if (causal && kb + n * 8 + 2 * t + e > row)
            x = -1e30f;
          mx = fmaxf(mx, x);
        }
      mx = fmaxf(mx, __shfl_xor_sync(~0u, mx, 1));
      mx = fmaxf(mx, __shfl_xor_sync(~0u, mx, 2));
      float correction = exp2f(m[h] - mx), sum = 0;
      m[h] = mx;
#pragma unroll
      for (int n = 0; n < 4; n++)
#pragma unroll
        for (int e = 0; e < 2; e++) {
          s[n][2 * h + e] = exp2f(s[n][2 * h + e] - mx);
          sum += s[n][2 * h + e];
        }
      sum += __shfl_xor_sync(~0u, sum, 1);
      sum += __shfl_xor_sync(~0u, sum, 2);
      l[h] = l[h] * correction + sum;
#pragma unroll
      for (int n = 0; n < 8; n++)
        o[n][2 * h] *= correction, o[n][2 * h + 1] *= correction;
    }
#pragma unroll
    for (int c = 0; c < 2; c++) {
      uint32_t p[4] = {pack(s[2 * c][0], s[2 * c][1]), pack(s[2 * c][2], s[2 * c][3]),
                       pack(s[2 * c + 1][0], s[2 * c + 1][1]),
                       pack(s[2 * c + 1][2], s[2 * c + 1][3])};
#pragma unroll
      for (int n = 0; n < 8; n++) {
        uint32_t b[2];
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                     : "=r"(b[0]), "=r"(b[1])
                     : "r"(shared_address(vs + (c * 16 + (lane & 15)) * PITCH + n * 16)));
        mma(o[n], p, b);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int h = 0; h < 2; h++)
#pragma unroll
    for (int n = 0; n < 8; n++)
      *(uint32_t *)&O[((size_t)blockIdx.y * S + row0 + g + 8 * h) * D + n * 8 + 2 * t] =
          pack(o[n][2 * h] / l[h], o[n][2 * h + 1] / l[h]);
}
