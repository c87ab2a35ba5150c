// Weights that differ from seed to seed, longer than a single write.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @crash {
  train.param @w : tensor<SIZExSIZExf32> = #train.kaiming_uniform
  train.param @b : tensor<SIZExf32> = #train.zeros
  train.func @loss(%x: tensor<4xSIZExf32>) -> tensor<f32> {
    %w = train.read @w : tensor<SIZExSIZExf32>
    %b = train.read @b : tensor<SIZExf32>
    %0 = train.matmul %x, %w : (tensor<4xSIZExf32>, tensor<SIZExSIZExf32>) -> tensor<4xSIZExf32>
    %1 = train.add %0, %b : tensor<4xSIZExf32>, tensor<SIZExf32>
    %2 = train.square %1 : tensor<4xSIZExf32>
    %3 = train.reduce_mean %2 over [0, 1] : tensor<4xSIZExf32>
    train.return %3 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w, @b] with #train.sgd<lr = 0.1, momentum = 0.9>
}
