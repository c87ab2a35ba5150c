// RUN: %ampc-opt %s --train-name-ops --train-instantiate --train-strip-origins | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of an input choose rows of different tables: every element of a row has the limits of the tables that the element indexes.

train.model @m(batch = 4) {
  train.param @small : f32[5, 3] = #train.zeros {frozen}
  train.param @large : f32[40, 3] = #train.zeros {frozen}
  // A column per table, the last column for both, and a column for none.
  train.func @columns(%id: i64[batch, 4]) {
    %a, %b, %c, %d = train.split %id into [1, 1, 1, 1] along 1
    %0 = train.gather %small at %a
    %1 = train.gather %large at %b
    %2 = train.gather %large at %d
    %3 = train.gather %small at %d
    train.return %0, %1, %2, %3
  }
  // Every second place of all rows, wherever the batch is.
  train.func @strided(%id: i32[3, batch, 4]) {
    %even = train.slice %id from [0, 0, 0] sizes [3, 4, 2] strides [1, 1, 2]
    %odd = train.slice %id from [0, 0, 1] sizes [3, 4, 2] strides [1, 1, 2]
    %0 = train.gather %small at %even
    %1 = train.gather %large at %odd
    train.return %0, %1
  }
  // Through everything that gives elements.
  train.func @moved(%id: i8[batch, 2, 3]) {
    %turned = train.transpose %id [2, 0, 1]
    %first = train.slice %turned from [0, 0, 0] sizes [1, 4, 2] strides [1, 1, 1]
    %flat = train.reshape %first to [4, 2]
    %word = train.cast %flat to i32
    %twice = train.concat %word, %word along 1
    %many = train.broadcast_to %twice : tensor<4x4xi32> to tensor<2x4x4xi32>
    %0 = train.gather %small at %many
    train.return %0
  }
  // All columns have the same limits after all.
  train.func @equal(%id: i32[batch, 2]) {
    %a, %b = train.split %id into [1, 1] along 1
    %0 = train.gather %small at %a
    %1 = train.gather %small at %b
    train.return %0, %1
  }
  // An index from some rows of the batch only is not checked: limits hold for all rows.
  train.func @rows(%id: i64[batch, 2]) {
    %half = train.slice %id from [0, 0] sizes [2, 1] strides [1, 1]
    %0 = train.gather %small at %half
    train.return %0
  }
  // Without a batch the whole tensor is the row.
  train.func @fixed(%x: f32[batch], %id: i32[6]) {
    %tail = train.slice %id from [4] sizes [2] strides [1]
    %0 = train.gather %small at %tail
    train.return %0, %x
  }
  train.export @columns as "columns"
  train.export @strided as "strided"
  train.export @moved as "moved"
  train.export @equal as "equal"
  train.export @rows as "rows"
  train.export @fixed as "fixed"
}

// CHECK-LABEL: train.func @export.columns
// CHECK-SAME:  #train.input<"id", batch = 0, runs = [#train.limits<1, limit = 5>, #train.limits<1, limit = 40>, #train.limits<1>, #train.limits<1, limit = 5>]>
// CHECK-NOT:   train.compare
// CHECK-LABEL: train.func @export.strided
// CHECK-SAME:  tensor<4x3x4xi32> {train.is = #train.input<"id", batch = 0, runs = [#train.limits<1, limit = 5>, #train.limits<1, limit = 40>]>}
// CHECK-LABEL: train.func @export.moved
// CHECK-SAME:  #train.input<"id", batch = 0, runs = [#train.limits<1, limit = 5>, #train.limits<2>]>
// CHECK-LABEL: train.func @export.equal
// CHECK-SAME:  #train.input<"id", batch = 0, limit = 5>
// CHECK-LABEL: train.func @export.rows
// CHECK-SAME:  #train.input<"id", batch = 0>
// CHECK:       train.select
// CHECK-LABEL: train.func @export.fixed
// CHECK-SAME:  #train.input<"id", runs = [#train.limits<4>, #train.limits<2, limit = 5>]>
