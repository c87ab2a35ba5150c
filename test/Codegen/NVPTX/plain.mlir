// Every kernel in the plain form has a reason.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc-kernel-run --target=sm_80 --emit=nvvm %s | FileCheck %s --implicit-check-not='form = "plain"'

// CHECK:      module attributes {kernel.functions = [{form = "plain: the iteration domain has one point"
// CHECK-SAME: form = "plain: no tensor has neighbours along the last dimension"
// CHECK-SAME: form = "plain: rows of a tensor start at an odd element"
// CHECK-SAME: form = "plain: a tensor is read or written from an odd element on"
// CHECK-SAME: form = "plain: a tensor's places are no linear function of the point"
// CHECK-SAME: form = "plain: rows have an odd number of columns"
// CHECK-SAME: form = "plain: columns of an operand lie apart, or start or end at an odd column"
// CHECK-SAME: form = "plain: pools have no other code"
// CHECK-SAME: form = "plain: the operands are not both bf16, f16 or f32"
// CHECK-SAME: form = "plain: the operands are not all bf16 or f16"
#none = affine_map<() -> ()>
kernel.program @one(%x: tensor<f32>) -> tensor<f32> {
  %y = kernel.map(%x : tensor<f32>) space [] maps [#none] -> [#none] {
  ^bb0(%a: f32):
    %0 = arith.mulf %a, %a : f32
    kernel.yield %0 : f32
  } : tensor<f32>
  kernel.return %y : tensor<f32>
}

#id = affine_map<(d0, d1) -> (d0, d1)>
#first = affine_map<(d0, d1) -> (d0, d1 * 2)>
kernel.program @apart(%x: tensor<5x14xf32>) -> tensor<5x14xf32> {
  %y = kernel.map(%x : tensor<5x14xf32>) space [5, 7] maps [#first] -> [#first] {
  ^bb0(%a: f32):
    %0 = arith.mulf %a, %a : f32
    kernel.yield %0 : f32
  } : tensor<5x14xf32>
  kernel.return %y : tensor<5x14xf32>
}

kernel.program @odd(%x: tensor<5x9xf32>) -> tensor<5x4xf32> {
  %y = kernel.map(%x : tensor<5x9xf32>) space [5, 4] maps [#id] -> [#id] {
  ^bb0(%a: f32):
    %0 = arith.mulf %a, %a : f32
    kernel.yield %0 : f32
  } : tensor<5x4xf32>
  kernel.return %y : tensor<5x4xf32>
}

#shifted = affine_map<(d0, d1) -> (d0, d1 + 1)>
kernel.program @shifted(%x: tensor<5x8xf32>) -> tensor<5x4xf32> {
  %y = kernel.map(%x : tensor<5x8xf32>) space [5, 4] maps [#shifted] -> [#id] {
  ^bb0(%a: f32):
    %0 = arith.mulf %a, %a : f32
    kernel.yield %0 : f32
  } : tensor<5x4xf32>
  kernel.return %y : tensor<5x4xf32>
}

#halves = affine_map<(d0, d1) -> (d0 floordiv 2, d1)>
kernel.program @halves(%x: tensor<3x4xf32>) -> tensor<6x4xf32> {
  %y = kernel.map(%x : tensor<3x4xf32>) space [6, 4] maps [#halves] -> [#id] {
  ^bb0(%a: f32):
    %0 = arith.mulf %a, %a : f32
    kernel.yield %0 : f32
  } : tensor<6x4xf32>
  kernel.return %y : tensor<6x4xf32>
}

kernel.program @rows(%table: tensor<100x7xf32>, %index: tensor<12xi32>) -> tensor<12x7xf32> {
  %y = kernel.gather %table, %index : tensor<100x7xf32>, tensor<12xi32> -> tensor<12x7xf32>
  kernel.return %y : tensor<12x7xf32>
}

kernel.program @together(%a: tensor<4x8xf32>, %b: tensor<4x3xf32>) -> tensor<4x11xf32> {
  %y = kernel.assemble(%a, %b : tensor<4x8xf32>, tensor<4x3xf32>) offsets [0, 0, 0, 8] strides [1, 1, 1, 1] fill 0.0 -> tensor<4x11xf32>
  kernel.return %y : tensor<4x11xf32>
}

kernel.program @pool(%x: tensor<2x4x6x3xf32>) -> (tensor<2x2x3x3xf32>, tensor<2x2x3x3xi8>) {
  %y, %where = kernel.pool max %x window [2, 2] strides [2, 2] padding [0, 0, 0, 0] scale 1.0 : tensor<2x4x6x3xf32> -> tensor<2x2x3x3xf32>, tensor<2x2x3x3xi8>
  kernel.return %y, %where : tensor<2x2x3x3xf32>, tensor<2x2x3x3xi8>
}

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
kernel.program @product(%x: tensor<8x6xf64>, %w: tensor<6x4xf64>) -> tensor<8x4xf64> {
  %y = kernel.gemm %x, %w : tensor<8x6xf64>, tensor<6x4xf64> acc f64 maps [#a, #b] space [8, 4] depth 6 epilogue () maps [] -> [#id] {
  ^bb0(%sum: f64):
    kernel.yield %sum : f64
  } : tensor<8x4xf64>
  kernel.return %y : tensor<8x4xf64>
}

kernel.program @attention(%q: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %y = kernel.attention(%q, %q, %q : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) acc f32 batch [] queries 8 keys 8 width 16 scale 0.25
      maps [#id, #id, #id] -> [#id] : tensor<8x16xf32>
  kernel.return %y : tensor<8x16xf32>
}
