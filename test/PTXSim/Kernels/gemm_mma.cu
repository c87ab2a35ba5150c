// C[M,N] = A[M,K] B[N,K]^T by mma.sync with a two-stage cp.async pipeline, in four types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block tile 64 x 64, four warps of 32 x 32. Shapes are multiples of the tile. Rows of a stage take
// 64 bytes plus padding, so that fragments are read without bank conflicts.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t shared_address(const void *p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void copy16(uint32_t to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
}

enum Kind { F16, BF16, TF32 };
template <Kind K>
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
#define MMA(SHAPE)                                                                                 \
  asm volatile("mma.sync.aligned." SHAPE " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"  \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                    \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
  if (K == F16)
    MMA("m16n8k16.row.col.f32.f16.f16.f32");
  else if (K == BF16)
    MMA("m16n8k16.row.col.f32.bf16.bf16.f32");
  else
    MMA("m16n8k8.row.col.f32.tf32.tf32.f32");
}

constexpr int PITCH = 80; // bytes per row of a stage: 64 of data

// 16-bit fragments come by ldmatrix; a 4-byte element behaves like a pair of 16-bit ones.
template <Kind K>
__device__ __forceinline__ void gemm(const char *A, const char *B, float *C, int N, int Kbytes) {
  __shared__ __align__(128) char As[2][64 * PITCH], Bs[2][64 * PITCH];
  int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  int wm = (warp & 1) * 32, wn = (warp >> 1) * 32, m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
  float acc[2][4][4] = {};
  auto load = [&](int stage, int k) {
    for (int c = tid; c < 256; c += 128) {
      int r = c >> 2, q = (c & 3) * 16;
      copy16(shared_address(&As[stage][r * PITCH + q]), A + (size_t)(m0 + r) * Kbytes + k + q);
      copy16(shared_address(&Bs[stage][r * PITCH + q]), B + (size_t)(n0 + r) * Kbytes + k + q);
    }
    asm volatile("cp.async.commit_group;");
  };
  load(0, 0);
  int steps = Kbytes / 64;
  for (int s = 0; s < steps; s++) {
    if (s + 1 < steps) {
      load((s + 1) & 1, (s + 1) * 64);
      asm volatile("cp.async.wait_group 1;");
    } else {
      asm volatile("cp.async.wait_group 0;");
    }
    __syncthreads();
    const char *as = As[s & 1], *bs = Bs[s & 1];
#pragma unroll
    for (int kk = 0; kk < 64; kk += 32) {
      uint32_t a[2][4], b[4][2];
#pragma unroll
      for (int i = 0; i < 2; i++)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(a[i][0]), "=r"(a[i][1]), "=r"(a[i][2]), "=r"(a[i][3])
                     : "r"(shared_address(as + (wm + i * 16 + (lane & 15)) * PITCH + kk +
                                          (lane >> 4) * 16)));
#pragma unroll
      for (int j = 0; j < 4; j++)
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                     : "=r"(b[j][0]), "=r"(b[j][1])
                     : "r"(shared_address(bs + (wn + j * 8 + (lane & 7)) * PITCH + kk +
                                          ((lane >> 3) & 1) * 16)));
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
          mma<K>(acc[i][j], a[i], b[j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 4; j++) {
      int r = m0 + wm + i * 16 + (lane >> 2), c = n0 + wn + j * 8 + (lane & 3) * 2;
      *(float2 *)&C[(size_t)r * N + c] = make_float2(acc[i][j][0], acc[i][j][1]);
      *(float2 *)&C[(size_t)(r + 8) * N + c] = make_float2(acc[i][j][2], acc[i][j][3]);
    }
}

extern "C" __global__ void __launch_bounds__(128)
    gemm_f16(const char *A, const char *B, float *C, int N, int Kbytes) {
  gemm<F16>(A, B, C, N, Kbytes);
}
extern "C" __global__ void __launch_bounds__(128)
    gemm_bf16(const char *A, const char *B, float *C, int N, int Kbytes) {
  gemm<BF16>(A, B, C, N, Kbytes);
}
extern "C" __global__ void __launch_bounds__(128)
    gemm_tf32(const char *A, const char *B, float *C, int N, int Kbytes) {
  gemm<TF32>(A, B, C, N, Kbytes);
}

// One warp per 8 x 8 tile.
extern "C" __global__ void __launch_bounds__(32)
    gemm_f64(const double *A, const double *B, double *C, int N, int K) {
  __shared__ double As[2][8][4], Bs[2][8][4];
  int lane = threadIdx.x, g = lane >> 2, t = lane & 3, m0 = blockIdx.y * 8, n0 = blockIdx.x * 8;
  double d0 = 0, d1 = 0;
  auto load = [&](int stage, int k) {
    int r = (lane & 15) >> 1, q = (lane & 1) * 2;
    if (lane < 16)
      copy16(shared_address(&As[stage][r][q]), A + (size_t)(m0 + r) * K + k + q);
    else
      copy16(shared_address(&Bs[stage][r][q]), B + (size_t)(n0 + r) * K + k + q);
    asm volatile("cp.async.commit_group;");
  };
  load(0, 0);
  for (int s = 0; s < K / 4; s++) {
    if (s + 1 < K / 4) {
      load((s + 1) & 1, (s + 1) * 4);
      asm volatile("cp.async.wait_group 1;");
    } else {
      asm volatile("cp.async.wait_group 0;");
    }
    __syncwarp();
    double a = As[s & 1][g][t], b = Bs[s & 1][g][t];
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(d0), "+d"(d1)
                 : "d"(a), "d"(b));
    __syncwarp();
  }
  C[(size_t)(m0 + g) * N + n0 + 2 * t] = d0;
  C[(size_t)(m0 + g) * N + n0 + 2 * t + 1] = d1;
}
