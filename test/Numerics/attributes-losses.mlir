// RUN: ampc check %s | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unusual attributes of losses: classes that are negative, 0 or the largest are ignored, rows of a batch that has several entries
// per row do not count. Expected values come from the same losses written by hand.
// CHECK-COUNT-3: step values{{.*}}: loss {{(0|[0-9.]+e-(2[0-9]|3[0-9]))$}}
// CHECK: all gradients agree
train.model @check {
  train.param @x : tensor<6x5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @t : tensor<6x5xf32> = #train.uniform<low = 0.1, high = 0.9>

  // Rows by hand: -log_softmax at the class, 0 where there is none.
  train.func @row_losses(%x: tensor<6x5xf32>, %l: tensor<6xi32>, %counts: tensor<6xf32>) -> tensor<6xf32> {
    %log = train.log_softmax %x : tensor<6x5xf32>
    %one = train.one_hot %l : tensor<6xi32> to tensor<6x5xf32>
    %picked = train.mul %log, %one : tensor<6x5xf32>, tensor<6x5xf32>
    %sum = train.reduce_sum %picked over [1] : tensor<6x5xf32>
    %loss = train.neg %sum : tensor<6xf32>
    %0 = train.mul %loss, %counts : tensor<6xf32>, tensor<6xf32>
    train.return %0 : tensor<6xf32>
  }
  train.func @classes(%x: tensor<6x5xf32>) -> (tensor<f32>, tensor<f32>) {
    %l = train.constant dense<[0, -100, 2, 0, 4, 1]> : tensor<6xi32>
    %m = train.constant dense<[0, 3, 2, 0, 4, 1]> : tensor<6xi32>
    %n = train.constant dense<[0, 2147483647, 2, 0, 4, 1]> : tensor<6xi32>
    %0 = train.softmax_cross_entropy %x, %l ignore -100 : tensor<6x5xf32>, tensor<6xi32>
    %1 = train.softmax_cross_entropy %x, %m ignore 0 : tensor<6x5xf32>, tensor<6xi32>
    %2 = train.softmax_cross_entropy %x, %m ignore -2147483648 : tensor<6x5xf32>, tensor<6xi32>
    %3 = train.softmax_cross_entropy %x, %m ignore 2147483646 : tensor<6x5xf32>, tensor<6xi32>
    %4 = train.softmax_cross_entropy %x, %n ignore 2147483647 : tensor<6x5xf32>, tensor<6xi32>
    %5 = train.softmax_cross_entropy %x, %m ignore -1 smoothing 0.3 : tensor<6x5xf32>, tensor<6xi32>
    %s01 = train.add %0, %1 : tensor<f32>, tensor<f32>
    %s23 = train.add %2, %3 : tensor<f32>, tensor<f32>
    %s03 = train.add %s01, %s23 : tensor<f32>, tensor<f32>
    %sum = train.add %s03, %4 : tensor<f32>, tensor<f32>
    train.return %sum, %5 : tensor<f32>, tensor<f32>
  }
  train.func @ignoring() -> tensor<f32> {
    %x = train.read @x : tensor<6x5xf32>
    %a, %b = train.call @classes(%x) : (tensor<6x5xf32>) -> (tensor<f32>, tensor<f32>)
    %0 = train.mul %a, %b : tensor<f32>, tensor<f32>
    train.return %0 : tensor<f32>
  }
  train.func @ignored_values() -> tensor<f32> {
    %x = train.read @x : tensor<6x5xf32>
    %a, %b = train.call @classes(%x) : (tensor<6x5xf32>) -> (tensor<f32>, tensor<f32>)
    %m = train.constant dense<[0, 3, 2, 0, 4, 1]> : tensor<6xi32>
    // 60 times the share of a row in means over 5 rows without the second (twice), 4 without class 0, and all (twice).
    %counts = train.constant dense<[44.0, 35.0, 59.0, 44.0, 59.0, 59.0]> : tensor<6xf32>
    %rows = train.call @row_losses(%x, %m, %counts) : (tensor<6x5xf32>, tensor<6xi32>, tensor<6xf32>) -> tensor<6xf32>
    %sum = train.reduce_sum %rows over [0] : tensor<6xf32>
    %sixty = train.constant dense<60.0> : tensor<f32>
    %c = train.div %sum, %sixty : tensor<f32>, tensor<f32>
    %d = train.sub %a, %c : tensor<f32>, tensor<f32>
    %0 = train.square %d : tensor<f32>
    train.return %0 : tensor<f32>
  }

  // Three rows of a batch have two entries each; two of the rows count.
  train.func @parts(%x: tensor<6x5xf32>, %t: tensor<6x5xf32>) -> (tensor<f32>, tensor<f32>) {
    %v = train.constant dense<2> : tensor<i32>
    %l = train.constant dense<[0, 3, 2, 0, 4, 1]> : tensor<6xi32>
    %0 = train.mse %x, %t valid %v {batch_rows = 3 : i64} : tensor<6x5xf32>, tensor<6x5xf32>
    %1 = train.l1 %x, %t reduce sum valid %v {batch_rows = 3 : i64} : tensor<6x5xf32>, tensor<6x5xf32>
    %2 = train.bce_with_logits %x, %t valid %v {batch_rows = 3 : i64} : tensor<6x5xf32>, tensor<6x5xf32>
    %3 = train.smooth_l1 %x, %t beta 0.3 reduce sum valid %v {batch_rows = 3 : i64} : tensor<6x5xf32>, tensor<6x5xf32>
    %4 = train.softmax_cross_entropy %x, %l ignore 2 valid %v {batch_rows = 3 : i64} : tensor<6x5xf32>, tensor<6xi32>
    %s01 = train.add %0, %1 : tensor<f32>, tensor<f32>
    %s23 = train.add %2, %3 : tensor<f32>, tensor<f32>
    %s03 = train.add %s01, %s23 : tensor<f32>, tensor<f32>
    %sum = train.add %s03, %4 : tensor<f32>, tensor<f32>
    train.return %sum, %4 : tensor<f32>, tensor<f32>
  }
  train.func @valid() -> tensor<f32> {
    %x = train.read @x : tensor<6x5xf32>
    %t = train.read @t : tensor<6x5xf32>
    %a, %b = train.call @parts(%x, %t) : (tensor<6x5xf32>, tensor<6x5xf32>) -> (tensor<f32>, tensor<f32>)
    %0 = train.mul %a, %b : tensor<f32>, tensor<f32>
    train.return %0 : tensor<f32>
  }
  train.func @valid_values() -> tensor<f32> {
    %x = train.read @x : tensor<6x5xf32>
    %t = train.read @t : tensor<6x5xf32>
    %a, %b = train.call @parts(%x, %t) : (tensor<6x5xf32>, tensor<6x5xf32>) -> (tensor<f32>, tensor<f32>)
    %four_x = train.slice %x from [0, 0] sizes [4, 5] strides [1, 1] : tensor<6x5xf32>
    %four_t = train.slice %t from [0, 0] sizes [4, 5] strides [1, 1] : tensor<6x5xf32>
    %0 = train.mse %four_x, %four_t : tensor<4x5xf32>, tensor<4x5xf32>
    %1 = train.l1 %four_x, %four_t reduce sum : tensor<4x5xf32>, tensor<4x5xf32>
    %2 = train.bce_with_logits %four_x, %four_t : tensor<4x5xf32>, tensor<4x5xf32>
    %3 = train.smooth_l1 %four_x, %four_t beta 0.3 reduce sum : tensor<4x5xf32>, tensor<4x5xf32>
    %m = train.constant dense<[0, 3, 2, 0, 4, 1]> : tensor<6xi32>
    %counts = train.constant dense<[1.0, 1.0, 0.0, 1.0, 0.0, 0.0]> : tensor<6xf32>
    %rows = train.call @row_losses(%x, %m, %counts) : (tensor<6x5xf32>, tensor<6xi32>, tensor<6xf32>) -> tensor<6xf32>
    %three_rows = train.reduce_sum %rows over [0] : tensor<6xf32>
    %three = train.constant dense<3.0> : tensor<f32>
    %4 = train.div %three_rows, %three : tensor<f32>, tensor<f32>
    %s01 = train.add %0, %1 : tensor<f32>, tensor<f32>
    %s23 = train.add %2, %3 : tensor<f32>, tensor<f32>
    %s03 = train.add %s01, %s23 : tensor<f32>, tensor<f32>
    %sum = train.add %s03, %4 : tensor<f32>, tensor<f32>
    %d = train.sub %a, %sum : tensor<f32>, tensor<f32>
    %square = train.square %d : tensor<f32>
    train.return %square : tensor<f32>
  }

  // Quadratic everywhere, and as large as other losses.
  train.func @wide(%x: tensor<6x5xf32>, %t: tensor<6x5xf32>) -> tensor<f32> {
    %0 = train.smooth_l1 %x, %t beta 3000.0 : tensor<6x5xf32>, tensor<6x5xf32>
    %n = train.constant dense<3000.0> : tensor<f32>
    %1 = train.mul %0, %n : tensor<f32>, tensor<f32>
    train.return %1 : tensor<f32>
  }
  train.func @wide_loss() -> tensor<f32> {
    %x = train.read @x : tensor<6x5xf32>
    %t = train.read @t : tensor<6x5xf32>
    %0 = train.call @wide(%x, %t) : (tensor<6x5xf32>, tensor<6x5xf32>) -> tensor<f32>
    train.return %0 : tensor<f32>
  }
  train.func @wide_values() -> tensor<f32> {
    %x = train.read @x : tensor<6x5xf32>
    %t = train.read @t : tensor<6x5xf32>
    %0 = train.call @wide(%x, %t) : (tensor<6x5xf32>, tensor<6x5xf32>) -> tensor<f32>
    %1 = train.mse %x, %t : tensor<6x5xf32>, tensor<6x5xf32>
    %half = train.constant dense<0.5> : tensor<f32>
    %2 = train.mul %1, %half : tensor<f32>, tensor<f32>
    %d = train.sub %0, %2 : tensor<f32>, tensor<f32>
    %3 = train.square %d : tensor<f32>
    train.return %3 : tensor<f32>
  }
  train.step @values_ignored minimize @ignored_values over [@x] with #train.sgd<lr = 0.1>
  train.step @values_valid minimize @valid_values over [@x, @t] with #train.sgd<lr = 0.1>
  train.step @values_wide minimize @wide_values over [@x, @t] with #train.sgd<lr = 0.1>
  train.step @ignoring_over_x minimize @ignoring over [@x] with #train.sgd<lr = 0.1>
  train.step @valid_over_x_t minimize @valid over [@x, @t] with #train.sgd<lr = 0.1>
  train.step @valid_over_t minimize @valid over [@t] with #train.sgd<lr = 0.1>
  train.step @wide_over_x_t minimize @wide_loss over [@x, @t] with #train.sgd<lr = 0.1>
}
