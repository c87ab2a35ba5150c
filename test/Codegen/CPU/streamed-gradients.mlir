// A gradient of 4 MB is stored past the caches: the caches would lose the gradient before the update, and a plain store reads the overwritten line. Not so:
// a smaller gradient; one returned to a caller, or a view, whose memory starts at any address; rows of partial cache lines; a value that no update reads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --kernel-configure | FileCheck %s
// RUN: %ampc-opt %s --kernel-configure --kernel-emit="tiers=plain,avx2,avx512" | FileCheck %s --check-prefix=CODE

#km = affine_map<(m, n, k) -> (k, m)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n) -> (m, n)>
module attributes {kernel.target = "cpu"} {
kernel.program @gradients(%x: tensor<16x1024xf32>, %y: tensor<16x1024xf32>, %y7: tensor<16x1032xf32>) -> (tensor<1024x1024xf32>, tensor<1024x1024xf32>, tensor<1048576xf32>, tensor<1016x1024xf32>, tensor<1024x1032xf32>, tensor<1024x1024xf32>) {
  // CHECK: kernel.gemm {{.*}}], code.streams, kernel.barrier}
  %g = kernel.gemm %x, %y : tensor<16x1024xf32>, tensor<16x1024xf32> acc f32 maps [#km, #kn] space [1024, 1024] depth 16
      epilogue () maps [] -> [#mn] attributes {kernel.barrier} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<1024x1024xf32>
  %g.new = kernel.map(%g : tensor<1024x1024xf32>) space [1024, 1024] maps [#mn] -> [#mn] {
  ^bb0(%element: f32):
    %0 = arith.negf %element : f32
    kernel.yield %0 : f32
  } : tensor<1024x1024xf32>
  // CHECK: kernel.gemm {{.*}}], kernel.barrier}
  %returned = kernel.gemm %x, %y : tensor<16x1024xf32>, tensor<16x1024xf32> acc f32 maps [#km, #kn] space [1024, 1024] depth 16
      epilogue () maps [] -> [#mn] attributes {kernel.barrier} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<1024x1024xf32>
  // CHECK: kernel.gemm {{.*}}], kernel.barrier}
  %viewed = kernel.gemm %x, %y : tensor<16x1024xf32>, tensor<16x1024xf32> acc f32 maps [#km, #kn] space [1024, 1024] depth 16
      epilogue () maps [] -> [#mn] attributes {kernel.barrier} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<1024x1024xf32>
  %view = kernel.view %viewed : tensor<1024x1024xf32> to tensor<1048576xf32>
  // CHECK: kernel.gemm {{.*}}], kernel.barrier}
  %small = kernel.gemm %x, %y : tensor<16x1024xf32>, tensor<16x1024xf32> acc f32 maps [#km, #kn] space [1016, 1024] depth 16
      epilogue () maps [] -> [#mn] attributes {kernel.barrier} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<1016x1024xf32>
  %small.new = kernel.map(%small : tensor<1016x1024xf32>) space [1016, 1024] maps [#mn] -> [#mn] {
  ^bb0(%element: f32):
    %0 = arith.negf %element : f32
    kernel.yield %0 : f32
  } : tensor<1016x1024xf32>
  // CHECK: kernel.gemm {{.*}}], kernel.barrier}
  %ragged = kernel.gemm %x, %y7 : tensor<16x1024xf32>, tensor<16x1032xf32> acc f32 maps [#km, #kn] space [1024, 1032] depth 16
      epilogue () maps [] -> [#mn] attributes {kernel.barrier} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<1024x1032xf32>
  %ragged.new = kernel.map(%ragged : tensor<1024x1032xf32>) space [1024, 1032] maps [#mn] -> [#mn] {
  ^bb0(%element: f32):
    %0 = arith.negf %element : f32
    kernel.yield %0 : f32
  } : tensor<1024x1032xf32>
  // CHECK: kernel.gemm {{.*}} attributes {blockings = [{{[^]]*}}]} {
  %activation = kernel.gemm %x, %y : tensor<16x1024xf32>, tensor<16x1024xf32> acc f32 maps [#km, #kn] space [1024, 1024] depth 16
      epilogue () maps [] -> [#mn] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<1024x1024xf32>
  %activation.new = kernel.map(%activation : tensor<1024x1024xf32>) space [1024, 1024] maps [#mn] -> [#mn] {
  ^bb0(%element: f32):
    %0 = arith.negf %element : f32
    kernel.yield %0 : f32
  } : tensor<1024x1024xf32>
  kernel.return %g.new, %returned, %view, %small.new, %ragged.new, %activation.new : tensor<1024x1024xf32>, tensor<1024x1024xf32>, tensor<1048576xf32>, tensor<1016x1024xf32>, tensor<1024x1032xf32>, tensor<1024x1024xf32>
}
}
// CODE-LABEL: module @tier_plain
// CODE-LABEL: func hidden @model_k0_plain
// CODE: llvm.store {{.*}} {alignment = 16 : i64, nontemporal} : vector<4xf32>
// CODE: "llvm.x86.sse.sfence"
// CODE-LABEL: func hidden @model_k1_plain
// CODE-NOT: {{nontemporal|sfence}}
// CODE-LABEL: module @tier_avx2
// CODE: nontemporal} : vector<8xf32>
// CODE-LABEL: module @tier_avx512
// CODE: {alignment = 64 : i64, nontemporal} : vector<16xf32>
