// Names, types and batches that are hard for languages other than C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @_Hard {
  train.param @"a.b" : tensor<4x3xf32> = #train.ones
  train.param @narrow : tensor<3xbf16> = #train.ones {frozen}

  train.func @scores(%x: tensor<8x4xf32>, %X: tensor<3xf32>, %lambda: tensor<f32>, %status: tensor<8x3xbf16>)
      -> (tensor<8x3xbf16>, tensor<8x3xf32> {train.is = #train.output<named, name = "scores">}) {
    %w = train.read @"a.b" : tensor<4x3xf32>
    %n = train.read @narrow : tensor<3xbf16>
    %y = train.linear %x, %w, %X : tensor<8x4xf32>, tensor<4x3xf32>, tensor<3xf32>
    %s = train.mul %y, %lambda : tensor<8x3xf32>, tensor<f32>
    %m = train.mul %n, %status : tensor<3xbf16>, tensor<8x3xbf16>
    train.return %m, %s : tensor<8x3xbf16>, tensor<8x3xf32>
  }
  train.func @loss(%x: tensor<16x4xf32>, %label: tensor<16xi32>) -> tensor<f32> {
    %w = train.read @"a.b" : tensor<4x3xf32>
    %y = train.matmul %x, %w : (tensor<16x4xf32>, tensor<4x3xf32>) -> tensor<16x3xf32>
    %l = train.softmax_cross_entropy %y, %label : tensor<16x3xf32>, tensor<16xi32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@"a.b"] with #train.sgd<lr = 0.1>
  train.export @scores as "Model"
}
