// Recorded by ops.py.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @shapes {
  train.param @reduce_sum_02.x : tensor<4x7x5xf32> = #train.zeros
  train.func @reduce_sum_02() -> tensor<7xf32> {
    %x = train.read @reduce_sum_02.x : tensor<4x7x5xf32>
    %r = train.reduce_sum %x over [0, 2] : tensor<4x7x5xf32>
    train.return %r : tensor<7xf32>
  }
  train.export @reduce_sum_02 as "reduce_sum_02"
  train.func @reduce_sum_02.loss(%weight: tensor<7xf32>) -> tensor<f32> {
    %x = train.read @reduce_sum_02.x : tensor<4x7x5xf32>
    %r = train.reduce_sum %x over [0, 2] : tensor<4x7x5xf32>
    %p = train.mul %r, %weight : tensor<7xf32>, tensor<7xf32>
    %s = train.reduce_sum %p over [0] : tensor<7xf32>
    train.return %s : tensor<f32>
  }
  train.step @reduce_sum_02.fit minimize @reduce_sum_02.loss over [@reduce_sum_02.x] with #train.sgd<lr = 1.0>
  train.param @reduce_sum_1.x : tensor<4x7x5xf32> = #train.zeros
  train.func @reduce_sum_1() -> tensor<4x5xf32> {
    %x = train.read @reduce_sum_1.x : tensor<4x7x5xf32>
    %r = train.reduce_sum %x over [1] : tensor<4x7x5xf32>
    train.return %r : tensor<4x5xf32>
  }
  train.export @reduce_sum_1 as "reduce_sum_1"
  train.func @reduce_sum_1.loss(%weight: tensor<4x5xf32>) -> tensor<f32> {
    %x = train.read @reduce_sum_1.x : tensor<4x7x5xf32>
    %r = train.reduce_sum %x over [1] : tensor<4x7x5xf32>
    %p = train.mul %r, %weight : tensor<4x5xf32>, tensor<4x5xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<4x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @reduce_sum_1.fit minimize @reduce_sum_1.loss over [@reduce_sum_1.x] with #train.sgd<lr = 1.0>
  train.param @reduce_sum_2.x : tensor<4x7x5xf32> = #train.zeros
  train.func @reduce_sum_2() -> tensor<4x7xf32> {
    %x = train.read @reduce_sum_2.x : tensor<4x7x5xf32>
    %r = train.reduce_sum %x over [2] : tensor<4x7x5xf32>
    train.return %r : tensor<4x7xf32>
  }
  train.export @reduce_sum_2 as "reduce_sum_2"
  train.func @reduce_sum_2.loss(%weight: tensor<4x7xf32>) -> tensor<f32> {
    %x = train.read @reduce_sum_2.x : tensor<4x7x5xf32>
    %r = train.reduce_sum %x over [2] : tensor<4x7x5xf32>
    %p = train.mul %r, %weight : tensor<4x7xf32>, tensor<4x7xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<4x7xf32>
    train.return %s : tensor<f32>
  }
  train.step @reduce_sum_2.fit minimize @reduce_sum_2.loss over [@reduce_sum_2.x] with #train.sgd<lr = 1.0>
  train.param @reduce_mean_02.x : tensor<4x7x5xf32> = #train.zeros
  train.func @reduce_mean_02() -> tensor<7xf32> {
    %x = train.read @reduce_mean_02.x : tensor<4x7x5xf32>
    %r = train.reduce_mean %x over [0, 2] : tensor<4x7x5xf32>
    train.return %r : tensor<7xf32>
  }
  train.export @reduce_mean_02 as "reduce_mean_02"
  train.func @reduce_mean_02.loss(%weight: tensor<7xf32>) -> tensor<f32> {
    %x = train.read @reduce_mean_02.x : tensor<4x7x5xf32>
    %r = train.reduce_mean %x over [0, 2] : tensor<4x7x5xf32>
    %p = train.mul %r, %weight : tensor<7xf32>, tensor<7xf32>
    %s = train.reduce_sum %p over [0] : tensor<7xf32>
    train.return %s : tensor<f32>
  }
  train.step @reduce_mean_02.fit minimize @reduce_mean_02.loss over [@reduce_mean_02.x] with #train.sgd<lr = 1.0>
  train.param @reduce_mean_1.x : tensor<4x7x5xf32> = #train.zeros
  train.func @reduce_mean_1() -> tensor<4x5xf32> {
    %x = train.read @reduce_mean_1.x : tensor<4x7x5xf32>
    %r = train.reduce_mean %x over [1] : tensor<4x7x5xf32>
    train.return %r : tensor<4x5xf32>
  }
  train.export @reduce_mean_1 as "reduce_mean_1"
  train.func @reduce_mean_1.loss(%weight: tensor<4x5xf32>) -> tensor<f32> {
    %x = train.read @reduce_mean_1.x : tensor<4x7x5xf32>
    %r = train.reduce_mean %x over [1] : tensor<4x7x5xf32>
    %p = train.mul %r, %weight : tensor<4x5xf32>, tensor<4x5xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<4x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @reduce_mean_1.fit minimize @reduce_mean_1.loss over [@reduce_mean_1.x] with #train.sgd<lr = 1.0>
  train.param @reduce_mean_2.x : tensor<4x7x5xf32> = #train.zeros
  train.func @reduce_mean_2() -> tensor<4x7xf32> {
    %x = train.read @reduce_mean_2.x : tensor<4x7x5xf32>
    %r = train.reduce_mean %x over [2] : tensor<4x7x5xf32>
    train.return %r : tensor<4x7xf32>
  }
  train.export @reduce_mean_2 as "reduce_mean_2"
  train.func @reduce_mean_2.loss(%weight: tensor<4x7xf32>) -> tensor<f32> {
    %x = train.read @reduce_mean_2.x : tensor<4x7x5xf32>
    %r = train.reduce_mean %x over [2] : tensor<4x7x5xf32>
    %p = train.mul %r, %weight : tensor<4x7xf32>, tensor<4x7xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<4x7xf32>
    train.return %s : tensor<f32>
  }
  train.step @reduce_mean_2.fit minimize @reduce_mean_2.loss over [@reduce_mean_2.x] with #train.sgd<lr = 1.0>
  train.param @reduce_max_02.x : tensor<4x7x5xf32> = #train.zeros
  train.func @reduce_max_02() -> tensor<7xf32> {
    %x = train.read @reduce_max_02.x : tensor<4x7x5xf32>
    %r = train.reduce_max %x over [0, 2] : tensor<4x7x5xf32>
    train.return %r : tensor<7xf32>
  }
  train.export @reduce_max_02 as "reduce_max_02"
  train.func @reduce_max_02.loss(%weight: tensor<7xf32>) -> tensor<f32> {
    %x = train.read @reduce_max_02.x : tensor<4x7x5xf32>
    %r = train.reduce_max %x over [0, 2] : tensor<4x7x5xf32>
    %p = train.mul %r, %weight : tensor<7xf32>, tensor<7xf32>
    %s = train.reduce_sum %p over [0] : tensor<7xf32>
    train.return %s : tensor<f32>
  }
  train.step @reduce_max_02.fit minimize @reduce_max_02.loss over [@reduce_max_02.x] with #train.sgd<lr = 1.0>
  train.param @reduce_max_1.x : tensor<4x7x5xf32> = #train.zeros
  train.func @reduce_max_1() -> tensor<4x5xf32> {
    %x = train.read @reduce_max_1.x : tensor<4x7x5xf32>
    %r = train.reduce_max %x over [1] : tensor<4x7x5xf32>
    train.return %r : tensor<4x5xf32>
  }
  train.export @reduce_max_1 as "reduce_max_1"
  train.func @reduce_max_1.loss(%weight: tensor<4x5xf32>) -> tensor<f32> {
    %x = train.read @reduce_max_1.x : tensor<4x7x5xf32>
    %r = train.reduce_max %x over [1] : tensor<4x7x5xf32>
    %p = train.mul %r, %weight : tensor<4x5xf32>, tensor<4x5xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<4x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @reduce_max_1.fit minimize @reduce_max_1.loss over [@reduce_max_1.x] with #train.sgd<lr = 1.0>
  train.param @reduce_max_2.x : tensor<4x7x5xf32> = #train.zeros
  train.func @reduce_max_2() -> tensor<4x7xf32> {
    %x = train.read @reduce_max_2.x : tensor<4x7x5xf32>
    %r = train.reduce_max %x over [2] : tensor<4x7x5xf32>
    train.return %r : tensor<4x7xf32>
  }
  train.export @reduce_max_2 as "reduce_max_2"
  train.func @reduce_max_2.loss(%weight: tensor<4x7xf32>) -> tensor<f32> {
    %x = train.read @reduce_max_2.x : tensor<4x7x5xf32>
    %r = train.reduce_max %x over [2] : tensor<4x7x5xf32>
    %p = train.mul %r, %weight : tensor<4x7xf32>, tensor<4x7xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<4x7xf32>
    train.return %s : tensor<f32>
  }
  train.step @reduce_max_2.fit minimize @reduce_max_2.loss over [@reduce_max_2.x] with #train.sgd<lr = 1.0>
  train.param @reduce_min_02.x : tensor<4x7x5xf32> = #train.zeros
  train.func @reduce_min_02() -> tensor<7xf32> {
    %x = train.read @reduce_min_02.x : tensor<4x7x5xf32>
    %r = train.reduce_min %x over [0, 2] : tensor<4x7x5xf32>
    train.return %r : tensor<7xf32>
  }
  train.export @reduce_min_02 as "reduce_min_02"
  train.func @reduce_min_02.loss(%weight: tensor<7xf32>) -> tensor<f32> {
    %x = train.read @reduce_min_02.x : tensor<4x7x5xf32>
    %r = train.reduce_min %x over [0, 2] : tensor<4x7x5xf32>
    %p = train.mul %r, %weight : tensor<7xf32>, tensor<7xf32>
    %s = train.reduce_sum %p over [0] : tensor<7xf32>
    train.return %s : tensor<f32>
  }
  train.step @reduce_min_02.fit minimize @reduce_min_02.loss over [@reduce_min_02.x] with #train.sgd<lr = 1.0>
  train.param @reduce_min_1.x : tensor<4x7x5xf32> = #train.zeros
  train.func @reduce_min_1() -> tensor<4x5xf32> {
    %x = train.read @reduce_min_1.x : tensor<4x7x5xf32>
    %r = train.reduce_min %x over [1] : tensor<4x7x5xf32>
    train.return %r : tensor<4x5xf32>
  }
  train.export @reduce_min_1 as "reduce_min_1"
  train.func @reduce_min_1.loss(%weight: tensor<4x5xf32>) -> tensor<f32> {
    %x = train.read @reduce_min_1.x : tensor<4x7x5xf32>
    %r = train.reduce_min %x over [1] : tensor<4x7x5xf32>
    %p = train.mul %r, %weight : tensor<4x5xf32>, tensor<4x5xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<4x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @reduce_min_1.fit minimize @reduce_min_1.loss over [@reduce_min_1.x] with #train.sgd<lr = 1.0>
  train.param @reduce_min_2.x : tensor<4x7x5xf32> = #train.zeros
  train.func @reduce_min_2() -> tensor<4x7xf32> {
    %x = train.read @reduce_min_2.x : tensor<4x7x5xf32>
    %r = train.reduce_min %x over [2] : tensor<4x7x5xf32>
    train.return %r : tensor<4x7xf32>
  }
  train.export @reduce_min_2 as "reduce_min_2"
  train.func @reduce_min_2.loss(%weight: tensor<4x7xf32>) -> tensor<f32> {
    %x = train.read @reduce_min_2.x : tensor<4x7x5xf32>
    %r = train.reduce_min %x over [2] : tensor<4x7x5xf32>
    %p = train.mul %r, %weight : tensor<4x7xf32>, tensor<4x7xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<4x7xf32>
    train.return %s : tensor<f32>
  }
  train.step @reduce_min_2.fit minimize @reduce_min_2.loss over [@reduce_min_2.x] with #train.sgd<lr = 1.0>
  train.param @logsumexp_02.x : tensor<4x7x5xf32> = #train.zeros
  train.func @logsumexp_02() -> tensor<7xf32> {
    %x = train.read @logsumexp_02.x : tensor<4x7x5xf32>
    %r = train.logsumexp %x over [0, 2] : tensor<4x7x5xf32>
    train.return %r : tensor<7xf32>
  }
  train.export @logsumexp_02 as "logsumexp_02"
  train.func @logsumexp_02.loss(%weight: tensor<7xf32>) -> tensor<f32> {
    %x = train.read @logsumexp_02.x : tensor<4x7x5xf32>
    %r = train.logsumexp %x over [0, 2] : tensor<4x7x5xf32>
    %p = train.mul %r, %weight : tensor<7xf32>, tensor<7xf32>
    %s = train.reduce_sum %p over [0] : tensor<7xf32>
    train.return %s : tensor<f32>
  }
  train.step @logsumexp_02.fit minimize @logsumexp_02.loss over [@logsumexp_02.x] with #train.sgd<lr = 1.0>
  train.param @logsumexp_1.x : tensor<4x7x5xf32> = #train.zeros
  train.func @logsumexp_1() -> tensor<4x5xf32> {
    %x = train.read @logsumexp_1.x : tensor<4x7x5xf32>
    %r = train.logsumexp %x over [1] : tensor<4x7x5xf32>
    train.return %r : tensor<4x5xf32>
  }
  train.export @logsumexp_1 as "logsumexp_1"
  train.func @logsumexp_1.loss(%weight: tensor<4x5xf32>) -> tensor<f32> {
    %x = train.read @logsumexp_1.x : tensor<4x7x5xf32>
    %r = train.logsumexp %x over [1] : tensor<4x7x5xf32>
    %p = train.mul %r, %weight : tensor<4x5xf32>, tensor<4x5xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<4x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @logsumexp_1.fit minimize @logsumexp_1.loss over [@logsumexp_1.x] with #train.sgd<lr = 1.0>
  train.param @logsumexp_2.x : tensor<4x7x5xf32> = #train.zeros
  train.func @logsumexp_2() -> tensor<4x7xf32> {
    %x = train.read @logsumexp_2.x : tensor<4x7x5xf32>
    %r = train.logsumexp %x over [2] : tensor<4x7x5xf32>
    train.return %r : tensor<4x7xf32>
  }
  train.export @logsumexp_2 as "logsumexp_2"
  train.func @logsumexp_2.loss(%weight: tensor<4x7xf32>) -> tensor<f32> {
    %x = train.read @logsumexp_2.x : tensor<4x7x5xf32>
    %r = train.logsumexp %x over [2] : tensor<4x7x5xf32>
    %p = train.mul %r, %weight : tensor<4x7xf32>, tensor<4x7xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<4x7xf32>
    train.return %s : tensor<f32>
  }
  train.step @logsumexp_2.fit minimize @logsumexp_2.loss over [@logsumexp_2.x] with #train.sgd<lr = 1.0>
  train.param @argmax.x : tensor<4x7x5xf32> = #train.zeros {frozen}
  train.func @argmax() -> tensor<4x7xi32> {
    %x = train.read @argmax.x : tensor<4x7x5xf32>
    %r = train.argmax %x : tensor<4x7x5xf32>
    train.return %r : tensor<4x7xi32>
  }
  train.export @argmax as "argmax"
  train.func @one_hot(%l: tensor<4x3xi32>) -> tensor<4x3x6xf32> {
    %r = train.one_hot %l : tensor<4x3xi32> to tensor<4x3x6xf32>
    train.return %r : tensor<4x3x6xf32>
  }
  train.export @one_hot as "one_hot"
  train.func @iota_0() -> tensor<2x3x5xi32> {
    %r = train.iota along 0 : tensor<2x3x5xi32>
    train.return %r : tensor<2x3x5xi32>
  }
  train.export @iota_0 as "iota_0"
  train.func @iota_1() -> tensor<2x3x5xi32> {
    %r = train.iota along 1 : tensor<2x3x5xi32>
    train.return %r : tensor<2x3x5xi32>
  }
  train.export @iota_1 as "iota_1"
  train.func @iota_2() -> tensor<2x3x5xi32> {
    %r = train.iota along 2 : tensor<2x3x5xi32>
    train.return %r : tensor<2x3x5xi32>
  }
  train.export @iota_2 as "iota_2"
  train.func @cast(%i: tensor<5xi32>) -> tensor<5xf32> {
    %r = train.cast %i : tensor<5xi32> to tensor<5xf32>
    train.return %r : tensor<5xf32>
  }
  train.export @cast as "cast"
  train.param @compare.a : tensor<2x3xf32> = #train.zeros {frozen}
  train.param @compare.b : tensor<3xf32> = #train.zeros {frozen}
  train.func @compare() -> tensor<2x3xi1> {
    %a = train.read @compare.a : tensor<2x3xf32>
    %b = train.read @compare.b : tensor<3xf32>
    %r = train.compare le %a, %b : tensor<2x3xf32>, tensor<3xf32>
    train.return %r : tensor<2x3xi1>
  }
  train.export @compare as "compare"
  train.param @transpose.x : tensor<4x7x5xf32> = #train.zeros
  train.func @transpose() -> tensor<5x4x7xf32> {
    %x = train.read @transpose.x : tensor<4x7x5xf32>
    %r = train.transpose %x [2, 0, 1] : tensor<4x7x5xf32>
    train.return %r : tensor<5x4x7xf32>
  }
  train.export @transpose as "transpose"
  train.func @transpose.loss(%weight: tensor<5x4x7xf32>) -> tensor<f32> {
    %x = train.read @transpose.x : tensor<4x7x5xf32>
    %r = train.transpose %x [2, 0, 1] : tensor<4x7x5xf32>
    %p = train.mul %r, %weight : tensor<5x4x7xf32>, tensor<5x4x7xf32>
    %s = train.reduce_sum %p over [0, 1, 2] : tensor<5x4x7xf32>
    train.return %s : tensor<f32>
  }
  train.step @transpose.fit minimize @transpose.loss over [@transpose.x] with #train.sgd<lr = 1.0>
  train.param @reshape.x : tensor<4x7x5xf32> = #train.zeros
  train.func @reshape() -> tensor<20x7xf32> {
    %x = train.read @reshape.x : tensor<4x7x5xf32>
    %r = train.reshape %x : tensor<4x7x5xf32> to tensor<20x7xf32>
    train.return %r : tensor<20x7xf32>
  }
  train.export @reshape as "reshape"
  train.func @reshape.loss(%weight: tensor<20x7xf32>) -> tensor<f32> {
    %x = train.read @reshape.x : tensor<4x7x5xf32>
    %r = train.reshape %x : tensor<4x7x5xf32> to tensor<20x7xf32>
    %p = train.mul %r, %weight : tensor<20x7xf32>, tensor<20x7xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<20x7xf32>
    train.return %s : tensor<f32>
  }
  train.step @reshape.fit minimize @reshape.loss over [@reshape.x] with #train.sgd<lr = 1.0>
  train.param @broadcast_to.x : tensor<3x1xf32> = #train.zeros
  train.func @broadcast_to() -> tensor<2x3x5xf32> {
    %x = train.read @broadcast_to.x : tensor<3x1xf32>
    %r = train.broadcast_to %x : tensor<3x1xf32> to tensor<2x3x5xf32>
    train.return %r : tensor<2x3x5xf32>
  }
  train.export @broadcast_to as "broadcast_to"
  train.func @broadcast_to.loss(%weight: tensor<2x3x5xf32>) -> tensor<f32> {
    %x = train.read @broadcast_to.x : tensor<3x1xf32>
    %r = train.broadcast_to %x : tensor<3x1xf32> to tensor<2x3x5xf32>
    %p = train.mul %r, %weight : tensor<2x3x5xf32>, tensor<2x3x5xf32>
    %s = train.reduce_sum %p over [0, 1, 2] : tensor<2x3x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @broadcast_to.fit minimize @broadcast_to.loss over [@broadcast_to.x] with #train.sgd<lr = 1.0>
  train.param @slice.x : tensor<5x9xf32> = #train.zeros
  train.func @slice() -> tensor<3x3xf32> {
    %x = train.read @slice.x : tensor<5x9xf32>
    %r = train.slice %x from [1, 2] sizes [3, 3] strides [1, 3] : tensor<5x9xf32>
    train.return %r : tensor<3x3xf32>
  }
  train.export @slice as "slice"
  train.func @slice.loss(%weight: tensor<3x3xf32>) -> tensor<f32> {
    %x = train.read @slice.x : tensor<5x9xf32>
    %r = train.slice %x from [1, 2] sizes [3, 3] strides [1, 3] : tensor<5x9xf32>
    %p = train.mul %r, %weight : tensor<3x3xf32>, tensor<3x3xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<3x3xf32>
    train.return %s : tensor<f32>
  }
  train.step @slice.fit minimize @slice.loss over [@slice.x] with #train.sgd<lr = 1.0>
  train.param @pad.x : tensor<3x4xf32> = #train.zeros
  train.func @pad() -> tensor<6x5xf32> {
    %x = train.read @pad.x : tensor<3x4xf32>
    %r = train.pad %x value 0.5 low [1, 0] high [2, 1] interior [0, 0] : tensor<3x4xf32>
    train.return %r : tensor<6x5xf32>
  }
  train.export @pad as "pad"
  train.func @pad.loss(%weight: tensor<6x5xf32>) -> tensor<f32> {
    %x = train.read @pad.x : tensor<3x4xf32>
    %r = train.pad %x value 0.5 low [1, 0] high [2, 1] interior [0, 0] : tensor<3x4xf32>
    %p = train.mul %r, %weight : tensor<6x5xf32>, tensor<6x5xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<6x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @pad.fit minimize @pad.loss over [@pad.x] with #train.sgd<lr = 1.0>
  train.param @concat.a : tensor<2x3x4xf32> = #train.zeros
  train.param @concat.b : tensor<2x1x4xf32> = #train.zeros
  train.func @concat() -> tensor<2x4x4xf32> {
    %a = train.read @concat.a : tensor<2x3x4xf32>
    %b = train.read @concat.b : tensor<2x1x4xf32>
    %r = train.concat %a, %b along 1 : tensor<2x3x4xf32>, tensor<2x1x4xf32>
    train.return %r : tensor<2x4x4xf32>
  }
  train.export @concat as "concat"
  train.func @concat.loss(%weight: tensor<2x4x4xf32>) -> tensor<f32> {
    %a = train.read @concat.a : tensor<2x3x4xf32>
    %b = train.read @concat.b : tensor<2x1x4xf32>
    %r = train.concat %a, %b along 1 : tensor<2x3x4xf32>, tensor<2x1x4xf32>
    %p = train.mul %r, %weight : tensor<2x4x4xf32>, tensor<2x4x4xf32>
    %s = train.reduce_sum %p over [0, 1, 2] : tensor<2x4x4xf32>
    train.return %s : tensor<f32>
  }
  train.step @concat.fit minimize @concat.loss over [@concat.a, @concat.b] with #train.sgd<lr = 1.0>
  train.param @gather.t : tensor<7x5xf32> = #train.zeros
  train.func @gather(%i: tensor<4x3xi32>) -> tensor<4x3x5xf32> {
    %t = train.read @gather.t : tensor<7x5xf32>
    %r = train.gather %t at %i : tensor<7x5xf32>, tensor<4x3xi32>
    train.return %r : tensor<4x3x5xf32>
  }
  train.export @gather as "gather"
  train.func @gather.loss(%i: tensor<4x3xi32>, %weight: tensor<4x3x5xf32>) -> tensor<f32> {
    %t = train.read @gather.t : tensor<7x5xf32>
    %r = train.gather %t at %i : tensor<7x5xf32>, tensor<4x3xi32>
    %p = train.mul %r, %weight : tensor<4x3x5xf32>, tensor<4x3x5xf32>
    %s = train.reduce_sum %p over [0, 1, 2] : tensor<4x3x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @gather.fit minimize @gather.loss over [@gather.t] with #train.sgd<lr = 1.0>
  train.param @embedding.t : tensor<7x5xf32> = #train.zeros
  train.func @embedding(%i: tensor<13xi32>) -> tensor<13x5xf32> {
    %t = train.read @embedding.t : tensor<7x5xf32>
    %r = train.embedding %t at %i padding 2 : tensor<7x5xf32>, tensor<13xi32>
    train.return %r : tensor<13x5xf32>
  }
  train.export @embedding as "embedding"
  train.func @embedding.loss(%i: tensor<13xi32>, %weight: tensor<13x5xf32>) -> tensor<f32> {
    %t = train.read @embedding.t : tensor<7x5xf32>
    %r = train.embedding %t at %i padding 2 : tensor<7x5xf32>, tensor<13xi32>
    %p = train.mul %r, %weight : tensor<13x5xf32>, tensor<13x5xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<13x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @embedding.fit minimize @embedding.loss over [@embedding.t] with #train.sgd<lr = 1.0>
  train.param @scatter_add.u : tensor<9x5xf32> = #train.zeros
  train.func @scatter_add(%i: tensor<9xi32>) -> tensor<4x5xf32> {
    %u = train.read @scatter_add.u : tensor<9x5xf32>
    %r = train.scatter_add %u at %i : tensor<9x5xf32>, tensor<9xi32> to tensor<4x5xf32>
    train.return %r : tensor<4x5xf32>
  }
  train.export @scatter_add as "scatter_add"
  train.func @scatter_add.loss(%i: tensor<9xi32>, %weight: tensor<4x5xf32>) -> tensor<f32> {
    %u = train.read @scatter_add.u : tensor<9x5xf32>
    %r = train.scatter_add %u at %i : tensor<9x5xf32>, tensor<9xi32> to tensor<4x5xf32>
    %p = train.mul %r, %weight : tensor<4x5xf32>, tensor<4x5xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<4x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @scatter_add.fit minimize @scatter_add.loss over [@scatter_add.u] with #train.sgd<lr = 1.0>
  train.param @matmul.a : tensor<2x3x5xf32> = #train.zeros
  train.param @matmul.b : tensor<2x7x5xf32> = #train.zeros
  train.func @matmul() -> tensor<2x3x7xf32> {
    %a = train.read @matmul.a : tensor<2x3x5xf32>
    %b = train.read @matmul.b : tensor<2x7x5xf32>
    %r = train.matmul %a, %b transpose_rhs : (tensor<2x3x5xf32>, tensor<2x7x5xf32>) -> tensor<2x3x7xf32>
    train.return %r : tensor<2x3x7xf32>
  }
  train.export @matmul as "matmul"
  train.func @matmul.loss(%weight: tensor<2x3x7xf32>) -> tensor<f32> {
    %a = train.read @matmul.a : tensor<2x3x5xf32>
    %b = train.read @matmul.b : tensor<2x7x5xf32>
    %r = train.matmul %a, %b transpose_rhs : (tensor<2x3x5xf32>, tensor<2x7x5xf32>) -> tensor<2x3x7xf32>
    %p = train.mul %r, %weight : tensor<2x3x7xf32>, tensor<2x3x7xf32>
    %s = train.reduce_sum %p over [0, 1, 2] : tensor<2x3x7xf32>
    train.return %s : tensor<f32>
  }
  train.step @matmul.fit minimize @matmul.loss over [@matmul.a, @matmul.b] with #train.sgd<lr = 1.0>
  train.param @linear.x : tensor<2x3x5xf32> = #train.zeros
  train.param @linear.w : tensor<5x7xf32> = #train.zeros
  train.param @linear.b : tensor<7xf32> = #train.zeros
  train.func @linear() -> tensor<2x3x7xf32> {
    %x = train.read @linear.x : tensor<2x3x5xf32>
    %w = train.read @linear.w : tensor<5x7xf32>
    %b = train.read @linear.b : tensor<7xf32>
    %r = train.linear %x, %w, %b : tensor<2x3x5xf32>, tensor<5x7xf32>, tensor<7xf32>
    train.return %r : tensor<2x3x7xf32>
  }
  train.export @linear as "linear"
  train.func @linear.loss(%weight: tensor<2x3x7xf32>) -> tensor<f32> {
    %x = train.read @linear.x : tensor<2x3x5xf32>
    %w = train.read @linear.w : tensor<5x7xf32>
    %b = train.read @linear.b : tensor<7xf32>
    %r = train.linear %x, %w, %b : tensor<2x3x5xf32>, tensor<5x7xf32>, tensor<7xf32>
    %p = train.mul %r, %weight : tensor<2x3x7xf32>, tensor<2x3x7xf32>
    %s = train.reduce_sum %p over [0, 1, 2] : tensor<2x3x7xf32>
    train.return %s : tensor<f32>
  }
  train.step @linear.fit minimize @linear.loss over [@linear.x, @linear.w, @linear.b] with #train.sgd<lr = 1.0>
  train.param @matmul_own_rows.x : tensor<2x3x5xf32> = #train.zeros
  train.func @matmul_own_rows() -> tensor<2x3x3xf32> {
    %x = train.read @matmul_own_rows.x : tensor<2x3x5xf32>
    %r = train.matmul %x, %x transpose_rhs : (tensor<2x3x5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x3xf32>
    train.return %r : tensor<2x3x3xf32>
  }
  train.export @matmul_own_rows as "matmul_own_rows"
  train.func @matmul_own_rows.loss(%weight: tensor<2x3x3xf32>) -> tensor<f32> {
    %x = train.read @matmul_own_rows.x : tensor<2x3x5xf32>
    %r = train.matmul %x, %x transpose_rhs : (tensor<2x3x5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x3xf32>
    %p = train.mul %r, %weight : tensor<2x3x3xf32>, tensor<2x3x3xf32>
    %s = train.reduce_sum %p over [0, 1, 2] : tensor<2x3x3xf32>
    train.return %s : tensor<f32>
  }
  train.step @matmul_own_rows.fit minimize @matmul_own_rows.loss over [@matmul_own_rows.x] with #train.sgd<lr = 1.0>
  train.param @matmul_own_columns.x : tensor<2x3x5xf32> = #train.zeros
  train.func @matmul_own_columns() -> tensor<2x5x5xf32> {
    %x = train.read @matmul_own_columns.x : tensor<2x3x5xf32>
    %r = train.matmul %x, %x transpose_lhs : (tensor<2x3x5xf32>, tensor<2x3x5xf32>) -> tensor<2x5x5xf32>
    train.return %r : tensor<2x5x5xf32>
  }
  train.export @matmul_own_columns as "matmul_own_columns"
  train.func @matmul_own_columns.loss(%weight: tensor<2x5x5xf32>) -> tensor<f32> {
    %x = train.read @matmul_own_columns.x : tensor<2x3x5xf32>
    %r = train.matmul %x, %x transpose_lhs : (tensor<2x3x5xf32>, tensor<2x3x5xf32>) -> tensor<2x5x5xf32>
    %p = train.mul %r, %weight : tensor<2x5x5xf32>, tensor<2x5x5xf32>
    %s = train.reduce_sum %p over [0, 1, 2] : tensor<2x5x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @matmul_own_columns.fit minimize @matmul_own_columns.loss over [@matmul_own_columns.x] with #train.sgd<lr = 1.0>
}
