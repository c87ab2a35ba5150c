// Gradients of 64000 times the scale are added up in a single row. Two parameters: a table of rows, and a dense weight beside the table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @duplicates {
  amp.scaler @scale = #amp.scaling<initial = 1024.0, interval = 100>
  train.param @table : tensor<10x4xf32> = #train.ones
  train.param @w : tensor<1xf32> = #train.ones
  train.func @loss(%i: tensor<4xi32>, %x: tensor<4x1xf32>) -> tensor<f32> {
    %t = train.read @table : tensor<10x4xf32>
    %w = train.read @w : tensor<1xf32>
    %r = train.embedding %t at %i : tensor<10x4xf32>, tensor<4xi32>
    %p = train.matmul %r, %x : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
    %s = train.add %p, %w : tensor<4x1xf32>, tensor<1xf32>
    %l = train.reduce_sum %s over [0, 1] : tensor<4x1xf32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@table, @w] with #train.OPTIMIZER {amp.scaler = @scale}
}
