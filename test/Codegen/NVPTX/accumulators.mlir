// Accumulators of 16 bits are refused where code is written, even if nobody has verified the kernels before.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not ampc-opt %s --split-input-file --mlir-very-unsafe-disable-verifier-on-parsing --verify-each=0 --kernel-emit 2>&1 | FileCheck %s --implicit-check-not=error:

#id = affine_map<(d0, d1) -> (d0, d1)>
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
module attributes {kernel.target = "sm_80"} {
kernel.program @product(%x: tensor<8x6xf16>, %w: tensor<6x4xf16>) -> tensor<8x4xf16> {
  // CHECK: mlir:[[#@LINE+1]]:{{.*}}error: 'kernel.gemm' op expected accumulators of f32 or f64, but got 'f16'
  %y = kernel.gemm %x, %w : tensor<8x6xf16>, tensor<6x4xf16> acc f16 maps [#a, #b] space [8, 4] depth 6 epilogue () maps [] -> [#id] {
  ^bb0(%sum: f16):
    kernel.yield %sum : f16
  } : tensor<8x4xf16>
  kernel.return %y : tensor<8x4xf16>
}
}

// -----
#in = affine_map<(d0, d1, d2) -> (d1, d2)>
#out = affine_map<(d0, d1, d2) -> (d2)>
module attributes {kernel.target = "sm_80"} {
kernel.program @columns(%x: tensor<512x64xbf16>) -> tensor<64xbf16> {
  // CHECK: mlir:[[#@LINE+1]]:{{.*}}error: 'kernel.reduce' op expected accumulators of f32 or f64, but got 'bf16'
  %y = kernel.reduce sum(%x : tensor<512x64xbf16>) space [1, 512, 64] maps [#in] -> [#out] {
  ^bb0(%a: bf16):
    kernel.yield %a : bf16
  } : tensor<64xbf16>
  kernel.return %y : tensor<64xbf16>
}
}

// -----
#id = affine_map<(d0, d1) -> (d0, d1)>
module attributes {kernel.target = "sm_80"} {
kernel.program @rows(%x: tensor<37x200xf16>) -> tensor<37x200xf16> {
  // CHECK: mlir:[[#@LINE+1]]:{{.*}}error: 'kernel.map' op expected accumulators of f32 or f64, but got 'f16'
  %y = kernel.map(%x : tensor<37x200xf16>) space [37, 200] maps [#id] -> [#id] {
  ^bb0(%a: f16):
    %0 = kernel.row_reduce sum %a : f16
    %1 = arith.divf %a, %0 : f16
    kernel.yield %1 : f16
  } : tensor<37x200xf16>
  kernel.return %y : tensor<37x200xf16>
}
}

// -----
module attributes {kernel.target = "sm_80"} {
kernel.program @scatter(%x: tensor<12x8xbf16>, %index: tensor<12xi32>) -> tensor<100x8xbf16> {
  // CHECK: mlir:[[#@LINE+1]]:{{.*}}error: 'kernel.scatter_add' op expected accumulators of f32 or f64, but got 'bf16'
  %y = kernel.scatter_add %x, %index : tensor<12x8xbf16>, tensor<12xi32> -> tensor<100x8xbf16>
  kernel.return %y : tensor<100x8xbf16>
}
}

// -----
// The sum of a kernel's totals; the kernel itself is fine.
#id = affine_map<(d0, d1) -> (d0, d1)>
module attributes {kernel.target = "sm_80"} {
kernel.program @totals(%x: tensor<12x8xf16>) -> (tensor<12x8xf16>, tensor<f16>) {
  // CHECK: mlir:[[#@LINE+1]]:{{.*}}error: 'kernel.fused_reduction' op expected accumulators of f32 or f64, but got 'f16'
  %y, %squares = kernel.fused_reduction(%x : tensor<12x8xf16>) of {
  ^bb0(%a: tensor<12x8xf16>):
    %0 = kernel.map(%a : tensor<12x8xf16>) space [12, 8] maps [#id] -> [#id] {
    ^bb0(%element: f16):
      kernel.yield %element : f16
    } : tensor<12x8xf16>
    kernel.yield %0 : tensor<12x8xf16>
  } sum {
  ^bb0(%element: f16):
    %0 = arith.mulf %element, %element : f16
    kernel.yield %0 : f16
  } : tensor<12x8xf16>, tensor<f16>
  kernel.return %y, %squares : tensor<12x8xf16>, tensor<f16>
}
}

// -----
module attributes {kernel.target = "sm_80"} {
kernel.program @attention(%q: tensor<8x16xf16>) -> tensor<8x16xf16> {
  // CHECK: mlir:[[#@LINE+1]]:{{.*}}error: 'kernel.attention' op expected accumulators of f32 or f64, but got 'f16'
  %y = kernel.attention(%q, %q, %q : tensor<8x16xf16>, tensor<8x16xf16>, tensor<8x16xf16>) acc f16 batch [] queries 8 keys 8 width 16 scale 0.25
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>] : tensor<8x16xf16>
  kernel.return %y : tensor<8x16xf16>
}
}

// -----
#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module attributes {kernel.target = "sm_80"} {
kernel.program @conv(%image: tensor<2x6x9x8xbf16>, %filter: tensor<8x3x3x8xbf16>) -> tensor<2x6x9x8xbf16> {
  // CHECK: mlir:[[#@LINE+1]]:{{.*}}error: 'kernel.conv' op expected accumulators of f32 or f64, but got 'bf16'
  %y = kernel.conv %image, %filter : tensor<2x6x9x8xbf16>, tensor<8x3x3x8xbf16> acc bf16 strides [1, 1] padding [1, 1, 1, 1]
      dilations [1, 1] input_dilations [1, 1] groups 1 space [2, 6, 9, 8] epilogue() maps [] -> [#id] {
  ^bb0(%sum: bf16):
    kernel.yield %sum : bf16
  } : tensor<2x6x9x8xbf16>
  kernel.return %y : tensor<2x6x9x8xbf16>
}
}
