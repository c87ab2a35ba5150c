// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @two_steps {
  train.param @a : tensor<4x1xf32> = #train.ones
  train.param @b : tensor<4x1xf32> = #train.ones
  train.func @large(%x: tensor<8x4xf32>, %s: tensor<8x1xf32>) -> tensor<f32> {
    %a = train.read @a : tensor<4x1xf32>
    %h = train.matmul %x, %a : (tensor<8x4xf32>, tensor<4x1xf32>) -> tensor<8x1xf32>
    %m = train.mul %h, %s : tensor<8x1xf32>, tensor<8x1xf32>
    %l = train.reduce_mean %m over [0, 1] : tensor<8x1xf32>
    train.return %l : tensor<f32>
  }
  train.func @small(%x: tensor<8x4xf32>, %t: tensor<8x1xf32>) -> tensor<f32> {
    %b = train.read @b : tensor<4x1xf32>
    %h = train.matmul %x, %b : (tensor<8x4xf32>, tensor<4x1xf32>) -> tensor<8x1xf32>
    %m = train.mul %h, %t : tensor<8x1xf32>, tensor<8x1xf32>
    %l = train.reduce_mean %m over [0, 1] : tensor<8x1xf32>
    train.return %l : tensor<f32>
  }
  train.step @first minimize @large over [@a] with #train.sgd<lr = 0.0009765625>
  train.step @second minimize @small over [@b] with #train.sgd<lr = 0.0009765625>
}
