// Every op of the dialect in a model that learns.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @toys {
  train.param @gate : tensor<5x7xf32> = #train.xavier_uniform
  train.param @up : tensor<5x7xf32> = #train.xavier_uniform
  train.param @out : tensor<7x3xf32> = #train.xavier_uniform
  train.func @predict(%x: tensor<6x5xf32>) -> tensor<6x3xf32> {
    %gate = train.read @gate : tensor<5x7xf32>
    %up = train.read @up : tensor<5x7xf32>
    %out = train.read @out : tensor<7x3xf32>
    %h = toy.gated_unit %x, %gate, %up : tensor<6x5xf32>, tensor<5x7xf32>, tensor<5x7xf32>
    %c = toy.center %h : tensor<6x7xf32>
    %s = toy.snake %c a 2.0 : tensor<6x7xf32>
    %p = train.matmul %s, %out : (tensor<6x7xf32>, tensor<7x3xf32>) -> tensor<6x3xf32>
    %y = toy.squareplus %p : tensor<6x3xf32>
    train.return %y : tensor<6x3xf32>
  }
  train.func @loss(%x: tensor<6x5xf32>, %target: tensor<6x3xf32>) -> tensor<f32> {
    %y = train.call @predict(%x) : (tensor<6x5xf32>) -> tensor<6x3xf32>
    %l = train.mse %y, %target : tensor<6x3xf32>, tensor<6x3xf32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@gate, @up, @out] with #train.sgd<lr = 0.1>
  train.export @predict as "predict"
}
