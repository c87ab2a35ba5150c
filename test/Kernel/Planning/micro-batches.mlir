// A micro-batch ends before the next micro-batch begins, and the gradient is added to the sum in place.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc-opt %s --kernel-plan | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1, d2) -> (d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d1)>
#columns = affine_map<(d0, d1, d2) -> (d2)>
#line = affine_map<(d0) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#km = affine_map<(d0, d1, d2) -> (d2, d0)>
#kn = affine_map<(d0, d1, d2) -> (d2, d1)>
#forward0 = #train.origin<"f">
#forward1 = #train.origin<"f", part = 1>
#backward0 = #train.origin<"f", stage = backward, order = 1>
#backward1 = #train.origin<"f", stage = backward, order = 1, part = 1>
#update = #train.origin<"step.update", stage = update>
module attributes {train.phase = "kernels"} {
  // 8192 bytes of values of a single micro-batch at a time, and 4096 bytes of gradients.
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

  // A total of both micro-batches: the squares of each micro-batch are added up before the next squares are computed, and all before the values that read
  // the total. The mask comes first. 8192 bytes of squares, then of values, of a single micro-batch at a time, and 640 of masks and sums.
  // CHECK-LABEL: kernel.program @total({{.*}}arena_bytes = 8832 : i64
  // CHECK: %[[Q0:.*]] = kernel.map(%arg0 : tensor<64x32xf32>)
  // CHECK: %[[M:.*]]:2 = kernel.map(%arg2
  // CHECK: %[[S0:.*]] = kernel.reduce sum(%[[Q0]], %[[M]]#0
  // CHECK: %[[Q1:.*]] = kernel.map(%arg1 : tensor<64x32xf32>)
  // CHECK: %[[S1:.*]] = kernel.reduce sum(%[[Q1]], %[[M]]#1
  // CHECK: %[[SUM:.*]] = kernel.map(%[[S0]], %[[S1]]
  // CHECK: kernel.map(%arg0, %[[SUM]]
  kernel.program @total(%x0: tensor<64x32xf32> {train.is = #train.input<"x", batch = 0>}, %x1: tensor<64x32xf32> {train.is = #train.input<"x", batch = 0, part = 1>}, %mask: tensor<64xf32> {train.is = #train.input<"mask">})
      -> (tensor<64x32xf32> {train.is = #train.output<named, name = "y">}) attributes {role = #train.role<export>, export_name = "total"} {
    %q0 = kernel.map(%x0 : tensor<64x32xf32>) space [64, 32] maps [#id] -> [#id] attributes {train.origins = [#forward0]} {
    ^bb0(%a: f32):
      %0 = arith.mulf %a, %a : f32
      kernel.yield %0 : f32
    } : tensor<64x32xf32>
    %q1 = kernel.map(%x1 : tensor<64x32xf32>) space [64, 32] maps [#id] -> [#id] attributes {train.origins = [#forward1]} {
    ^bb0(%a: f32):
      %0 = arith.mulf %a, %a : f32
      kernel.yield %0 : f32
    } : tensor<64x32xf32>
    %m:2 = kernel.map(%mask : tensor<64xf32>) space [64] maps [#line] -> [#line, #line] attributes {train.origins = [#forward0, #forward1]} {
    ^bb0(%a: f32):
      %0 = arith.negf %a : f32
      kernel.yield %0, %a : f32, f32
    } : tensor<64xf32>, tensor<64xf32>
    %s0 = kernel.reduce sum(%q0, %m#0 : tensor<64x32xf32>, tensor<64xf32>) space [1, 64, 32] maps [#rows, #row] -> [#columns] attributes {train.origins = [#forward0]} {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.mulf %a, %b : f32
      kernel.yield %0 : f32
    } : tensor<32xf32>
    %s1 = kernel.reduce sum(%q1, %m#1 : tensor<64x32xf32>, tensor<64xf32>) space [1, 64, 32] maps [#rows, #row] -> [#columns] attributes {train.origins = [#forward1]} {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.mulf %a, %b : f32
      kernel.yield %0 : f32
    } : tensor<32xf32>
    %sum = kernel.map(%s0, %s1 : tensor<32xf32>, tensor<32xf32>) space [32] maps [#line, #line] -> [#line] attributes {train.origins = [#forward0, #forward1]} {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      kernel.yield %0 : f32
    } : tensor<32xf32>
    %f0 = kernel.map(%x0, %sum : tensor<64x32xf32>, tensor<32xf32>) space [64, 32] maps [#id, #column] -> [#id] attributes {train.origins = [#forward0]} {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.mulf %a, %b : f32
      kernel.yield %0 : f32
    } : tensor<64x32xf32>
    %f1 = kernel.map(%x1, %f0, %sum : tensor<64x32xf32>, tensor<64x32xf32>, tensor<32xf32>) space [64, 32] maps [#id, #id, #column] -> [#id] attributes {train.origins = [#forward1]} {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %0 = arith.mulf %a, %c : f32
      %1 = arith.addf %0, %b : f32
      kernel.yield %1 : f32
    } : tensor<64x32xf32>
    %y = kernel.map(%f1 : tensor<64x32xf32>) space [64, 32] maps [#id] -> [#id] attributes {train.origins = [#update]} {
    ^bb0(%a: f32):
      %0 = arith.negf %a : f32
      kernel.yield %0 : f32
    } : tensor<64x32xf32>
    kernel.return %y : tensor<64x32xf32>
  }
}
