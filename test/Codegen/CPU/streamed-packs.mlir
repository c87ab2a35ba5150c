// Packed copies of 4 MB are stored past the caches, in whole lines, for either summed side of the matrix: the products that read the copies come a step later. Not so:
// smaller copies, and vectors shorter than a line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --kernel-configure --kernel-emit="tiers=avx2,avx512bf16" | FileCheck %s

#rc = affine_map<(r, c) -> (r, c)>
#large0 = #kernel.packed<rhs, depth = 0, bytes = 4194304>
#large1 = #kernel.packed<rhs, depth = 1, bytes = 4194304>
#small0 = #kernel.packed<rhs, depth = 0, bytes = 2097152>
module attributes {kernel.target = "cpu"} {
kernel.program @updates(%w: tensor<1024x2048xf32>, %v: tensor<1024x1024xf32>)
    -> (tensor<1024x2048xbf16, #large0>, tensor<1024x2048xbf16, #large1>, tensor<1024x1024xbf16, #small0>) {
  %0 = kernel.map(%w : tensor<1024x2048xf32>) space [1024, 2048] maps [#rc] -> [#rc] {
  ^bb0(%x: f32):
    %y = arith.truncf %x : f32 to bf16
    kernel.yield %y : bf16
  } : tensor<1024x2048xbf16, #large0>
  %1 = kernel.map(%w : tensor<1024x2048xf32>) space [1024, 2048] maps [#rc] -> [#rc] {
  ^bb0(%x: f32):
    %z = arith.negf %x : f32
    %y = arith.truncf %z : f32 to bf16
    kernel.yield %y : bf16
  } : tensor<1024x2048xbf16, #large1>
  %2 = kernel.map(%v : tensor<1024x1024xf32>) space [1024, 1024] maps [#rc] -> [#rc] {
  ^bb0(%x: f32):
    %y = arith.truncf %x : f32 to bf16
    kernel.yield %y : bf16
  } : tensor<1024x1024xbf16, #small0>
  kernel.return %0, %1, %2 : tensor<1024x2048xbf16, #large0>, tensor<1024x2048xbf16, #large1>, tensor<1024x1024xbf16, #small0>
}
}
// CHECK-LABEL: module @tier_avx2
// CHECK-NOT: {{nontemporal|sfence}}
// CHECK-LABEL: module @tier_avx512bf16
// CHECK-LABEL: func hidden @model_k0_avx512bf16
// CHECK: {alignment = 64 : i64, nontemporal} : vector<16xi32>
// CHECK: "llvm.x86.sse.sfence"
// CHECK-LABEL: func hidden @model_k1_avx512bf16
// CHECK-COUNT-16: {alignment = 64 : i64, nontemporal} : vector<16xi32>
// CHECK: "llvm.x86.sse.sfence"
// CHECK-LABEL: func hidden @model_k2_avx512bf16
// CHECK-NOT: {{nontemporal|sfence}}
