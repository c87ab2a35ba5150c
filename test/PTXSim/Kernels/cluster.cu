// A cluster of two blocks: each loads half of a tile and multicasts it, both reduce the whole tile,
// and exchange results through distributed shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hopper.cuh"

constexpr int ROWS = 16, COLS = 32, HALF = ROWS / 2 * COLS * 4;

__device__ __forceinline__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(64)
    cluster_multicast(const __grid_constant__ TensorMap map, float *out) {
  __shared__ __align__(128) float tile[ROWS * COLS];
  __shared__ __align__(8) uint64_t full;
  __shared__ float received[COLS];
  uint32_t rank, bar = shared_address(&full);
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  int t = threadIdx.x, group = blockIdx.x / 2;
  if (t == 0) {
    barrier_init(bar, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  cluster_sync();
  if (t == 0) {
    barrier_expect(bar, 2 * HALF);
    tma_load_multicast(shared_address(tile) + rank * HALF, &map, 0,
                       group * ROWS + rank * (ROWS / 2), bar, 3);
  }
  barrier_wait(bar, 0);
  // Rank 0 sums columns, rank 1 sums squares; each sends its result to the other block.
  float s = 0;
  if (t < COLS) {
    for (int r = 0; r < ROWS; r++) {
      float v = tile[r * COLS + t];
      s += rank == 0 ? v : v * v;
    }
    uint32_t remote;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(remote)
                 : "r"(shared_address(&received[t])), "r"(rank ^ 1));
    asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(remote), "f"(s) : "memory");
  }
  cluster_sync();
  if (t < COLS)
    out[blockIdx.x * COLS + t] = s - 0.5f * received[t];
}
