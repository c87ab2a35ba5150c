// Ops along any dimension work along the last dimension afterwards, and rows of the batch are found at the new position.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --train-expand-modules --train-name-ops --train-instantiate --train-simplify --train-strip-origins | FileCheck %s

// Scores of an image whose channels are the second dimension: both transposes cancel, and no other is there.
train.model @segments(batch = 4, size = 6, classes = 3) {
  train.param @w : f32[classes, 1, 1, 2] = #train.xavier_uniform
  train.param @gamma : f32[classes] = #train.ones
  train.func @scores(%image: f32[batch, size, size, 2]) {
    %y = train.conv2d %image, %w strides [1, 1] padding [0, 0, 0, 0]
    %channels_first = train.transpose %y [0, 3, 1, 2]
    %n = train.rms_norm %channels_first, %gamma along 1 eps 1.0e-5
    train.return %n
  }
  train.func @loss(%image: f32[batch, size, size, 2], %label: i32[batch, size, size]) {
    %y = train.call @scores(%image)
    %l = train.softmax_cross_entropy %y, %label along 1 ignore -1
    train.return %l
  }
  train.func @best(%image: f32[batch, size, size, 2]) {
    %y = train.call @scores(%image)
    %p = train.argmax %y along 1
    train.return %p
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
  train.export @best as "best"
}
// CHECK-LABEL: train.func @fit.loss
// CHECK-SAME:  #train.input<"label", batch = 0, limit = 3, ignore = -1>
// CHECK-SAME:  train.is = #train.control<valid>
// CHECK-SAME:  short_batch
// CHECK-NOT:   train.transpose
// CHECK:       train.rms_norm %{{[^ ]*}}, %{{[^ ]*}} eps
// CHECK-NOT:   train.transpose
// CHECK:       train.softmax_cross_entropy %{{[^ ]*}}, %{{[^ ]*}} reduce none ignore -1 : tensor<4x6x6x3xf32>
// CHECK-LABEL: train.func @export.best
// CHECK-SAME:  -> (tensor<4x6x6xi32> {train.is = #train.output<named, name = "out", batch = 0>})
// CHECK-NOT:   train.transpose
// CHECK:       train.argmax %{{[^ ]*}} : tensor<4x6x6x3xf32>

// Along the first dimension, with the rows of the batch behind it.
train.model @columns(batch = 4, classes = 3) {
  train.param @w : f32[classes, 2] = #train.xavier_uniform
  train.func @loss(%x: f32[2, batch], %label: i32[batch]) {
    %y = train.matmul %w, %x
    %l = train.softmax_cross_entropy %y, %label along 0
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}
// CHECK-LABEL: train.model @columns
// CHECK-LABEL: train.func @fit.loss
// CHECK:       train.softmax_cross_entropy %{{[^ ]*}}, %{{[^ ]*}} reduce none : tensor<4x3xf32>

// Ops along the rows of the batch allow no short batch.
train.model @mixed(batch = 4) {
  train.param @w : f32[3] = #train.ones
  train.func @loss(%x: f32[batch, 3]) {
    %y = train.mul %x, %w
    %p = train.softmax %y along 0
    %l = train.reduce_mean %p over [0, 1]
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}
// CHECK-LABEL: train.model @mixed
// CHECK-LABEL: train.func @fit.loss
// CHECK-NOT:   short_batch
// CHECK:       train.softmax
