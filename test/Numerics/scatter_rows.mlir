// RUN: rm -rf %t && mkdir %t && ampc compile %s -o %t
// RUN: %cc -shared -o %t/put.so -Wl,--whole-archive %t/libput.a -Wl,--no-whole-archive -pthread -lm
// RUN: %python %S/Inputs/scatter_rows.py %t/put.so | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows replaced in an input, which keeps the values, and in a state that is read again afterwards.
// CHECK: 0 of 5 results differ
train.model @put {
  train.buffer @table : tensor<9x5xf32> = #train.uniform<low = -1.0, high = 1.0>
  train.func @input(%r: tensor<4x5xf32>, %i: tensor<4xi32>, %t: tensor<9x5xf32>) -> (tensor<9x5xf32>, tensor<9x5xf32>) {
    %y = train.scatter_rows %r at %i into %t : tensor<4x5xf32>, tensor<4xi32>, tensor<9x5xf32>
    %d = train.sub %y, %t : tensor<9x5xf32>, tensor<9x5xf32>
    train.return %y, %d : tensor<9x5xf32>, tensor<9x5xf32>
  }
  train.func @loss(%r: tensor<4x5xf32>, %i: tensor<4xi32>) -> tensor<f32> {
    %t = train.read @table : tensor<9x5xf32>
    %y = train.scatter_rows %r at %i into %t : tensor<4x5xf32>, tensor<4xi32>, tensor<9x5xf32>
    %w = train.read @w : tensor<9x5xf32>
    %p = train.mul %y, %w : tensor<9x5xf32>, tensor<9x5xf32>
    %q = train.mul %t, %w : tensor<9x5xf32>, tensor<9x5xf32>
    train.write @table, %y : tensor<9x5xf32>
    %s = train.add %p, %q : tensor<9x5xf32>, tensor<9x5xf32>
    %l = train.reduce_sum %s over [0, 1] : tensor<9x5xf32>
    train.return %l : tensor<f32>
  }
  train.param @w : tensor<9x5xf32> = #train.ones
  train.export @input as "input"
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 1.0>
}
