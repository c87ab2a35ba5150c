// Loops in micro-batches begin with equal rows, as zeros are; every micro-batch has its own rows of a buffer per row, also if it has a single row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc compile %s --compile-to=optimize -o - 2>&1 | FileCheck %s
// RUN: ampc compile %s --set batch=1 --compile-to=simplify -o - 2>&1 | FileCheck %s --check-prefix=SINGLE

train.model @m(batch = 2, time = 4, width = 5) {
  train.param @wx : f32[3, 4 * width] = #train.xavier_uniform
  train.param @wh : f32[width, 4 * width] = #train.xavier_uniform
  train.buffer @h : f32[batch, width] = #train.zeros
  train.func @loss(%x: f32[time, batch, 3], %next: i32[time, batch]) {
    %y, %h1, %c1 = train.lstm %x, %wx, %wh
    %sum = train.add %h1, %h
    train.write @h, %sum
    %loss = train.softmax_cross_entropy %y, %next
    train.return %loss
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.5> {micro_batches = 3}
}
// CHECK-NOT:   remark
// CHECK:       train.buffer @h : tensor<6x5xf32> = #train.zeros {train.per_row}
// CHECK-LABEL: train.func @fit.train
// CHECK-SAME:  %[[H:[a-z0-9]+]]: tensor<6x5xf32> {train.is = #train.state<@h>}
// CHECK-DAG:   train.slice %[[H]] from [0, 0] sizes [2, 5]
// CHECK-DAG:   train.slice %[[H]] from [2, 0] sizes [2, 5]
// CHECK-DAG:   train.slice %[[H]] from [4, 0] sizes [2, 5]
// CHECK:       train.concat %{{.*}}, %{{.*}}, %{{.*}} along 0 {{.*}} tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>

// SINGLE-NOT:   remark
// SINGLE-LABEL: train.func @fit.loss
// SINGLE-SAME:  short_batch
