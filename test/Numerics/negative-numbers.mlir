// RUN: ampc check %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A negative class to ignore and a negative padding are no class and no row: all rows get gradients, the first row too, whether
// the gradient of a table is dense (7 rows) or holds rows (40).
train.model @check {
  train.param @x : tensor<9x3xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @few : tensor<7x3xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @many : tensor<40x3xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%l: tensor<9xi32>, %weight: tensor<9x3xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<9x3xf32>
    %few = train.read @few : tensor<7x3xf32>
    %many = train.read @many : tensor<40x3xf32>
    %i = train.constant dense<[0, 3, 6, 0, 1, 2, 5, 4, 0]> : tensor<9xi32>
    %j = train.constant dense<[8, 0, 39, 0, 1, 2, 5, 21, 0]> : tensor<9xi32>
    %0 = train.softmax_cross_entropy %x, %l ignore -100 : tensor<9x3xf32>, tensor<9xi32>
    %1 = train.softmax_cross_entropy %x, %l reduce none ignore -1 smoothing 0.1 : tensor<9x3xf32>, tensor<9xi32>
    %2 = train.reduce_sum %1 over [0] : tensor<9xf32>
    %3 = train.embedding %few at %i padding -1 : tensor<7x3xf32>, tensor<9xi32>
    %4 = train.embedding %many at %j padding -2147483648 : tensor<40x3xf32>, tensor<9xi32>
    %5 = train.scatter_add %x at %l padding -1 : tensor<9x3xf32>, tensor<9xi32> to tensor<3x3xf32>
    %6 = train.sin %5 : tensor<3x3xf32>
    %7 = train.gather %6 at %l : tensor<3x3xf32>, tensor<9xi32>
    %8 = train.mul %3, %4 : tensor<9x3xf32>, tensor<9x3xf32>
    %9 = train.add %8, %7 : tensor<9x3xf32>, tensor<9x3xf32>
    %weighted = train.mul %9, %weight : tensor<9x3xf32>, tensor<9x3xf32>
    %total = train.reduce_sum %weighted over [0, 1] : tensor<9x3xf32>
    %10 = train.add %0, %2 : tensor<f32>, tensor<f32>
    %11 = train.add %10, %total : tensor<f32>, tensor<f32>
    train.return %11 : tensor<f32>
  }
  train.step @over_x minimize @loss over [@x] with #train.sgd<lr = 0.1>
  train.step @over_few minimize @loss over [@few] with #train.sgd<lr = 0.1>
  train.step @over_many minimize @loss over [@many] with #train.sgd<lr = 0.1>
}
