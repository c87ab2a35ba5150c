// RUN: %ampc-opt %s --split-input-file --train-name-ops --train-instantiate --train-autodiff --train-simplify --train-expand-step=explain=true --train-simplify --train-strip-origins 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradients of tables that stay rows, and the use of the rows by the optimizers.

// A lazy rule reads rows of parameter and moments, updates the rows and puts the rows back. Padding and rows of a short batch are dropped.
train.model @lazy {
  train.param @t : tensor<100x4xf32> = #train.zeros
  train.func @loss(%i: tensor<6xi32>, %y: tensor<6x4xf32>) -> tensor<f32> {
    %t = train.read @t : tensor<100x4xf32>
    %r = train.embedding %t at %i padding 0 : tensor<100x4xf32>, tensor<6xi32>
    %l = train.mse %r, %y : tensor<6x4xf32>, tensor<6x4xf32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@t] with #train.adam<lr = 0.1, lazy = true, moments = bf16>
}
// CHECK-LABEL: train.model @lazy
// CHECK:       train.buffer @fit.m.t : tensor<100x4xbf16> = #train.zeros as moment
// CHECK:       train.buffer @fit.gradient.t : tensor<6x4xf32> = #train.zeros as gradient
// CHECK:       train.buffer @fit.rows.t : tensor<6xi32> = #train.zeros as gradient
// CHECK-LABEL: train.func @fit.grad
// CHECK-SAME:  tensor<6x4xf32> {train.is = #train.state<@fit.gradient.t>}, tensor<6xi32> {train.is = #train.state<@fit.rows.t>}
// CHECK-LABEL: train.func @fit.train
// CHECK-SAME:  %[[T:[a-z0-9]+]]: tensor<100x4xf32> {train.is = #train.state<@t>}
// CHECK-SAME:  %[[STEP:[a-z0-9]+]]: tensor<i64> {train.is = #train.state<@fit.step>}
// CHECK-SAME:  %[[M:[a-z0-9]+]]: tensor<100x4xbf16> {train.is = #train.state<@fit.m.t>}
// CHECK-SAME:  %[[VALID:[a-z0-9]+]]: tensor<i32> {train.is = #train.control<valid>}
// CHECK-NOT:   train.scatter_add
// CHECK:       %[[PADDED:.*]] = train.compare {{ *}}eq
// CHECK:       train.select %[[PADDED]]
// CHECK:       %[[INDEX:.*]] = train.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<6xi1>, tensor<6xi32>, tensor<i32>
// CHECK:       %[[SUMS:.*]], %[[ROWS:.*]] = train.segment_sum %{{.*}} at %[[INDEX]] of 100
// CHECK:       %[[G:.*]] = train.gradient @t, %[[SUMS]] : tensor<6x4xf32>
// CHECK:       %[[OLD:.*]] = train.gather %[[T]] at %[[ROWS]]
// CHECK:       %[[OLDM:.*]] = train.gather %[[M]] at %[[ROWS]]
// CHECK:       %[[NEW:.*]], %[[NEWM:.*]]:2 = train.update %[[OLD]] by #train.adam<{{.*}}> from %[[G]] moments(%[[OLDM]], %{{.*}}) count %[[STEP]] rate %{{.*}} keys [{{[-0-9]+, [-0-9]+}}] : tensor<6x4xf32>
// CHECK:       train.scatter_rows %[[NEW]] at %[[ROWS]] into %[[T]]
// CHECK:       train.scatter_rows %[[NEWM]]#0 at %[[ROWS]] into %[[M]]

// -----

// Adam moves every row: the whole table with a gradient of 0, then the rows, from the old values. The norm is the norm of summed rows.
train.model @dense {
  train.param @t : tensor<100x4xf32> = #train.zeros
  train.func @loss(%i: tensor<6xi32>, %y: tensor<6x4xf32>) -> tensor<f32> {
    %t = train.read @t : tensor<100x4xf32>
    %r = train.embedding %t at %i : tensor<100x4xf32>, tensor<6xi32>
    %l = train.mse %r, %y : tensor<6x4xf32>, tensor<6x4xf32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@t] with #train.adam<lr = 0.1> {clip_norm = 1.0}
}
// CHECK-LABEL: train.model @dense
// CHECK-LABEL: train.func @fit.train
// CHECK-SAME:  %[[T:[a-z0-9]+]]: tensor<100x4xf32> {train.is = #train.state<@t>}
// CHECK:       %[[G:.*]] = train.gradient @t, %{{.*}} : tensor<6x4xf32>
// CHECK:       %[[WIDE:.*]] = train.cast %[[G]] {{.*}} to tensor<{{.*}}xf64>
// CHECK:       %[[SQUARE:.*]] = train.mul %[[WIDE]], %[[WIDE]]
// CHECK:       train.reduce_sum %[[SQUARE]] over [0, 1]
// CHECK:       %[[OLD:.*]] = train.gather %[[T]] at %[[ROWS:[a-z]+]]
// CHECK:       %[[NEW:[a-z_]*]], %{{.*}} = train.update %[[OLD]] by #train.adam<{{.*}}> from
// CHECK:       %[[MOVED:[a-z_0-9]*]], %{{.*}} = train.update %[[T]] by #train.adam<{{.*}}> from %{{.*}} : tensor<100x4xf32>
// CHECK:       train.scatter_rows %[[NEW]] at %[[ROWS]] into %[[MOVED]]

