// A micro-batch ends before the next one begins, and its gradient is added to the sum in place.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc-opt %s --kernel-plan | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#km = affine_map<(d0, d1, d2) -> (d2, d0)>
#kn = affine_map<(d0, d1, d2) -> (d2, d1)>
#forward0 = #train.origin<"f">
#forward1 = #train.origin<"f", part = 1>
#backward0 = #train.origin<"f", stage = backward, order = 1>
#backward1 = #train.origin<"f", stage = backward, order = 1, part = 1>
#update = #train.origin<"step.update", stage = update>
module attributes {train.phase = "kernels"} {
  // 8192 bytes of values, of one micro-batch at a time, and 4096 bytes of gradients.
  // CHECK-LABEL: kernel.program @step({{.*}}arena_bytes = 12288 : i64
  // CHECK: %[[F0:.*]] = kernel.map(%arg0 : tensor<64x32xf32>)
  // CHECK: %[[B0:.*]] = kernel.gemm %arg0, %[[F0]] {{.*}}kernel.places = [#kernel.place<arena, 0, 8192>]
  // CHECK: %[[F1:.*]] = kernel.map(%arg1 : tensor<64x32xf32>)
  // CHECK: %[[B1:.*]] = kernel.gemm %arg1, %[[F1]] {{.*}}epilogue(%[[B0]] {{.*}}kernel.places = [#kernel.place<arena, 0, 8192>]
  // CHECK: kernel.map(%[[B1]]
  kernel.program @step(%x0: tensor<64x32xf32> {train.is = #train.input<"x", batch = 0>}, %x1: tensor<64x32xf32> {train.is = #train.input<"x", batch = 0, part = 1>})
      -> (tensor<32x32xf32> {train.is = #train.output<named, name = "y">}) attributes {role = #train.role<export>, export_name = "step"} {
    %f0 = kernel.map(%x0 : tensor<64x32xf32>) space [64, 32] maps [#id] -> [#id] attributes {train.origins = [#forward0]} {
    ^bb0(%a: f32):
      %0 = math.tanh %a : f32
      kernel.yield %0 : f32
    } : tensor<64x32xf32>
    %f1 = kernel.map(%x1 : tensor<64x32xf32>) space [64, 32] maps [#id] -> [#id] attributes {train.origins = [#forward1]} {
    ^bb0(%a: f32):
      %0 = math.tanh %a : f32
      kernel.yield %0 : f32
    } : tensor<64x32xf32>
    %b0 = kernel.gemm %x0, %f0 : tensor<64x32xf32>, tensor<64x32xf32> acc f32 maps [#km, #kn] space [32, 32] depth 64 epilogue() maps [] -> [#id] attributes {train.origins = [#backward0]} {
    ^bb0(%a: f32):
      kernel.yield %a : f32
    } : tensor<32x32xf32>
    %b1 = kernel.gemm %x1, %f1 : tensor<64x32xf32>, tensor<64x32xf32> acc f32 maps [#km, #kn] space [32, 32] depth 64 epilogue(%b0 : tensor<32x32xf32>) maps [#id] -> [#id] attributes {train.origins = [#backward1]} {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      kernel.yield %0 : f32
    } : tensor<32x32xf32>
    %y = kernel.map(%b1 : tensor<32x32xf32>) space [32, 32] maps [#id] -> [#id] attributes {train.origins = [#update]} {
    ^bb0(%a: f32):
      %0 = arith.negf %a : f32
      kernel.yield %0 : f32
    } : tensor<32x32xf32>
    kernel.return %y : tensor<32x32xf32>
  }
}
