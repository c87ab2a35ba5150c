// The divisor in the loss of a part is the divisor of the whole batch; an evaluation has the totals of all data as inputs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --split-input-file --train-expand-modules --train-instantiate | FileCheck %s
// RUN: %ampc-opt %s --split-input-file --train-expand-modules --train-instantiate=totals=true | FileCheck %s --check-prefix=DATA

// A model without short batches: the text counts the rows.
train.model @by_hand(batch = 4) {
  train.param @w : f32[3, 2] = #train.ones
  train.func @loss(%x: f32[batch, 3], %t: f32[batch, 2], %m: f32[batch, 2]) {
    %z = train.linear %x, %w
    %l = train.mse %z, %t reduce none
    %ml = train.mul %m, %l
    %sum = train.reduce_sum %ml over [0, 1]
    %number = train.reduce_sum %m over [0, 1]
    %masked = train.div %sum, %number
    %mean = train.reduce_mean %l over [0, 1]
    %q = train.square %w
    %penalty = train.reduce_mean %q over [0, 1]
    %0 = train.add %masked, %mean
    %1 = train.add %0, %penalty
    train.return %1
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> {micro_batches = 2}
}

// CHECK-LABEL: train.func @fit.loss
// CHECK: [[NUMBER:%[0-9]+]] = train.reduce_sum %arg3 over [0, 1]
// CHECK: [[TOTAL:%[0-9]+]] = train.total [[NUMBER]]
// CHECK: train.div {{.*}}, [[TOTAL]]
// CHECK: train.constant dense<6.250000e-02> : tensor<f32>
// CHECK: train.constant dense<0.166666672> : tensor<f32>
// CHECK: [[PENALTY:%[0-9]+]] = train.mul
// CHECK: [[SHARE:%[0-9]+]] = train.share : tensor<f32>
// CHECK: [[TERM:%[0-9]+]] = train.mul [[PENALTY]], [[SHARE]]
// CHECK: train.add {{.*}}, [[TERM]]
// CHECK-LABEL: train.func @fit.eval
// CHECK-NOT: train.count
// CHECK-NOT: train.total

// DATA-LABEL: train.func @fit.eval(
// DATA-SAME: [[NUMBER:%arg[0-9]+]]: tensor<f32> {train.is = #train.input<"total:1">}
// DATA: train.div {{.*}}, [[NUMBER]]
// DATA-LABEL: train.func @fit.totals(
// DATA-NOT: "x"
// DATA-SAME: %arg0: tensor<4x2xf32> {train.is = #train.input<"m", batch = 0>})
// DATA-SAME: #train.output<named, name = "total:1">
// DATA-NOT: train.linear

// -----

// A variance is a total of values that depend on a total.
train.model @nested(batch = 4) {
  train.param @w : f32[3, 1] = #train.ones
  train.func @loss(%x: f32[batch, 3], %t: f32[batch, 1]) {
    %z = train.linear %x, %w
    %l = train.mse %z, %t reduce sum
    %c = train.reduce_mean %t over [0]
    %d = train.sub %t, %c
    %q = train.square %d
    %v = train.reduce_sum %q over [0, 1]
    %loss = train.div %l, %v
    train.return %loss
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> {micro_batches = 2}
}

// CHECK-LABEL: train.func @fit.loss
// CHECK: [[MEAN:%[0-9]+]] = train.total
// CHECK: train.sub %arg2, [[MEAN]]
// CHECK: [[VARIANCE:%[0-9]+]] = train.total
// CHECK: train.div {{.*}}, [[VARIANCE]]

// -----

// No sum over batches gives this loss: the evaluation is that of a batch.
train.model @root(batch = 4) {
  train.param @w : f32[3, 1] = #train.ones
  train.func @loss(%x: f32[batch, 3], %t: f32[batch, 1]) {
    %z = train.linear %x, %w
    %zz = train.matmul %z, %z transpose_rhs
    %loss = train.reduce_mean %zz over [0, 1]
    train.return %loss
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}

// DATA-LABEL: train.model @root
// DATA-NOT: total
