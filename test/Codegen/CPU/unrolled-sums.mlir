// RUN: %ampc-opt %s --kernel-emit="tiers=plain" | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Code of a sum along a row, 256 elements in 64 vectors of 4: a short term is unrolled 64 times, with the sums in registers. A term of many
// instructions, four functions of 20, is emitted per stripe in a loop: 64 copies took 4 s to compile.
#row = affine_map<(d0, d1, d2) -> (d1)>
#sum = affine_map<(d0, d1, d2) -> ()>

// CHECK-LABEL: llvm.func hidden @model_k0_plain
// CHECK-COUNT-64: math.exp 
// CHECK-NOT: math.exp 
kernel.program @short(%x: tensor<256xf32>) -> tensor<f32> {
  %y = kernel.reduce sum (%x : tensor<256xf32>) space [1, 256, 1] maps [#row] -> [#sum] {
  ^bb0(%a: f32):
    %0 = math.exp %a : f32
    kernel.yield %0 : f32
  } : tensor<f32>
  kernel.return %y : tensor<f32>
}
// CHECK-LABEL: llvm.func hidden @model_k1_plain
// CHECK-COUNT-2: math.tanh
// CHECK-NOT: math.tanh
kernel.program @long(%x: tensor<256xf32>) -> tensor<f32> {
  %y = kernel.reduce sum (%x : tensor<256xf32>) space [1, 256, 1] maps [#row] -> [#sum] {
  ^bb0(%a: f32):
    %0 = math.tanh %a : f32
    %1 = math.expm1 %0 : f32
    %2 = math.sin %1 : f32
    %3 = math.log1p %2 : f32
    kernel.yield %3 : f32
  } : tensor<f32>
  kernel.return %y : tensor<f32>
}
