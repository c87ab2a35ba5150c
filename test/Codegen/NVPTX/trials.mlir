// Products in a way that is asked for, and every way that is worth a measurement.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc-kernel-run --target=sm_90a --emit=nvvm %s | FileCheck %s --check-prefix=FORM
// RUN: ampc-kernel-run --target=sm_90a %s | FileCheck %s --check-prefix=RUNS --implicit-check-not=FAILED
// RUN: ampc-kernel-run --target=sm_90a --trials %s | FileCheck %s --check-prefix=TRIALS
// RUN: ampc-kernel-run --target=sm_80 --trials %s | FileCheck %s --check-prefix=OLD
// RUN: sed 's/array<i64: 1, 64, 128, 2, 1>/array<i64: 1, 64, 96, 2, 1>/' %s | not ampc-kernel-run --target=sm_90a - 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sed 's/array<i64: 1, 64, 128, 2, 1>/"64x128"/' %s | not ampc-kernel-run --target=sm_90a - 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: sed 's/array<i64: 1, 64, 128, 2, 1>/array<i64: 1, 64, 128, 0, 1>/' %s | not ampc-kernel-run --target=sm_90a - 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: sed 's/array<i64: 1, 64, 128, 2, 1>/array<i64: 1, 64, 128, 0, 1>/' %s | not ampc-kernel-run --target=sm_80 - 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: sed 's/array<i64: 1, 64, 128, 2, 1>/array<i64: 4294967297, 64, 128, 2, 1>/' %s | not ampc-kernel-run --target=sm_90a - 2>&1 | FileCheck %s --check-prefix=OTHER
// NONE: error: 'kernel.gemm' op expected code.tile of a tile that sm_90a has code for, but got array<i64: 1, 64, 96, 2, 1>
// TEXT: error: 'kernel.gemm' op expected code.tile of a tile that sm_90a has code for, but got "64x128"
// ZERO: error: 'kernel.gemm' op expected code.tile of a tile that sm_{{80|90a}} has code for, but got array<i64: 1, 64, 128, 0, 1>
// OTHER: error: 'kernel.gemm' op expected code.tile of a tile that sm_90a has code for, but got array<i64: 4294967297, 64, 128, 2, 1>

// FORM: form = "tiles of 64x128x32 in 4 stages, sides along k and n, copies of 16 and 16 bytes, in 2 parts, no warpgroups: tiles were picked"
// FORM-SAME: form = "warpgroups: tiles of 128x64x64 in 8 stages, clusters of 2 that divide k
// FORM-SAME: form = "tiles of 128x128x16 in 2 stages
// RUNS-COUNT-3: _sm_90a: {{.*}}ok

// Trials of each product: first the chosen launch, then other tiles and splits, each once; tensor maps follow the launch, and PTX is last.
// TRIALS:      chip sm_90a 132
// TRIALS-NEXT: product tiles NN 2 1 100 136 1024
// TRIALS-NEXT: buffer bf16 204800
// TRIALS-NEXT: buffer bf16 278528
// TRIALS-NEXT: buffer f32 54400
// TRIALS-NEXT: trial Warpgroups
// TRIALS-NEXT: launch model_k0_sm_90a
// TRIALS-NEXT: map 0 0 bf16 128 2 1024 100 2048
// TRIALS-NEXT: map 1 0 bf16 128 2 136 1024 272
// TRIALS-DAG:  trial Warpgroups 128 256
// TRIALS-DAG:  trial Warpgroups 64 64
// TRIALS-DAG:  trial Warpgroups 64 256 1 1 2 1
// TRIALS-DAG:  trial Tiles
// TRIALS:      product numbers NN 4 1 16 24 40
// TRIALS:      trial Numbers 64 64 1 1
// TRIALS:      trial Numbers 128 128 1 1
// TRIALS:      code
// TRIALS:      .target sm_90a
// OLD:     chip sm_80 108
// OLD-NOT: Warpgroups
// OLD:     code

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @tiles(%x: tensor<100x1024xbf16>, %w: tensor<1024x136xbf16>) -> tensor<100x136xf32> {
  %y = kernel.gemm %x, %w : tensor<100x1024xbf16>, tensor<1024x136xbf16> acc f32 maps [#a, #b] space [100, 136] depth 1024
      epilogue () maps [] -> [#id] attributes {code.tile = array<i64: 1, 64, 128, 2, 1>, test.tolerance = 3.0e-5} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<100x136xf32>
  kernel.return %y : tensor<100x136xf32>
}
kernel.program @warpgroups(%x: tensor<100x1024xbf16>, %w: tensor<1024x136xbf16>) -> tensor<100x136xf32> {
  %y = kernel.gemm %x, %w : tensor<100x1024xbf16>, tensor<1024x136xbf16> acc f32 maps [#a, #b] space [100, 136] depth 1024
      epilogue () maps [] -> [#id] attributes {code.tile = array<i64: 2, 128, 64, 1, 2>, test.tolerance = 3.0e-5} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<100x136xf32>
  kernel.return %y : tensor<100x136xf32>
}
kernel.program @numbers(%x: tensor<16x40xf32>, %w: tensor<40x24xf32>) -> tensor<16x24xf32> {
  %y = kernel.gemm %x, %w : tensor<16x40xf32>, tensor<40x24xf32> acc f32 maps [#a, #b] space [16, 24] depth 40
      epilogue () maps [] -> [#id] attributes {code.tile = array<i64: 0, 128, 128, 1, 1>, test.tolerance = 3.0e-5} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<16x24xf32>
  kernel.return %y : tensor<16x24xf32>
}
