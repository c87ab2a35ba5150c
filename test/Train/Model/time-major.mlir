// Callers have the batch first, wherever an input of the model has the batch; ops that combine rows have the batch first, too.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --train-expand-modules --train-name-ops --train-instantiate | FileCheck %s

train.model @sequence(batch = 4, time = 5, width = 8, classes = 3) {
  train.param @table : f32[7, width] = #train.xavier_uniform
  train.param @w : f32[width, classes] = #train.xavier_uniform
  train.func @scores(%token: i32[time, batch]) {
    %e = train.embedding %table at %token
    %y = train.linear %e, %w
    train.return %y
  }
  train.func @loss(%token: i32[time, batch], %next: i32[time, batch], %weight: f32[time]) {
    %y = train.call @scores(%token)
    %l = train.softmax_cross_entropy %y, %next
    %s = train.reduce_sum %weight over [0]
    %all = train.mul %l, %s
    train.return %all
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
  train.export @scores as "predict"
}
// CHECK-LABEL: train.func @fit.loss
// CHECK-SAME:  %[[TOKEN:[a-z0-9]+]]: tensor<4x5xi32> {train.is = #train.input<"token", batch = 0, limit = 7>}
// CHECK-SAME:  %[[NEXT:[a-z0-9]+]]: tensor<4x5xi32> {train.is = #train.input<"next", batch = 0, limit = 3>}
// CHECK-SAME:  tensor<5xf32> {train.is = #train.input<"weight">}
// CHECK-SAME:  train.is = #train.control<valid>
// CHECK-SAME:  short_batch
// CHECK-DAG:   train.transpose %[[TOKEN]] [1, 0]
// CHECK-DAG:   train.transpose %{{.*}} [1, 0, 2] {{.*}}: tensor<5x4x3xf32>
// CHECK-LABEL: train.func @export.predict
// CHECK-SAME:  -> (tensor<4x5x3xf32> {train.is = #train.output<named, name = "out", batch = 0>})

// Without sizes the attribute gives the batch. Ops that mix rows take full batches only; micro-batches are made all the same.
train.model @plain {
  train.param @w : tensor<3x2xf32> = #train.zeros
  train.func @loss(%x: tensor<5x4x3xf32> {train.is = #train.input<"x", batch = 1>}) {
    %y = train.linear %x, %w
    %m = train.reduce_max %y over [1]
    %l = train.reduce_mean %m over [0, 1]
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}
// CHECK-LABEL: train.model @plain
// CHECK-LABEL: train.func @fit.loss
// CHECK-SAME:  tensor<4x5x3xf32> {train.is = #train.input<"x", batch = 0>}
// CHECK-NOT:   short_batch

// Rows in a dimension with other extents cannot be separated.
train.model @mixed(batch = 4, context = 3) {
  train.param @w : f32[5] = #train.ones
  train.func @loss(%x: f32[batch, context, 5], %y: i32[batch * context]) {
    %p = train.mul %x, %w
    %s = train.reshape %p to [batch * context, 5]
    %l = train.softmax_cross_entropy %s, %y
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}
// CHECK-LABEL: train.model @mixed
// CHECK-LABEL: train.func @fit.loss
// CHECK-SAME:  {train.is = #train.input<"x">}
// CHECK-SAME:  {train.is = #train.input<"y", limit = 5>}

// A target that is the same in every batch moves with the compared operand.
train.model @beside(batch = 4, time = 5) {
  train.param @w : f32[time, batch] = #train.zeros
  train.func @loss(%x: f32[time, batch]) {
    %l = train.bce_with_logits %x, %w
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}
// CHECK-LABEL: train.model @beside
// CHECK:       train.transpose %{{.*}} [1, 0] {{.*}}: tensor<5x4xf32>
// CHECK:       train.transpose %{{.*}} [1, 0] {{.*}}: tensor<5x4xf32>

// A product of all rows of all times: rows are separate again behind the product. A sum before the rows are separate again mixes the rows.
train.model @flattened(batch = 4, time = 5, width = 8) {
  train.param @w : f32[width, width] = #train.xavier_uniform
  train.func @product(%x: f32[batch, time, width]) {
    %first = train.transpose %x [1, 0, 2]
    %flat = train.reshape %first to [time * batch, width]
    %y = train.linear %flat, %w
    %wide = train.gelu %y
    %back = train.reshape %wide to [time, batch, width]
    %rows = train.transpose %back [1, 0, 2]
    train.return %rows
  }
  train.func @mixed(%x: f32[batch, time, width]) {
    %first = train.transpose %x [1, 0, 2]
    %flat = train.reshape %first to [time * batch, width]
    %other = train.reshape %flat to [batch, time, width]
    %sum = train.reduce_sum %other over [1]
    train.return %sum
  }
  train.func @loss(%x: f32[batch, time, width], %y: f32[batch, time, width]) {
    %first = train.transpose %y [1, 0, 2]
    %flat = train.reshape %first to [time * batch, width]
    %p = train.call @product(%x)
    %t = train.transpose %p [1, 0, 2]
    %all = train.reshape %t to [time * batch, width]
    %l = train.mse %all, %flat
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
  train.export @product as "product"
  train.export @mixed as "mixed"
}
// CHECK-LABEL: train.model @flattened
// CHECK-LABEL: train.func @fit.loss
// CHECK-NOT:   short_batch
// CHECK-LABEL: train.func @export.product
// CHECK-SAME:  -> (tensor<4x5x8xf32> {train.is = #train.output<named, name = "out", batch = 0>})
// CHECK-SAME:  short_batch
// CHECK-LABEL: train.func @export.mixed
// CHECK-SAME:  -> (tensor<4x8xf32> {train.is = #train.output<named, name = "out">})

// An einsum keeps rows apart in any dimension: experts with the rows in dimension 1 of the result.
train.model @experts(batch = 4) {
  train.param @w : f32[3, 5, 2] = #train.zeros
  train.param @v : f32[3, 2, 6] = #train.zeros
  train.func @loss(%x: f32[batch, 5], %y: f32[batch, 6]) {
    %h = train.einsum "bi,eio->ebo" %x, %w
    %r = train.relu %h
    %e = train.einsum "ebo,eoj->bj" %r, %v
    %l = train.mse %e, %y
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}
// CHECK-LABEL: train.model @experts
// CHECK-LABEL: train.func @fit.loss
// CHECK-SAME:  train.is = #train.control<valid>
// CHECK-SAME:  short_batch

// The diagonal of rows mixes rows.
train.model @diagonal(batch = 4) {
  train.param @w : f32[4] = #train.zeros
  train.func @loss(%x: f32[batch, 4], %y: f32[batch]) {
    %h = train.einsum "bi,b->b" %x, %w
    %l = train.mse %h, %y
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}
// CHECK-LABEL: train.model @diagonal
// CHECK-LABEL: train.func @fit.loss
// CHECK-NOT:   short_batch
