// State that every program transposes in the same way is stored transposed, and records the original order.
// RUN: %ampc-opt %s --train-absorb-transposes --train-simplify | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#w = #train.state<@filter>
#h = #train.state<@head>
#v = #train.state<@hidden>
#b = #train.state<@shift>
#r = #train.state<@read>
#k = #train.state<@rows>
#o = #train.state<@ordered>
#c = #train.state<@column>
train.model @m {
  // CHECK: train.param @filter : tensor<6x5x5x3xf32> = #train.kaiming_uniform {train.outside = {order = array<i64: 0, 3, 1, 2>}}
  train.param @filter : tensor<6x3x5x5xf32> = #train.kaiming_uniform
  // The columns of weights behind a flattened image are permuted, for any distribution of first values.
  // CHECK: @head : tensor<10x24xf32> = #train.xavier_uniform {train.outside = {as = array<i64: 10, 24>, of = array<i64: 10, 2, 2, 6>, order = array<i64: 0, 3, 1, 2>}}
  train.param @head : tensor<10x24xf32> = #train.xavier_uniform
  // So are the rows of weights that make a flattened image, with all biases added.
  // CHECK: @hidden : tensor<24x4xf32> = #train.zeros {train.outside = {as = array<i64: 24, 4>, of = array<i64: 12, 2, 4>, order = array<i64: 1, 0, 2>}}
  train.param @hidden : tensor<24x4xf32> = #train.zeros
  // CHECK: @shift : tensor<24xf32> = #train.zeros {train.outside = {as = array<i64: 24>, of = array<i64: 12, 2>, order = array<i64: 1, 0>}}
  train.param @shift : tensor<24xf32> = #train.zeros
  // A program reads the parameter in the original order.
  // CHECK: @read : tensor<4x2x3xf32> = #train.zeros{{$}}
  train.param @read : tensor<4x2x3xf32> = #train.zeros
  // The optimizer keeps moments of rows and columns.
  // CHECK: @rows : tensor<4x2x3xf32> = #train.zeros{{$}}
  train.param @rows : tensor<4x2x3xf32> = #train.zeros
  // Extents of 1 do not hide moments of rows: means over columns, of a single element each, have the parameter's shape.
  // CHECK: @column : tensor<4x3x2x1x1xf32> = #train.zeros{{$}}
  train.param @column : tensor<4x3x2x1x1xf32> = #train.zeros
  // A parameter that files already have in another order gets the composition of both orders.
  // CHECK: @ordered : tensor<5x2x3x4xf32> = #train.zeros {train.outside = {order = array<i64: 0, 1, 3, 2>}}
  train.param @ordered : tensor<5x3x4x2xf32> = #train.zeros {train.outside = {order = array<i64: 0, 3, 2, 1>}}
  // CHECK-LABEL: train.func @fit.loss
  // CHECK-NOT: train.transpose %arg{{[0-5]}}
  // CHECK: train.conv2d %{{.*}}, %arg0
  // CHECK: %[[FLAT:.*]] = train.reshape %{{.*}} : tensor<8x2x2x6xf32> to tensor<8x24xf32>
  // CHECK: train.matmul %[[FLAT]], %arg1 transpose_rhs
  // CHECK: %[[ACTIVE:.*]] = train.relu
  // CHECK: train.reshape %[[ACTIVE]] : tensor<8x24xf32> to tensor<8x12x2xf32>
  // CHECK: train.transpose %arg5 [0, 2, 1]
  train.func @fit.loss(%w: tensor<6x3x5x5xf32> {train.is = #w}, %h: tensor<10x24xf32> {train.is = #h}, %v: tensor<24x4xf32> {train.is = #v},
                       %b: tensor<24xf32> {train.is = #b}, %r: tensor<4x2x3xf32> {train.is = #r}, %k: tensor<4x2x3xf32> {train.is = #k},
                       %x: tensor<8x6x6x3xf32> {train.is = #train.input<"x">}, %z: tensor<8x4xf32> {train.is = #train.input<"z">})
      -> (tensor<8x10xf32>, tensor<8x12x2xf32>, tensor<4x3x2xf32>, tensor<4x3x2xf32>) {
    %0 = train.transpose %w [0, 2, 3, 1] : tensor<6x3x5x5xf32>
    %1 = train.conv2d %x, %0 strides [1, 1] padding [0, 0, 0, 0] : (tensor<8x6x6x3xf32>, tensor<6x5x5x3xf32>) -> tensor<8x2x2x6xf32>
    %2 = train.transpose %1 [0, 3, 1, 2] : tensor<8x2x2x6xf32>
    %3 = train.reshape %2 : tensor<8x6x2x2xf32> to tensor<8x24xf32>
    %4 = train.matmul %3, %h transpose_rhs : (tensor<8x24xf32>, tensor<10x24xf32>) -> tensor<8x10xf32>
    %5 = train.matmul %z, %v transpose_rhs : (tensor<8x4xf32>, tensor<24x4xf32>) -> tensor<8x24xf32>
    %6 = train.add %5, %b : tensor<8x24xf32>, tensor<24xf32>
    %7 = train.relu %6 : tensor<8x24xf32>
    %8 = train.reshape %7 : tensor<8x24xf32> to tensor<8x2x12xf32>
    %9 = train.transpose %8 [0, 2, 1] : tensor<8x2x12xf32>
    %10 = train.transpose %r [0, 2, 1] : tensor<4x2x3xf32>
    %11 = train.transpose %k [0, 2, 1] : tensor<4x2x3xf32>
    train.return %4, %9, %10, %11 : tensor<8x10xf32>, tensor<8x12x2xf32>, tensor<4x3x2xf32>, tensor<4x3x2xf32>
  }
  // CHECK-LABEL: train.func @export.ordered
  // CHECK-NOT: train.transpose
  train.func @export.ordered(%o: tensor<5x3x4x2xf32> {train.is = #o}) -> tensor<5x2x3x4xf32> {
    %0 = train.transpose %o [0, 3, 1, 2] : tensor<5x3x4x2xf32>
    train.return %0 : tensor<5x2x3x4xf32>
  }
  // The rows of a softmax are features that have an order.
  // CHECK-LABEL: train.func @export.softmax
  // CHECK: train.softmax
  // CHECK: train.transpose
  train.func @export.softmax(%r: tensor<4x2x3xf32> {train.is = #r}, %z: tensor<8x24xf32> {train.is = #train.input<"z">})
      -> (tensor<4x2x3xf32>, tensor<8x12x2xf32>) {
    %0 = train.neg %r : tensor<4x2x3xf32>
    %1 = train.softmax %z : tensor<8x24xf32>
    %2 = train.reshape %1 : tensor<8x24xf32> to tensor<8x2x12xf32>
    %3 = train.transpose %2 [0, 2, 1] : tensor<8x2x12xf32>
    train.return %0, %3 : tensor<4x2x3xf32>, tensor<8x12x2xf32>
  }
  // CHECK-LABEL: train.func @export.column
  // CHECK: train.transpose
  train.func @export.column(%c: tensor<4x3x2x1x1xf32> {train.is = #c}) -> tensor<4x2x1x3x1xf32> {
    %0 = train.transpose %c [0, 2, 3, 1, 4] : tensor<4x3x2x1x1xf32>
    train.return %0 : tensor<4x2x1x3x1xf32>
  }
  train.func @fit.eval(%w: tensor<6x3x5x5xf32> {train.is = #w}) -> tensor<f32> {
    %0 = train.constant dense<0.0> : tensor<f32>
    train.return %0 : tensor<f32>
  }
  train.step @fit minimize @fit.eval over [@filter, @head, @hidden, @shift, @read, @rows, @column] with #train.adam<lr = 0.1>
    groups [#train.group<params = [@rows, @column], optimizer = #train.adafactor<lr = 0.1>>]
}
