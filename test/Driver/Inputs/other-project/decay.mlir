// y = exp(-k t), with a single unknown.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @decay {
  train.param @k : tensor<1xf32> = #train.zeros
  train.func @loss(%t: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<f32> {
    %k = train.read @k : tensor<1xf32>
    %kt = train.mul %k, %t : tensor<1xf32>, tensor<4xf32>
    %negative = train.neg %kt : tensor<4xf32>
    %guess = train.exp %negative : tensor<4xf32>
    %loss = train.mse %guess, %y : tensor<4xf32>, tensor<4xf32>
    train.return %loss : tensor<f32>
  }
  train.step @fit minimize @loss over [@k] with #train.sgd<lr = 1.0>
}
