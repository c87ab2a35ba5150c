// A small model whose states differ from seed to seed, with an export.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @faults {
  train.param @w : tensor<WIDTHx4xf32> = #train.kaiming_uniform
  train.func @score(%x: tensor<8xWIDTHxf32>) -> tensor<8x4xf32> {
    %w = train.read @w : tensor<WIDTHx4xf32>
    %0 = train.matmul %x, %w : (tensor<8xWIDTHxf32>, tensor<WIDTHx4xf32>) -> tensor<8x4xf32>
    train.return %0 : tensor<8x4xf32>
  }
  train.func @loss(%x: tensor<8xWIDTHxf32>) -> tensor<f32> {
    %0 = train.call @score(%x) : (tensor<8xWIDTHxf32>) -> tensor<8x4xf32>
    %1 = train.square %0 : tensor<8x4xf32>
    %2 = train.reduce_mean %1 over [0, 1] : tensor<8x4xf32>
    train.return %2 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.adam<lr = 0.01>
  train.export @score as "predict"
}
