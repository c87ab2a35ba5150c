// RUN: ampc check %s | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of tables with a padding that is negative, 0, the largest, or a row that no index names: only the padding has no gradient, and
// the loss here leaves the padding out.
// CHECK-COUNT-1: step values{{.*}}: loss {{(0|[0-9.]+e-(2[0-9]|3[0-9]))$}}
// CHECK: all gradients agree
train.model @check {
  train.param @table : tensor<4x5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @updates : tensor<7x5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @weigh(%x: tensor<7x5xf32>, %weight: tensor<7x5xf32>) -> tensor<f32> {
    %0 = train.sin %x : tensor<7x5xf32>
    %1 = train.mul %0, %weight : tensor<7x5xf32>, tensor<7x5xf32>
    %2 = train.reduce_sum %1 over [0, 1] : tensor<7x5xf32>
    train.return %2 : tensor<f32>
  }
  train.func @without_zero(%x: tensor<7x5xf32>, %i: tensor<7xi32>) -> tensor<7x5xf32> {
    %zero = train.constant dense<0> : tensor<i32>
    %none = train.constant dense<0.0> : tensor<f32>
    %0 = train.compare ne %i, %zero : tensor<7xi32>, tensor<i32>
    %1 = train.reshape %0 : tensor<7xi1> to tensor<7x1xi1>
    %2 = train.select %1, %x, %none : tensor<7x1xi1>, tensor<7x5xf32>, tensor<f32>
    train.return %2 : tensor<7x5xf32>
  }
  train.func @reads(%weight: tensor<7x5xf32>) -> tensor<f32> {
    %table = train.read @table : tensor<4x5xf32>
    %i = train.constant dense<[0, 3, 2, 0, 1, 3, 0]> : tensor<7xi32>
    %0 = train.embedding %table at %i padding -1 : tensor<4x5xf32>, tensor<7xi32>
    %1 = train.embedding %table at %i padding 2147483647 : tensor<4x5xf32>, tensor<7xi32>
    %2 = train.embedding %table at %i padding -2147483648 : tensor<4x5xf32>, tensor<7xi32>
    %3 = train.gather %table at %i padding -1 : tensor<4x5xf32>, tensor<7xi32>
    %4 = train.gather %table at %i padding 2147483647 : tensor<4x5xf32>, tensor<7xi32>
    %5 = train.gather %table at %i padding 0 : tensor<4x5xf32>, tensor<7xi32>
    %6 = train.call @without_zero(%5, %i) : (tensor<7x5xf32>, tensor<7xi32>) -> tensor<7x5xf32>
    %01 = train.mul %0, %1 : tensor<7x5xf32>, tensor<7x5xf32>
    %23 = train.mul %2, %3 : tensor<7x5xf32>, tensor<7x5xf32>
    %46 = train.mul %4, %6 : tensor<7x5xf32>, tensor<7x5xf32>
    %03 = train.add %01, %23 : tensor<7x5xf32>, tensor<7x5xf32>
    %all = train.add %03, %46 : tensor<7x5xf32>, tensor<7x5xf32>
    %total = train.call @weigh(%all, %weight) : (tensor<7x5xf32>, tensor<7x5xf32>) -> tensor<f32>
    train.return %total : tensor<f32>
  }
  // A single read, at indices known only at run time: the gradient is stored as rows.
  train.func @rows(%i: tensor<7xi32>, %weight: tensor<7x5xf32>) -> tensor<f32> {
    %table = train.read @table : tensor<4x5xf32>
    %0 = train.embedding %table at %i padding -1 : tensor<4x5xf32>, tensor<7xi32>
    %total = train.call @weigh(%0, %weight) : (tensor<7x5xf32>, tensor<7x5xf32>) -> tensor<f32>
    train.return %total : tensor<f32>
  }
  train.func @scattered(%u: tensor<7x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
    %i = train.constant dense<[0, 3, 2, 0, -1, 3, 2147483647]> : tensor<7xi32>
    %0 = train.scatter_add %u at %i padding -1 : tensor<7x5xf32>, tensor<7xi32> to tensor<4x5xf32>
    %1 = train.scatter_add %u at %i padding 2147483647 : tensor<7x5xf32>, tensor<7xi32> to tensor<4x5xf32>
    %2 = train.scatter_add %u at %i padding 0 : tensor<7x5xf32>, tensor<7xi32> to tensor<4x5xf32>
    %3 = train.mul %0, %1 : tensor<4x5xf32>, tensor<4x5xf32>
    train.return %3, %2 : tensor<4x5xf32>, tensor<4x5xf32>
  }
  train.func @writes(%weight: tensor<4x5xf32>) -> tensor<f32> {
    %u = train.read @updates : tensor<7x5xf32>
    %a, %b = train.call @scattered(%u) : (tensor<7x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>)
    %0 = train.sub %a, %b : tensor<4x5xf32>, tensor<4x5xf32>
    %1 = train.mul %0, %weight : tensor<4x5xf32>, tensor<4x5xf32>
    %2 = train.reduce_sum %1 over [0, 1] : tensor<4x5xf32>
    train.return %2 : tensor<f32>
  }
  // Sums by hand: products with a 0 or 1 per row of the table and update.
  train.func @written_values() -> tensor<f32> {
    %u = train.read @updates : tensor<7x5xf32>
    %a, %b = train.call @scattered(%u) : (tensor<7x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>)
    %m = train.constant dense<[[1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
      [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]]> : tensor<4x7xf32>
    %n = train.constant dense<[[0.0], [1.0], [1.0], [1.0]]> : tensor<4x1xf32>
    %sum = train.matmul %m, %u : (tensor<4x7xf32>, tensor<7x5xf32>) -> tensor<4x5xf32>
    %squared = train.square %sum : tensor<4x5xf32>
    %kept = train.mul %sum, %n : tensor<4x5xf32>, tensor<4x1xf32>
    %da = train.sub %a, %squared : tensor<4x5xf32>, tensor<4x5xf32>
    %db = train.sub %b, %kept : tensor<4x5xf32>, tensor<4x5xf32>
    %0 = train.square %da : tensor<4x5xf32>
    %1 = train.square %db : tensor<4x5xf32>
    %2 = train.add %0, %1 : tensor<4x5xf32>, tensor<4x5xf32>
    %3 = train.reduce_sum %2 over [0, 1] : tensor<4x5xf32>
    train.return %3 : tensor<f32>
  }
  train.step @values_written minimize @written_values over [@updates] with #train.sgd<lr = 0.1>
  train.step @reads_over_table minimize @reads over [@table] with #train.sgd<lr = 0.1>
  train.step @rows_over_table minimize @rows over [@table] with #train.sgd<lr = 0.1>
  train.step @writes_over_updates minimize @writes over [@updates] with #train.sgd<lr = 0.1>
}
