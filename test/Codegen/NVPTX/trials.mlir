// Products by plans that the ops have, and every plan that is worth a measurement.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc-kernel-run --target=sm_90a --emit=nvvm %s | FileCheck %s --check-prefix=FORM
// RUN: ampc-kernel-run --target=sm_90a %s | FileCheck %s --check-prefix=RUNS --implicit-check-not=FAILED
// RUN: ampc-kernel-run --target=sm_90a --trials %s | FileCheck %s --check-prefix=TRIALS
// RUN: ampc-kernel-run --target=sm_80 --trials %s | FileCheck %s --check-prefix=OLD
// RUN: sed 's/mma, m = 64, n = 128/mma, m = 64, n = 96/' %s | not ampc-kernel-run --target=sm_90a - 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: sed 's/split_k = 2/split_k = 33/' %s | not ampc-kernel-run --target=sm_80 - 2>&1 | FileCheck %s --check-prefix=SLICES
// RUN: sed 's/split_k = 2/stages = 5/' %s | not ampc-kernel-run --target=sm_80 - 2>&1 | FileCheck %s --check-prefix=STAGES
// RUN: not ampc-kernel-run --target=sm_80 %s 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: sed 's/cluster = 1x2/cluster = 2x2/' %s | not ampc-kernel-run --target=sm_90a - 2>&1 | FileCheck %s --check-prefix=CLUSTER
// RUN: sed 's/<simt/<mma/' %s | not ampc-kernel-run --target=sm_90a - 2>&1 | FileCheck %s --check-prefix=KIND
// TILE: error: 'kernel.gemm' op expected a plan that sm_90a has code for, but got #kernel.plan<mma, m = 64, n = 96, split_k = 2>: mma and simt plans have no tile of this shape
// SLICES: error: 'kernel.gemm' op expected a plan that sm_80 has code for, but got #kernel.plan<mma, m = 64, n = 128, split_k = 33>: k has at most 32 equal slices
// STAGES: error: 'kernel.gemm' op expected a plan that sm_80 has code for, but got #kernel.plan<mma, m = 64, n = 128, stages = 5>: stages are 2 to 4
// CHIP: error: 'kernel.gemm' op expected a plan that sm_80 has code for, but got #kernel.plan<wgmma, m = 128, n = 64, cluster = 1x2>: the chip has no warpgroups
// CLUSTER: error: 'kernel.gemm' op expected a plan that sm_90a has code for, but got #kernel.plan<wgmma, m = 128, n = 64, cluster = 2x2>: clusters are 1x1, 2x1, 1x2, 1x4 or 1x8
// KIND: error: 'kernel.gemm' op expected a plan that sm_90a has code for, but got #kernel.plan<mma, m = 128, n = 128>: matrix units cannot multiply: the operands are f32

// FORM: form = "tiles of 64x128x32 in 4 stages, sides along k and n, copies of 16 and 16 bytes, split-K 2"
// FORM-SAME: form = "warpgroups: tiles of 128x64x64 in 8 stages, clusters of 2 with split-K
// FORM-SAME: form = "tiles of 128x128x16 in 2 stages
// RUNS-COUNT-3: _sm_90a: {{.*}}ok

// Trials of each product: first the chosen launch, then other tiles and splits, each once; tensor maps follow the launch, and PTX is last.
// TRIALS:      chip sm_90a 132
// TRIALS-NEXT: product tiles NN 2 1 100 136 1024
// TRIALS-NEXT: buffer bf16 204800
// TRIALS-NEXT: buffer bf16 278528
// TRIALS-NEXT: buffer f32 54400
// TRIALS-NEXT: trial wgmma
// TRIALS-NEXT: launch model_k0_sm_90a
// TRIALS-NEXT: map 0 0 bf16 128 2 1024 100 2048
// TRIALS-NEXT: map 1 0 bf16 128 2 136 1024 272
// TRIALS-DAG:  trial wgmma 128 256
// TRIALS-DAG:  trial wgmma 64 64
// TRIALS-DAG:  trial wgmma 64 256 1 1 2 1
// TRIALS-DAG:  trial mma
// TRIALS:      product numbers NN 4 1 16 24 40
// TRIALS:      trial simt 64 64 1 1
// TRIALS:      trial simt 128 128 1 1
// TRIALS:      code
// TRIALS:      .target sm_90a
// OLD:     chip sm_80 108
// OLD-NOT: wgmma
// OLD:     code

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @tiles(%x: tensor<100x1024xbf16>, %w: tensor<1024x136xbf16>) -> tensor<100x136xf32> {
  %y = kernel.gemm %x, %w : tensor<100x1024xbf16>, tensor<1024x136xbf16> acc f32 maps [#a, #b] space [100, 136] depth 1024
      epilogue () maps [] -> [#id] attributes {plan = #kernel.plan<mma, m = 64, n = 128, split_k = 2>, test.tolerance = 3.0e-5} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<100x136xf32>
  kernel.return %y : tensor<100x136xf32>
}
kernel.program @warpgroups(%x: tensor<100x1024xbf16>, %w: tensor<1024x136xbf16>) -> tensor<100x136xf32> {
  %y = kernel.gemm %x, %w : tensor<100x1024xbf16>, tensor<1024x136xbf16> acc f32 maps [#a, #b] space [100, 136] depth 1024
      epilogue () maps [] -> [#id] attributes {plan = #kernel.plan<wgmma, m = 128, n = 64, cluster = 1x2>, test.tolerance = 3.0e-5} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<100x136xf32>
  kernel.return %y : tensor<100x136xf32>
}
kernel.program @numbers(%x: tensor<16x40xf32>, %w: tensor<40x24xf32>) -> tensor<16x24xf32> {
  %y = kernel.gemm %x, %w : tensor<16x40xf32>, tensor<40x24xf32> acc f32 maps [#a, #b] space [16, 24] depth 40
      epilogue () maps [] -> [#id] attributes {plan = #kernel.plan<simt, m = 128, n = 128>, test.tolerance = 3.0e-5} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<16x24xf32>
  kernel.return %y : tensor<16x24xf32>
}
