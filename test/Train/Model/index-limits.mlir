// RUN: %ampc-opt %s --train-name-ops --train-instantiate --train-strip-origins | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An input that several ops read as row numbers or classes: a number that any of the ops refuses is refused, in any order of the ops.

train.model @m {
  train.param @table : tensor<5x3xf32> = #train.zeros {frozen}
  train.func @class_first(%scores: tensor<4x7xf32>, %label: tensor<4xi32>) -> (tensor<f32>, tensor<4x3xf32>) {
    %0 = train.softmax_cross_entropy %scores, %label ignore -1 : tensor<4x7xf32>, tensor<4xi32>
    %t = train.read @table : tensor<5x3xf32>
    %1 = train.gather %t at %label : tensor<5x3xf32>, tensor<4xi32>
    train.return %0, %1 : tensor<f32>, tensor<4x3xf32>
  }
  train.func @row_first(%scores: tensor<4x3xf32>, %label: tensor<4xi32>) -> (tensor<4x3xf32>, tensor<f32>) {
    %t = train.read @table : tensor<5x3xf32>
    %0 = train.gather %t at %label : tensor<5x3xf32>, tensor<4xi32>
    %1 = train.softmax_cross_entropy %scores, %label ignore -1 : tensor<4x3xf32>, tensor<4xi32>
    train.return %0, %1 : tensor<4x3xf32>, tensor<f32>
  }
  train.func @both_ignore(%scores: tensor<4x3xf32>, %label: tensor<4xi32>) -> (tensor<f32>, tensor<f32>) {
    %0 = train.softmax_cross_entropy %scores, %label ignore -1 : tensor<4x3xf32>, tensor<4xi32>
    %1 = train.softmax_cross_entropy %scores, %label ignore -1 smoothing 0.1 : tensor<4x3xf32>, tensor<4xi32>
    train.return %0, %1 : tensor<f32>, tensor<f32>
  }
  train.func @moved(%rows: tensor<4x2xi32>) -> tensor<3x2x4x3xf32> {
    %t = train.read @table : tensor<5x3xf32>
    %0 = train.transpose %rows [1, 0] : tensor<4x2xi32>
    %1 = train.broadcast_to %0 : tensor<2x4xi32> to tensor<3x2x4xi32>
    %2 = train.gather %t at %1 : tensor<5x3xf32>, tensor<3x2x4xi32>
    train.return %2 : tensor<3x2x4x3xf32>
  }
  train.func @bags(%index: tensor<9xi32>, %bag: tensor<9xi32>, %other: tensor<9xi32>) -> (tensor<4x3xf32>, tensor<2x3xf32>) {
    %t = train.read @table : tensor<5x3xf32>
    %0 = train.embedding_bag sum %t at %index bags %bag of 4 : tensor<5x3xf32>, tensor<9xi32>, tensor<9xi32>
    %1 = train.neg %other : tensor<9xi32>
    %2 = train.embedding_bag max %t at %bag bags %1 of 2 : tensor<5x3xf32>, tensor<9xi32>, tensor<9xi32>
    train.return %0, %2 : tensor<4x3xf32>, tensor<2x3xf32>
  }
  train.export @class_first as "class_first"
  train.export @row_first as "row_first"
  train.export @both_ignore as "both_ignore"
  train.export @moved as "moved"
  train.export @bags as "bags"
}

// CHECK-LABEL: train.func @export.class_first
// CHECK-SAME:  {train.is = #train.input<"label", batch = 0, limit = 5>}
// CHECK-LABEL: train.func @export.row_first
// CHECK-SAME:  {train.is = #train.input<"label", batch = 0, limit = 3>}
// CHECK-LABEL: train.func @export.both_ignore
// CHECK-SAME:  {train.is = #train.input<"label", batch = 0, limit = 3, ignore = -1>}
// CHECK-LABEL: train.func @export.moved
// CHECK-SAME:  {train.is = #train.input<"rows", batch = 0, limit = 5>}
// CHECK-LABEL: train.func @export.bags
// CHECK-SAME:  {train.is = #train.input<"index", batch = 0, limit = 5>}
// CHECK-SAME:  {train.is = #train.input<"bag", batch = 0, limit = 4>}
// CHECK-SAME:  {train.is = #train.input<"other", batch = 0>}
