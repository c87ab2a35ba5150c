// C[M,N] = A[M,K] B[N,K]^T by wgmma: TMA, 128-byte swizzle, three-stage mbarrier ring, one producer
// warp and one consumer warpgroup; C leaves through shared memory and a TMA store.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hopper.cuh"

constexpr int BM = 64, BN = 64, BK = 64, STAGES = 3, STAGE = (BM + BN) * BK * 2;

__device__ __forceinline__ uint64_t descriptor(uint32_t a) {
  return (uint64_t)((a & 0x3FFFF) >> 4) | (1ull << 16) | ((uint64_t)(1024 >> 4) << 32) |
         (1ull << 62);
}

extern "C" __global__ void __launch_bounds__(160)
    gemm_wgmma(const __grid_constant__ TensorMap ta, const __grid_constant__ TensorMap tb,
               const __grid_constant__ TensorMap tc, int K) {
  extern __shared__ __align__(1024) char smem[];
  __shared__ __align__(8) uint64_t bars[2 * STAGES];
  uint32_t base = shared_address(smem), full = shared_address(bars), empty = full + 8 * STAGES;
  int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN, steps = K / BK;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) {
      barrier_init(full + 8 * s, 1);
      barrier_init(empty + 8 * s, 4); // one arrival per consumer warp
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (warp == 4) {
    if (lane == 0)
      for (int k = 0; k < steps; k++) {
        int s = k % STAGES;
        uint32_t phase = (k / STAGES) & 1, at = base + s * STAGE;
        barrier_wait(empty + 8 * s, phase ^ 1);
        barrier_expect(full + 8 * s, STAGE);
        tma_load(at, &ta, k * BK, m0, full + 8 * s);
        tma_load(at + BM * BK * 2, &tb, k * BK, n0, full + 8 * s);
      }
    return;
  }
  float d[32];
#pragma unroll
  for (int i = 0; i < 32; i++)
    d[i] = 0;
  for (int k = 0; k < steps; k++) {
    int s = k % STAGES;
    uint32_t phase = (k / STAGES) & 1, at = base + s * STAGE;
    barrier_wait(full + 8 * s, phase);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      uint64_t da = descriptor(at) + (kk * 2 >> 4),
               db = descriptor(at + BM * BK * 2) + (kk * 2 >> 4);
      asm volatile(
          "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
          "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,"
          "%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1, 1, 1, 0, 0;"
          : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
            "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
            "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]),
            "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]),
            "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
          : "l"(da), "l"(db));
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    if (lane == 0)
      barrier_arrive(empty + 8 * s);
  }
  // The ring is reused: every consumer warp must have finished reading it.
  asm volatile("bar.sync 1, 128;" ::: "memory");
  float *out = (float *)smem;
  int r = warp * 16 + (lane >> 2);
#pragma unroll
  for (int j = 0; j < 8; j++) {
    int c = j * 8 + (lane & 3) * 2;
    out[r * BN + c] = d[4 * j];
    out[r * BN + c + 1] = d[4 * j + 1];
    out[(r + 8) * BN + c] = d[4 * j + 2];
    out[(r + 8) * BN + c + 1] = d[4 * j + 3];
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile("bar.sync 1, 128;" ::: "memory");
  if (threadIdx.x == 0) {
    tma_store(&tc, n0, m0, base);
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}
