// The target's plan in the text, and plans edited by hand: code, workspace and report follow.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --kernel-configure -o %t.mlir && FileCheck %s --check-prefix=CHOSEN --input-file=%t.mlir
// A configured plan is kept.
// RUN: %ampc-opt %t.mlir --kernel-configure | diff %t.mlir -
// RUN: sed 's/<wgmma, m = [^>]*>/<wgmma, m = 64, n = 128, stages = 3, split_k = 2, cluster = 1x1>/' %t.mlir > %t.split.mlir
// RUN: %ampc-opt %t.split.mlir --kernel-configure --kernel-emit | FileCheck %s --check-prefix=SPLIT
// RUN: ampc-kernel-run --target=sm_90a %t.split.mlir | FileCheck %s --check-prefix=RUNS --implicit-check-not=FAILED
// RUN: sed 's/<wgmma, m = [^>]*>/<wgmma, m = 64, n = 256, stages = 4, schedule = pingpong>/' %t.mlir > %t.turns.mlir
// RUN: %ampc-opt %t.turns.mlir --kernel-configure --kernel-emit | FileCheck %s --check-prefix=TURNS
// RUN: ampc-kernel-run --target=sm_90a %t.turns.mlir | FileCheck %s --check-prefix=RUNS --implicit-check-not=FAILED
// RUN: sed 's/<wgmma, m = [^>]*>/<mma, m = 64, n = 64, stages = 2, split_k = 4>/' %t.mlir > %t.mma.mlir
// RUN: %ampc-opt %t.mma.mlir --kernel-configure --kernel-emit | FileCheck %s --check-prefix=MMA
// RUN: ampc-kernel-run --target=sm_90a %t.mma.mlir | FileCheck %s --check-prefix=RUNS --implicit-check-not=FAILED
// RUN: sed 's/<wgmma, m = [^>]*>/<plain>/' %t.mlir > %t.plain.mlir
// RUN: %ampc-opt %t.plain.mlir --kernel-configure --kernel-emit | FileCheck %s --check-prefix=PLAIN
// RUN: ampc-kernel-run --target=sm_90a %t.plain.mlir | FileCheck %s --check-prefix=RUNS --implicit-check-not=FAILED

// Without the configured workspace, and without a plan, there is no code.
// RUN: not %ampc-opt %t.split.mlir --kernel-emit 2>&1 | FileCheck %s --check-prefix=STALE
// RUN: not %ampc-opt %s --kernel-emit 2>&1 | FileCheck %s --check-prefix=NONE

// CHOSEN: plan = #kernel.plan<wgmma, m = {{[0-9]+}}, n = {{[0-9]+}}, stages = {{[0-9]+}}, cluster = 1x{{[248]}}>
// SPLIT:  form = "warpgroups: tiles of 64x128x64 in 3 stages, clusters of 1, sides along k and n, tensor copies, split-K 2"
// SPLIT:  plan = #kernel.plan<wgmma, m = 64, n = 128, stages = 3, split_k = 2, cluster = 1x1>, {{.*}}workspace_bytes = 108800 : i64
// TURNS:  form = "warpgroups: tiles of 64x256x64 in 4 stages, ping-pong, clusters of 2, sides along k and n, tensor copies"
// TURNS:  plan = #kernel.plan<wgmma, m = 64, n = 256, stages = 4, cluster = 2x1, schedule = pingpong>
// MMA:    form = "tiles of 64x64x64 in 2 stages, sides along k and n, copies of 16 and 16 bytes, split-K 4"
// MMA:    plan = #kernel.plan<mma, m = 64, n = 64, stages = 2, split_k = 4>, {{.*}}workspace_bytes = 217600 : i64
// PLAIN:  form = "plain"
// PLAIN:  plan = #kernel.plan<plain>
// RUNS:   _sm_90a: {{.*}}ok
// STALE:  error: 'kernel.gemm' op expected a workspace of at least 108800 bytes, but got 0
// NONE:   error: 'kernel.gemm' op expected a plan, which kernel-configure stores

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
module attributes {kernel.target = "sm_90a"} {
kernel.program @product(%x: tensor<100x1024xbf16>, %w: tensor<1024x136xbf16>) -> tensor<100x136xf32> {
  %y = kernel.gemm %x, %w : tensor<100x1024xbf16>, tensor<1024x136xbf16> acc f32 maps [#a, #b] space [100, 136] depth 1024
      epilogue () maps [] -> [#id] attributes {test.tolerance = 3.0e-5} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<100x136xf32>
  kernel.return %y : tensor<100x136xf32>
}
}
