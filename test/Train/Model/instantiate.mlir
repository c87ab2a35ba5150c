// RUN: %ampc-opt %s --train-name-ops --train-instantiate --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

train.model @calls {
  train.param @w : tensor<4x4xf32> = #train.xavier_uniform
  train.param @v : tensor<4x4xf32> = #train.ones {frozen}
  train.buffer @seen : tensor<4xf32> = #train.zeros
  train.func @layer(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> tensor<2x4xf32> {
    %0 = train.matmul %x, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    train.return %0 : tensor<2x4xf32>
  }
  train.func @logits(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %v = train.read @v : tensor<4x4xf32>
    %w = train.read @w : tensor<4x4xf32>
    %0 = train.call @layer(%x, %w) : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %1 = train.call @layer(%0, %v) : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    train.return %1 : tensor<2x4xf32>
  }
  train.func @loss(%x: tensor<2x4xf32>) -> tensor<f32> {
    %0 = train.call @logits(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %s = train.reduce_sum %0 over [0] : tensor<2x4xf32>
    train.write @seen, %s : tensor<4xf32>
    %1 = train.reduce_sum %0 over [0, 1] : tensor<2x4xf32>
    train.return %1 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
  train.export @logits as "predict"
}

// A step's function runs in training mode: writes are results. State comes first, in the order of declarations.
// CHECK-LABEL: train.func @fit.loss
// CHECK-SAME:  [[W:%[a-z0-9]+]]: tensor<4x4xf32> {train.is = #train.state<@w>}
// CHECK-SAME:  [[V:%[a-z0-9]+]]: tensor<4x4xf32> {train.is = #train.state<@v>}
// CHECK-SAME:  [[X:%[a-z0-9]+]]: tensor<2x4xf32> {train.is = #train.input<"x", batch = 0>}
// CHECK-SAME:  -> (tensor<f32> {train.is = #train.output<loss>}, tensor<4xf32> {train.is = #train.state<@seen>})
// CHECK:       [[A:%[a-z0-9]+]] = train.matmul [[X]], [[W]] {train.origin = #train.origin<"loss/call#0/logits/call#0/layer/matmul#0">}
// CHECK:       [[B:%[a-z0-9]+]] = train.matmul [[A]], [[V]] {train.origin = #train.origin<"loss/call#0/logits/call#1/layer/matmul#0">}
// CHECK:       [[S:%[a-z0-9]+]] = train.reduce_sum [[B]] over [0]
// CHECK:       train.return {{%.*}}, [[S]]

// Evaluation writes no state.
// CHECK-LABEL: train.func @fit.eval
// CHECK-SAME:  -> (tensor<f32> {train.is = #train.output<loss>})
// CHECK-LABEL: train.func @export.predict
// CHECK-SAME:  export_name = "predict"
// CHECK-SAME:  role = #train.role<export>
// CHECK-NOT:   train.func

// A batch of single numbers: ops that draw keep rows separate, ops along rows do not.
train.model @vectors {
  train.param @w : tensor<1xf32> = #train.ones
  train.func @apart(%x: tensor<6xf32>, %y: tensor<6xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<1xf32>
    %0 = train.dropout %x rate 0.5 : tensor<6xf32>
    %1 = train.mul %0, %w : tensor<6xf32>, tensor<1xf32>
    %2 = train.mse %1, %y : tensor<6xf32>, tensor<6xf32>
    train.return %2 : tensor<f32>
  }
  train.func @together(%x: tensor<6xf32>, %y: tensor<6xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<1xf32>
    %0 = train.softmax %x : tensor<6xf32>
    %1 = train.mul %0, %w : tensor<6xf32>, tensor<1xf32>
    %2 = train.mse %1, %y : tensor<6xf32>, tensor<6xf32>
    train.return %2 : tensor<f32>
  }
  train.step @a minimize @apart over [@w] with #train.sgd<lr = 0.1>
  train.step @b minimize @together over [@w] with #train.sgd<lr = 0.1>
}
// CHECK-LABEL: train.model @vectors
// CHECK-LABEL: train.func @a.loss
// CHECK-SAME:  #train.control<valid>
// CHECK-LABEL: train.func @b.loss
// CHECK-NOT:   #train.control<valid>
// CHECK:       train.softmax

// The first dimension of a single row of logits is the classes, not the batch, even for equal extents.
// CHECK-LABEL: train.model @one_row
// CHECK: train.func @fit.loss({{.*}}%[[VALID:arg2]]: tensor<i32>
// CHECK: train.mse
// CHECK: train.compare lt %{{.*}}, %[[VALID]]
// CHECK: train.softmax_cross_entropy
// CHECK-NOT: train.compare
// CHECK: train.return
train.model @one_row {
  train.param @w : tensor<5xf32> = #train.ones
  train.func @loss(%x: tensor<5xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<5xf32>
    %0 = train.mse %x, %w : tensor<5xf32>, tensor<5xf32>
    %1 = train.softmax_cross_entropy %w, %w : tensor<5xf32>, tensor<5xf32>
    %2 = train.add %0, %1 : tensor<f32>, tensor<f32>
    train.return %2 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
}
