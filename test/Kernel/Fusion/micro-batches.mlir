// A kernel for two micro-batches would run with the later micro-batch, and readers of the earlier values would wait for that kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc-opt %s --kernel-fuse | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#line = affine_map<(d0) -> (d0)>
#points = affine_map<(d0, d1, d2) -> (d1, d2)>
#sum = affine_map<(d0, d1, d2) -> (d2)>
#p0 = #train.origin<"f">
#p1 = #train.origin<"f", part = 1>
module {
  // Sums of two micro-batches over the same tensor.
  // CHECK-LABEL: kernel.program @apart(
  // CHECK: kernel.reduce sum
  // CHECK: kernel.reduce sum
  // CHECK: kernel.return
  kernel.program @apart(%x: tensor<64x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %a = kernel.reduce sum(%x : tensor<64x8xf32>) space [1, 64, 8] maps [#points] -> [#sum] attributes {train.origins = [#p0]} {
    ^bb0(%0: f32):
      kernel.yield %0 : f32
    } : tensor<8xf32>
    %b = kernel.reduce sum(%x : tensor<64x8xf32>) space [1, 64, 8] maps [#points] -> [#sum] attributes {train.origins = [#p1]} {
    ^bb0(%0: f32):
      %1 = arith.mulf %0, %0 : f32
      kernel.yield %1 : f32
    } : tensor<8xf32>
    kernel.return %a, %b : tensor<8xf32>, tensor<8xf32>
  }

  // A weight from the data of micro-batch 1 that micro-batch 0 reads belongs to micro-batch 0: the sums are a single kernel.
  // CHECK-LABEL: kernel.program @together(
  // CHECK: %[[SUMS:.*]]:2 = kernel.reduce {{.*}}
  // CHECK: kernel.map(%[[SUMS]]#0, %[[SUMS]]#1
  kernel.program @together(%x: tensor<64x8xf32>) -> tensor<8xf32> {
    %a = kernel.reduce sum(%x : tensor<64x8xf32>) space [1, 64, 8] maps [#points] -> [#sum] attributes {train.origins = [#p0]} {
    ^bb0(%0: f32):
      kernel.yield %0 : f32
    } : tensor<8xf32>
    %b = kernel.reduce sum(%x : tensor<64x8xf32>) space [1, 64, 8] maps [#points] -> [#sum] attributes {train.origins = [#p1]} {
    ^bb0(%0: f32):
      %1 = arith.mulf %0, %0 : f32
      kernel.yield %1 : f32
    } : tensor<8xf32>
    %c = kernel.map(%a, %b : tensor<8xf32>, tensor<8xf32>) space [8] maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] attributes {train.origins = [#p0]} {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.divf %0, %1 : f32
      kernel.yield %2 : f32
    } : tensor<8xf32>
    kernel.return %c : tensor<8xf32>
  }

  // Shares of a total that read values in memory stay separate, or all these values would wait for the last share, which has the total.
  // CHECK-LABEL: kernel.program @shares(
  // CHECK: %[[A:.*]] = kernel.reduce sum(%arg0
  // CHECK: %[[B:.*]] = kernel.reduce sum(%arg1
  // CHECK: %[[C:.*]] = kernel.map(%[[A]], %arg2 :
  // CHECK: %[[E:.*]] = kernel.map(%[[B]], %arg2, %[[C]] :
  // CHECK: kernel.map(%[[E]] :
  kernel.program @shares(%x: tensor<64x8xf32>, %y: tensor<64x8xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
    %a = kernel.reduce sum(%x : tensor<64x8xf32>) space [1, 64, 8] maps [#points] -> [#sum] attributes {train.origins = [#p0]} {
    ^bb0(%0: f32):
      kernel.yield %0 : f32
    } : tensor<8xf32>
    %b = kernel.reduce sum(%y : tensor<64x8xf32>) space [1, 64, 8] maps [#points] -> [#sum] attributes {train.origins = [#p1]} {
    ^bb0(%0: f32):
      kernel.yield %0 : f32
    } : tensor<8xf32>
    %c = kernel.map(%a, %z : tensor<8xf32>, tensor<8xf32>) space [8] maps [#line, #line] -> [#line] attributes {train.origins = [#p0]} {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.mulf %0, %1 : f32
      kernel.yield %2 : f32
    } : tensor<8xf32>
    %d = kernel.map(%b, %z : tensor<8xf32>, tensor<8xf32>) space [8] maps [#line, #line] -> [#line] attributes {train.origins = [#p1]} {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.mulf %0, %1 : f32
      kernel.yield %2 : f32
    } : tensor<8xf32>
    %e = kernel.map(%c, %d : tensor<8xf32>, tensor<8xf32>) space [8] maps [#line, #line] -> [#line] attributes {train.origins = [#p0, #p1]} {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.divf %0, %1 : f32
      kernel.yield %2 : f32
    } : tensor<8xf32>
    %f = kernel.map(%e : tensor<8xf32>) space [8] maps [#line] -> [#line] attributes {train.origins = [#p0]} {
    ^bb0(%0: f32):
      %1 = math.tanh %0 : f32
      kernel.yield %1 : f32
    } : tensor<8xf32>
    kernel.return %f : tensor<8xf32>
  }

  // Tensors of two shares of a total come from separate kernels, although both kernels read only inputs: a single kernel would write both at a time.
  // CHECK-LABEL: kernel.program @tensors(
  // CHECK: kernel.map(%arg0, %arg1 :
  // CHECK: kernel.map(%arg0, %arg2 :
  // CHECK: kernel.return
  kernel.program @tensors(%x: tensor<64x8xf32>, %y: tensor<64x8xf32>, %z: tensor<64x8xf32>) -> tensor<8xf32> {
    %a = kernel.map(%x, %y : tensor<64x8xf32>, tensor<64x8xf32>) space [64, 8] maps [#id, #id] -> [#id] attributes {train.origins = [#p0]} {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.divf %0, %1 : f32
      kernel.yield %2 : f32
    } : tensor<64x8xf32>
    %b = kernel.map(%x, %z : tensor<64x8xf32>, tensor<64x8xf32>) space [64, 8] maps [#id, #id] -> [#id] attributes {train.origins = [#p1]} {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.divf %0, %1 : f32
      kernel.yield %2 : f32
    } : tensor<64x8xf32>
    %c = kernel.reduce max(%a : tensor<64x8xf32>) space [1, 64, 8] maps [#points] -> [#sum] attributes {train.origins = [#p0]} {
    ^bb0(%0: f32):
      kernel.yield %0 : f32
    } : tensor<8xf32>
    %d = kernel.reduce max(%b : tensor<64x8xf32>) space [1, 64, 8] maps [#points] -> [#sum] attributes {train.origins = [#p1]} {
    ^bb0(%0: f32):
      kernel.yield %0 : f32
    } : tensor<8xf32>
    %e = kernel.reduce sum(%a : tensor<64x8xf32>) space [1, 64, 8] maps [#points] -> [#sum] attributes {train.origins = [#p0]} {
    ^bb0(%0: f32):
      kernel.yield %0 : f32
    } : tensor<8xf32>
    %f = kernel.reduce sum(%b : tensor<64x8xf32>) space [1, 64, 8] maps [#points] -> [#sum] attributes {train.origins = [#p1]} {
    ^bb0(%0: f32):
      kernel.yield %0 : f32
    } : tensor<8xf32>
    %g = kernel.map(%c, %d, %e, %f : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) space [8] maps [#line, #line, #line, #line] -> [#line] attributes {train.origins = [#p0]} {
    ^bb0(%0: f32, %1: f32, %2: f32, %3: f32):
      %4 = arith.divf %0, %1 : f32
      %5 = arith.divf %2, %3 : f32
      %6 = arith.divf %4, %5 : f32
      kernel.yield %6 : f32
    } : tensor<8xf32>
    kernel.return %g : tensor<8xf32>
  }

  // Micro-batch 1 does not recompute the value of micro-batch 0: the operands of the value would have to be kept.
  // CHECK-LABEL: kernel.program @kept(
  // CHECK: kernel.map
  // CHECK: math.tanh
  // CHECK: kernel.map
  // CHECK: arith.addf
  kernel.program @kept(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %a = kernel.map(%x, %y : tensor<4x8xf32>, tensor<4x8xf32>) space [4, 8] maps [#id, #id] -> [#id] attributes {train.origins = [#p0]} {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.mulf %0, %1 : f32
      %3 = math.tanh %2 : f32
      kernel.yield %3 : f32
    } : tensor<4x8xf32>
    %b = kernel.map(%a, %y : tensor<4x8xf32>, tensor<4x8xf32>) space [4, 8] maps [#id, #id] -> [#id] attributes {train.origins = [#p1]} {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      kernel.yield %2 : f32
    } : tensor<4x8xf32>
    kernel.return %b : tensor<4x8xf32>
  }
}