// -----

// A number per row; micro-batches concatenate the rows, zeros if no row of a part counts.
train.model @rowwise {
  train.param @t : tensor<100x4xf32> = #train.zeros
  train.func @loss(%i: tensor<6xi32>, %y: tensor<6x4xf32>) -> tensor<f32> {
    %t = train.read @t : tensor<100x4xf32>
    %r = train.embedding %t at %i : tensor<100x4xf32>, tensor<6xi32>
    %l = train.mse %r, %y : tensor<6x4xf32>, tensor<6x4xf32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@t] with #train.rowwise_adagrad<lr = 0.1> {micro_batches = 3}
}
// CHECK-LABEL: train.model @rowwise
// CHECK:       train.buffer @fit.sum.t : tensor<100x1xf32>
// CHECK-LABEL: train.func @fit.train
// CHECK:       train.iota along 0 : tensor<6xi32>
// CHECK:       train.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<i1>, tensor<6x4xf32>, tensor<f32>
// CHECK:       %[[SUMS:.*]], %[[ROWS:.*]] = train.segment_sum %{{.*}} at %{{.*}} of 100 : tensor<18x4xf32>, tensor<18xi32>
// CHECK:       train.gradient @t, %[[SUMS]]
// CHECK:       train.scatter_rows %{{.*}} at %[[ROWS]] into %{{.*}} : tensor<18x4xf32>, tensor<18xi32>, tensor<100x4xf32>
// CHECK:       train.scatter_rows %{{.*}} at %[[ROWS]] into %{{.*}} : tensor<18x1xf32>, tensor<18xi32>, tensor<100x1xf32>

// -----

// A tied table is dense, for a lazy rule too.
// REMARK: remark: the gradient of @t is dense: other ops than lookups read the parameter, too
// REMARK: warning: expected a parameter that only lookups read for a lazy optimizer, but there is none
train.model @tied {
  train.param @t : tensor<100x4xf32> = #train.zeros
  train.func @loss(%i: tensor<6xi32>, %label: tensor<6xi32>) -> tensor<f32> {
    %t = train.read @t : tensor<100x4xf32>
    %r = train.embedding %t at %i : tensor<100x4xf32>, tensor<6xi32>
    %p = train.matmul %r, %t transpose_rhs : (tensor<6x4xf32>, tensor<100x4xf32>) -> tensor<6x100xf32>
    %l = train.softmax_cross_entropy %p, %label : tensor<6x100xf32>, tensor<6xi32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@t] with #train.adam<lr = 0.1, lazy = true>
}
// CHECK-LABEL: train.model @tied
// CHECK-NOT:   train.segment_sum
// CHECK:       train.scatter_add

// -----

// LAMB looks at whole tensors; a table without more rows than lookups costs less as a whole.
// REMARK: remark: the gradient of @t is dense: the update depends on the whole tensor
// REMARK: remark: the gradient of @s is dense: the parameter has no more rows than the step has lookups
train.model @whole {
  train.param @t : tensor<100x4xf32> = #train.zeros
  train.param @s : tensor<6x4xf32> = #train.zeros
  train.func @loss(%i: tensor<6xi32>, %y: tensor<6x4xf32>) -> tensor<f32> {
    %t = train.read @t : tensor<100x4xf32>
    %r = train.embedding %t at %i : tensor<100x4xf32>, tensor<6xi32>
    %l = train.mse %r, %y : tensor<6x4xf32>, tensor<6x4xf32>
    train.return %l : tensor<f32>
  }
  train.func @other(%i: tensor<6xi32>, %y: tensor<6x4xf32>) -> tensor<f32> {
    %t = train.read @s : tensor<6x4xf32>
    %r = train.embedding %t at %i : tensor<6x4xf32>, tensor<6xi32>
    %l = train.mse %r, %y : tensor<6x4xf32>, tensor<6x4xf32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@t] with #train.lamb<lr = 0.1>
  train.step @more minimize @other over [@s] with #train.sgd<lr = 0.1>
}
// CHECK-LABEL: train.model @whole
// CHECK-NOT:   train.segment_sum

// -----

// A lazy rule takes rows even if the step has more lookups than the table has rows; sums then need no more rows than the table.
train.model @small {
  train.param @t : tensor<4x8xf32> = #train.zeros
  train.func @loss(%i: tensor<6xi32>, %y: tensor<6x8xf32>) -> tensor<f32> {
    %t = train.read @t : tensor<4x8xf32>
    %r = train.embedding %t at %i : tensor<4x8xf32>, tensor<6xi32>
    %l = train.mse %r, %y : tensor<6x8xf32>, tensor<6x8xf32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@t] with #train.adam<lr = 0.1, lazy = true>
}
// CHECK-LABEL: train.model @small
// CHECK:       train.buffer @fit.gradient.t : tensor<4x8xf32>
// CHECK:       train.buffer @fit.rows.t : tensor<4xi32>
// CHECK:       train.segment_sum %{{.*}} of 4 : tensor<6x8xf32>, tensor<6xi32> to tensor<4x8xf32>, tensor<4xi32>
