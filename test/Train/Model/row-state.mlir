// A buffer with a row per row of the batch: a step keeps the rows that a short batch lacks; evaluations and exports of any batch begin with the
// first value, or take the rows and return the new rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --train-expand-modules --train-name-ops --train-instantiate | FileCheck %s

train.model @states(batch = 4, width = 3) {
  train.param @w : f32[width, width] = #train.xavier_uniform
  train.buffer @h : f32[batch, width] = #train.fill<0.5>
  train.buffer @k : f32[batch] = #train.zeros {train.passed}
  train.func @next(%x: f32[batch, width]) {
    %p = train.matmul %h, %w
    %n = train.add %p, %x
    %sum = train.reduce_sum %n over [1]
    %t = train.add %k, %sum
    train.write @h, %n
    train.write @k, %t
    train.return %n
  }
  train.func @loss(%x: f32[batch, width]) {
    %n = train.call @next(%x)
    %y = train.square %n
    %l = train.mse %y, %x
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
  train.export @next as "one" batch 1
}
// CHECK:       train.buffer @h : tensor<4x3xf32> = #train.fill<5.000000e-01> {train.per_row}
// CHECK:       train.buffer @k : tensor<4xf32> = #train.zeros {train.passed, train.per_row}

// CHECK-LABEL: train.func @fit.loss
// CHECK-SAME:  %[[H:[a-z0-9]+]]: tensor<4x3xf32> {train.is = #train.state<@h>}
// CHECK-SAME:  %[[K:[a-z0-9]+]]: tensor<4xf32> {train.is = #train.state<@k>}
// CHECK-SAME:  %[[VALID:[a-z0-9]+]]: tensor<i32> {train.is = #train.control<valid>}
// CHECK-SAME:  tensor<4x3xf32> {train.is = #train.state<@h>}, tensor<4xf32> {train.is = #train.state<@k>}
// CHECK-SAME:  short_batch
// CHECK:       %[[ROW:.*]] = train.iota along 0 {{.*}}: tensor<4x1xi32>
// CHECK:       %[[HAS:.*]] = train.compare lt %[[ROW]], %[[VALID]]
// CHECK:       %[[NEW:.*]] = train.select %[[HAS]], %{{.*}}, %[[H]]
// CHECK:       %[[SUM:.*]] = train.select %{{.*}}, %{{.*}}, %[[K]]
// CHECK:       train.return %{{.*}}, %[[NEW]], %[[SUM]]

// CHECK-LABEL: train.func @fit.eval
// CHECK-NOT:   #train.state<@h>
// CHECK-SAME:  tensor<4xf32> {train.is = #train.input<"state:k", batch = 0>}
// CHECK-SAME:  -> (tensor<f32> {train.is = #train.output<loss>}, tensor<4xf32> {train.is = #train.output<named, name = "state:k", batch = 0>})
// CHECK:       %[[FIRST:.*]] = train.constant dense<5.000000e-01>
// CHECK:       train.broadcast_to %[[FIRST]] {{.*}}: tensor<f32> to tensor<4x3xf32>

// CHECK-LABEL: train.func @export.one
// CHECK-SAME:  tensor<1xf32> {train.is = #train.input<"state:k", batch = 0>}
// CHECK-SAME:  -> (tensor<1x3xf32> {train.is = #train.output<named, name = "out", batch = 0>}, tensor<1xf32> {train.is = #train.output<named, name = "state:k", batch = 0>})
// CHECK:       train.broadcast_to %{{.*}} : tensor<f32> to tensor<1x3xf32>
