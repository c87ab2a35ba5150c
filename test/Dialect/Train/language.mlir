// Types that follow, sizes, state by name and modules: as text, and in full.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s | FileCheck %s
// RUN: %ampc-opt %s -o %t.once && ampc-opt %t.once | diff %t.once -
// RUN: %ampc-opt %s --train-expand-modules | FileCheck %s --check-prefix=EXPAND

// CHECK-LABEL: train.model @line (batch = 8, width = 4, hidden = 3 * width)
train.model @line(batch = 8, width = 4, hidden = 3 * width) {
  // CHECK-NEXT: train.param @w : tensor<4x12xf32> = #train.kaiming_uniform {train.sizes = {type = "width, hidden"}}
  train.param @w : f32[width, hidden] = #train.kaiming_uniform
  train.param @norm.gamma : f32[hidden] = #train.ones
  train.param @norm.beta : f32[hidden] = #train.zeros
  train.buffer @seen : f32[] = #train.zeros
  // CHECK:      train.func @ops(%arg0: tensor<8x4xf32> {train.is = #train.input<"x">}) -> (tensor<2x8x2xf32>, tensor<8x8xf32>)
  // CHECK-SAME: train.sizes = {arguments = ["batch, width"]}
  // CHECK-DAG:  %[[BETA:.*]] = train.read @norm.beta : tensor<12xf32>
  // CHECK-DAG:  %[[GAMMA:.*]] = train.read @norm.gamma : tensor<12xf32>
  // CHECK-DAG:  %[[W:.*]] = train.read @w : tensor<4x12xf32>
  train.func @ops(%x: f32[?, width]) {
    // CHECK: %[[P:.*]] = train.matmul %arg0, %[[W]] : (tensor<8x4xf32>, tensor<4x12xf32>) -> tensor<8x12xf32>
    %p = train.matmul %x, %w
    // CHECK: train.layer_norm %[[P]], %[[GAMMA]], %[[BETA]] eps 1.000000e-05 : tensor<8x12xf32>, tensor<12xf32>, tensor<12xf32>
    %n = train.layer_norm %p, %norm.gamma, %norm.beta eps 1.0e-5
    // CHECK: train.split {{.*}} into [4, 4, 4] along 1 {train.sizes = {sizes = "width, width, width"}} : tensor<8x12xf32>
    %a, %b, %c = train.split %n into [width, width, width] along 1
    // CHECK: train.reshape {{.*}} : tensor<8x4xf32> to tensor<8x2x2xf32>
    %r = train.reshape %a to [batch, width / 2, (width - 2)]
    // CHECK: train.transpose {{.*}} [1, 0, 2] : tensor<8x2x2xf32>
    %t = train.transpose %r [1, 0, 2]
    %d = train.concat %a, %b along 1
    // CHECK: amp.autocast bf16 -> tensor<8x8xf32>, tensor<8x8xf32>
    %e:2 = amp.autocast bf16 {
      %f = train.relu %d
      amp.yield %f, %d
    }
    %g = train.add %e#0, %e#1
    // CHECK: train.cast {{.*}} : tensor<8x8xf32> to tensor<8x8xf64>
    %h = train.cast %g to f64
    // CHECK: train.iota along 1 {train.sizes = {result = "batch, width"}} : tensor<8x4xi32>
    %i = train.iota along 1 : i32[batch, width]
    // A value of the function's own hides the parameter.
    // CHECK: %[[SEEN:.*]] = train.read @seen : tensor<f32>
    // CHECK: train.write @seen, %[[SEEN]] : tensor<f32>
    %seen = train.read @seen
    train.write @seen, %seen
    train.return %t, %g
  }
  // CHECK: train.func @images(%arg0: tensor<8x9x9x3xf32> {{.*}}, %arg1: tensor<4x3x3x3xf32> {{.*}}) -> tensor<8x2x2x4xf32>
  train.func @images(%x: f32[batch, 9, 9, 3], %filter: f32[width, 3, 3, 3]) {
    // CHECK: train.conv2d %arg0, %arg1 strides [2, 2] padding [0, 0, 0, 0] : (tensor<8x9x9x3xf32>, tensor<4x3x3x3xf32>) -> tensor<8x4x4x4xf32>
    %y = train.conv2d %x, %filter strides [2, 2] padding [0, 0, 0, 0]
    // CHECK: train.max_pool {{.*}} window [2, 2] strides [2, 2] padding [0, 0, 0, 0] {train.sizes = {window = "width / 2, 2"}} : tensor<8x4x4x4xf32>
    %z, %where = train.max_pool %y window [width / 2, 2] strides [2, 2] padding [0, 0, 0, 0]
    train.return %z
  }
  // CHECK: train.call @ops(%arg0) checkpoint : (tensor<8x4xf32>) -> (tensor<2x8x2xf32>, tensor<8x8xf32>)
  train.func @loss(%x: f32[batch, width], %y: f32[batch, 2 * width]) {
    %t, %p = train.call @ops(%x) checkpoint
    %l = train.mse %p, %y
    train.return %l
  }
  // CHECK: %[[Y:.*]] = train.grad %{{.*}} wrt %arg0 : tensor<f32>, tensor<8x4xf32>
  // CHECK: %{{.*}}:2 = train.grad %{{.*}} wrt %arg0, %{{.*}} : tensor<f32>, tensor<8x4xf32>, tensor<4x12xf32>
  // EXPAND: train.grad %{{.*}} wrt %{{.*}} : tensor<f32>, tensor<2x4xf32>
  train.func @slope(%x: f32[batch, width]) {
    %p = train.matmul %x, %w
    %s = train.reduce_sum %p over [0, 1]
    %y = train.grad %s wrt %x
    %z, %dw = train.grad %s wrt %x, %w
    train.return %y, %dw
  }
  train.export @slope as "slope" batch 2
  // CHECK: train.step @fit minimize @loss over ["*", "!norm.*"]
  train.step @fit minimize @loss over all but ["norm.*"] with #train.sgd<lr = 0.1>
  // EXPAND: train.step @fit minimize @loss over [@w] with
  train.step @more minimize @loss over ["norm.*", @w] with #train.sgd<lr = 0.1>
  // EXPAND: train.step @more minimize @loss over [@norm.gamma, @norm.beta, @w]
  train.export @ops as "predict" batch 2
  // EXPAND: train.export @ops.batch2 as "predict"
}
