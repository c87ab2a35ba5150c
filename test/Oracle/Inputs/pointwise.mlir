// Recorded by ops.py.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @pointwise {
  train.param @neg.x : tensor<3x7xf32> = #train.zeros
  train.func @neg() -> tensor<3x7xf32> {
    %x = train.read @neg.x : tensor<3x7xf32>
    %r = train.neg %x : tensor<3x7xf32>
    train.return %r : tensor<3x7xf32>
  }
  train.export @neg as "neg"
  train.func @neg.loss(%weight: tensor<3x7xf32>) -> tensor<f32> {
    %x = train.read @neg.x : tensor<3x7xf32>
    %r = train.neg %x : tensor<3x7xf32>
    %p = train.mul %r, %weight : tensor<3x7xf32>, tensor<3x7xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<3x7xf32>
    train.return %s : tensor<f32>
  }
  train.step @neg.fit minimize @neg.loss over [@neg.x] with #train.sgd<lr = 1.0>
  train.param @abs.x : tensor<2x5xf32> = #train.zeros
  train.func @abs() -> tensor<2x5xf32> {
    %x = train.read @abs.x : tensor<2x5xf32>
    %r = train.abs %x : tensor<2x5xf32>
    train.return %r : tensor<2x5xf32>
  }
  train.export @abs as "abs"
  train.func @abs.loss(%weight: tensor<2x5xf32>) -> tensor<f32> {
    %x = train.read @abs.x : tensor<2x5xf32>
    %r = train.abs %x : tensor<2x5xf32>
    %p = train.mul %r, %weight : tensor<2x5xf32>, tensor<2x5xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<2x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @abs.fit minimize @abs.loss over [@abs.x] with #train.sgd<lr = 1.0>
  train.param @square.x : tensor<3x7xf32> = #train.zeros
  train.func @square() -> tensor<3x7xf32> {
    %x = train.read @square.x : tensor<3x7xf32>
    %r = train.square %x : tensor<3x7xf32>
    train.return %r : tensor<3x7xf32>
  }
  train.export @square as "square"
  train.func @square.loss(%weight: tensor<3x7xf32>) -> tensor<f32> {
    %x = train.read @square.x : tensor<3x7xf32>
    %r = train.square %x : tensor<3x7xf32>
    %p = train.mul %r, %weight : tensor<3x7xf32>, tensor<3x7xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<3x7xf32>
    train.return %s : tensor<f32>
  }
  train.step @square.fit minimize @square.loss over [@square.x] with #train.sgd<lr = 1.0>
  train.param @sqrt.x : tensor<3x7xf32> = #train.zeros
  train.func @sqrt() -> tensor<3x7xf32> {
    %x = train.read @sqrt.x : tensor<3x7xf32>
    %r = train.sqrt %x : tensor<3x7xf32>
    train.return %r : tensor<3x7xf32>
  }
  train.export @sqrt as "sqrt"
  train.func @sqrt.loss(%weight: tensor<3x7xf32>) -> tensor<f32> {
    %x = train.read @sqrt.x : tensor<3x7xf32>
    %r = train.sqrt %x : tensor<3x7xf32>
    %p = train.mul %r, %weight : tensor<3x7xf32>, tensor<3x7xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<3x7xf32>
    train.return %s : tensor<f32>
  }
  train.step @sqrt.fit minimize @sqrt.loss over [@sqrt.x] with #train.sgd<lr = 1.0>
  train.param @rsqrt.x : tensor<3x7xf32> = #train.zeros
  train.func @rsqrt() -> tensor<3x7xf32> {
    %x = train.read @rsqrt.x : tensor<3x7xf32>
    %r = train.rsqrt %x : tensor<3x7xf32>
    train.return %r : tensor<3x7xf32>
  }
  train.export @rsqrt as "rsqrt"
  train.func @rsqrt.loss(%weight: tensor<3x7xf32>) -> tensor<f32> {
    %x = train.read @rsqrt.x : tensor<3x7xf32>
    %r = train.rsqrt %x : tensor<3x7xf32>
    %p = train.mul %r, %weight : tensor<3x7xf32>, tensor<3x7xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<3x7xf32>
    train.return %s : tensor<f32>
  }
  train.step @rsqrt.fit minimize @rsqrt.loss over [@rsqrt.x] with #train.sgd<lr = 1.0>
  train.param @reciprocal.x : tensor<3x7xf32> = #train.zeros
  train.func @reciprocal() -> tensor<3x7xf32> {
    %x = train.read @reciprocal.x : tensor<3x7xf32>
    %r = train.reciprocal %x : tensor<3x7xf32>
    train.return %r : tensor<3x7xf32>
  }
  train.export @reciprocal as "reciprocal"
  train.func @reciprocal.loss(%weight: tensor<3x7xf32>) -> tensor<f32> {
    %x = train.read @reciprocal.x : tensor<3x7xf32>
    %r = train.reciprocal %x : tensor<3x7xf32>
    %p = train.mul %r, %weight : tensor<3x7xf32>, tensor<3x7xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<3x7xf32>
    train.return %s : tensor<f32>
  }
  train.step @reciprocal.fit minimize @reciprocal.loss over [@reciprocal.x] with #train.sgd<lr = 1.0>
  train.param @exp.x : tensor<3x7xf32> = #train.zeros
  train.func @exp() -> tensor<3x7xf32> {
    %x = train.read @exp.x : tensor<3x7xf32>
    %r = train.exp %x : tensor<3x7xf32>
    train.return %r : tensor<3x7xf32>
  }
  train.export @exp as "exp"
  train.func @exp.loss(%weight: tensor<3x7xf32>) -> tensor<f32> {
    %x = train.read @exp.x : tensor<3x7xf32>
    %r = train.exp %x : tensor<3x7xf32>
    %p = train.mul %r, %weight : tensor<3x7xf32>, tensor<3x7xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<3x7xf32>
    train.return %s : tensor<f32>
  }
  train.step @exp.fit minimize @exp.loss over [@exp.x] with #train.sgd<lr = 1.0>
  train.param @log.x : tensor<3x7xf32> = #train.zeros
  train.func @log() -> tensor<3x7xf32> {
    %x = train.read @log.x : tensor<3x7xf32>
    %r = train.log %x : tensor<3x7xf32>
    train.return %r : tensor<3x7xf32>
  }
  train.export @log as "log"
  train.func @log.loss(%weight: tensor<3x7xf32>) -> tensor<f32> {
    %x = train.read @log.x : tensor<3x7xf32>
    %r = train.log %x : tensor<3x7xf32>
    %p = train.mul %r, %weight : tensor<3x7xf32>, tensor<3x7xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<3x7xf32>
    train.return %s : tensor<f32>
  }
  train.step @log.fit minimize @log.loss over [@log.x] with #train.sgd<lr = 1.0>
  train.param @log1p.x : tensor<3x7xf32> = #train.zeros
  train.func @log1p() -> tensor<3x7xf32> {
    %x = train.read @log1p.x : tensor<3x7xf32>
    %r = train.log1p %x : tensor<3x7xf32>
    train.return %r : tensor<3x7xf32>
  }
  train.export @log1p as "log1p"
  train.func @log1p.loss(%weight: tensor<3x7xf32>) -> tensor<f32> {
    %x = train.read @log1p.x : tensor<3x7xf32>
    %r = train.log1p %x : tensor<3x7xf32>
    %p = train.mul %r, %weight : tensor<3x7xf32>, tensor<3x7xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<3x7xf32>
    train.return %s : tensor<f32>
  }
  train.step @log1p.fit minimize @log1p.loss over [@log1p.x] with #train.sgd<lr = 1.0>
  train.param @sin.x : tensor<3x7xf32> = #train.zeros
  train.func @sin() -> tensor<3x7xf32> {
    %x = train.read @sin.x : tensor<3x7xf32>
    %r = train.sin %x : tensor<3x7xf32>
    train.return %r : tensor<3x7xf32>
  }
  train.export @sin as "sin"
  train.func @sin.loss(%weight: tensor<3x7xf32>) -> tensor<f32> {
    %x = train.read @sin.x : tensor<3x7xf32>
    %r = train.sin %x : tensor<3x7xf32>
    %p = train.mul %r, %weight : tensor<3x7xf32>, tensor<3x7xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<3x7xf32>
    train.return %s : tensor<f32>
  }
  train.step @sin.fit minimize @sin.loss over [@sin.x] with #train.sgd<lr = 1.0>
  train.param @cos.x : tensor<3x7xf32> = #train.zeros
  train.func @cos() -> tensor<3x7xf32> {
    %x = train.read @cos.x : tensor<3x7xf32>
    %r = train.cos %x : tensor<3x7xf32>
    train.return %r : tensor<3x7xf32>
  }
  train.export @cos as "cos"
  train.func @cos.loss(%weight: tensor<3x7xf32>) -> tensor<f32> {
    %x = train.read @cos.x : tensor<3x7xf32>
    %r = train.cos %x : tensor<3x7xf32>
    %p = train.mul %r, %weight : tensor<3x7xf32>, tensor<3x7xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<3x7xf32>
    train.return %s : tensor<f32>
  }
  train.step @cos.fit minimize @cos.loss over [@cos.x] with #train.sgd<lr = 1.0>
  train.param @erf.x : tensor<2x5xf32> = #train.zeros
  train.func @erf() -> tensor<2x5xf32> {
    %x = train.read @erf.x : tensor<2x5xf32>
    %r = train.erf %x : tensor<2x5xf32>
    train.return %r : tensor<2x5xf32>
  }
  train.export @erf as "erf"
  train.func @erf.loss(%weight: tensor<2x5xf32>) -> tensor<f32> {
    %x = train.read @erf.x : tensor<2x5xf32>
    %r = train.erf %x : tensor<2x5xf32>
    %p = train.mul %r, %weight : tensor<2x5xf32>, tensor<2x5xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<2x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @erf.fit minimize @erf.loss over [@erf.x] with #train.sgd<lr = 1.0>
  train.param @tanh.x : tensor<2x5xf32> = #train.zeros
  train.func @tanh() -> tensor<2x5xf32> {
    %x = train.read @tanh.x : tensor<2x5xf32>
    %r = train.tanh %x : tensor<2x5xf32>
    train.return %r : tensor<2x5xf32>
  }
  train.export @tanh as "tanh"
  train.func @tanh.loss(%weight: tensor<2x5xf32>) -> tensor<f32> {
    %x = train.read @tanh.x : tensor<2x5xf32>
    %r = train.tanh %x : tensor<2x5xf32>
    %p = train.mul %r, %weight : tensor<2x5xf32>, tensor<2x5xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<2x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @tanh.fit minimize @tanh.loss over [@tanh.x] with #train.sgd<lr = 1.0>
  train.param @sigmoid.x : tensor<2x5xf32> = #train.zeros
  train.func @sigmoid() -> tensor<2x5xf32> {
    %x = train.read @sigmoid.x : tensor<2x5xf32>
    %r = train.sigmoid %x : tensor<2x5xf32>
    train.return %r : tensor<2x5xf32>
  }
  train.export @sigmoid as "sigmoid"
  train.func @sigmoid.loss(%weight: tensor<2x5xf32>) -> tensor<f32> {
    %x = train.read @sigmoid.x : tensor<2x5xf32>
    %r = train.sigmoid %x : tensor<2x5xf32>
    %p = train.mul %r, %weight : tensor<2x5xf32>, tensor<2x5xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<2x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @sigmoid.fit minimize @sigmoid.loss over [@sigmoid.x] with #train.sgd<lr = 1.0>
  train.param @relu.x : tensor<2x5xf32> = #train.zeros
  train.func @relu() -> tensor<2x5xf32> {
    %x = train.read @relu.x : tensor<2x5xf32>
    %r = train.relu %x : tensor<2x5xf32>
    train.return %r : tensor<2x5xf32>
  }
  train.export @relu as "relu"
  train.func @relu.loss(%weight: tensor<2x5xf32>) -> tensor<f32> {
    %x = train.read @relu.x : tensor<2x5xf32>
    %r = train.relu %x : tensor<2x5xf32>
    %p = train.mul %r, %weight : tensor<2x5xf32>, tensor<2x5xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<2x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @relu.fit minimize @relu.loss over [@relu.x] with #train.sgd<lr = 1.0>
  train.param @leaky_relu.x : tensor<2x5xf32> = #train.zeros
  train.func @leaky_relu() -> tensor<2x5xf32> {
    %x = train.read @leaky_relu.x : tensor<2x5xf32>
    %r = train.leaky_relu %x slope 0.1 : tensor<2x5xf32>
    train.return %r : tensor<2x5xf32>
  }
  train.export @leaky_relu as "leaky_relu"
  train.func @leaky_relu.loss(%weight: tensor<2x5xf32>) -> tensor<f32> {
    %x = train.read @leaky_relu.x : tensor<2x5xf32>
    %r = train.leaky_relu %x slope 0.1 : tensor<2x5xf32>
    %p = train.mul %r, %weight : tensor<2x5xf32>, tensor<2x5xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<2x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @leaky_relu.fit minimize @leaky_relu.loss over [@leaky_relu.x] with #train.sgd<lr = 1.0>
  train.param @clamp.x : tensor<2x5xf32> = #train.zeros
  train.func @clamp() -> tensor<2x5xf32> {
    %x = train.read @clamp.x : tensor<2x5xf32>
    %r = train.clamp %x from -1.5 to 2.0 : tensor<2x5xf32>
    train.return %r : tensor<2x5xf32>
  }
  train.export @clamp as "clamp"
  train.func @clamp.loss(%weight: tensor<2x5xf32>) -> tensor<f32> {
    %x = train.read @clamp.x : tensor<2x5xf32>
    %r = train.clamp %x from -1.5 to 2.0 : tensor<2x5xf32>
    %p = train.mul %r, %weight : tensor<2x5xf32>, tensor<2x5xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<2x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @clamp.fit minimize @clamp.loss over [@clamp.x] with #train.sgd<lr = 1.0>
  train.param @gelu.x : tensor<2x5xf32> = #train.zeros
  train.func @gelu() -> tensor<2x5xf32> {
    %x = train.read @gelu.x : tensor<2x5xf32>
    %r = train.gelu %x : tensor<2x5xf32>
    train.return %r : tensor<2x5xf32>
  }
  train.export @gelu as "gelu"
  train.func @gelu.loss(%weight: tensor<2x5xf32>) -> tensor<f32> {
    %x = train.read @gelu.x : tensor<2x5xf32>
    %r = train.gelu %x : tensor<2x5xf32>
    %p = train.mul %r, %weight : tensor<2x5xf32>, tensor<2x5xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<2x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @gelu.fit minimize @gelu.loss over [@gelu.x] with #train.sgd<lr = 1.0>
  train.param @gelu_tanh.x : tensor<2x5xf32> = #train.zeros
  train.func @gelu_tanh() -> tensor<2x5xf32> {
    %x = train.read @gelu_tanh.x : tensor<2x5xf32>
    %r = train.gelu_tanh %x : tensor<2x5xf32>
    train.return %r : tensor<2x5xf32>
  }
  train.export @gelu_tanh as "gelu_tanh"
  train.func @gelu_tanh.loss(%weight: tensor<2x5xf32>) -> tensor<f32> {
    %x = train.read @gelu_tanh.x : tensor<2x5xf32>
    %r = train.gelu_tanh %x : tensor<2x5xf32>
    %p = train.mul %r, %weight : tensor<2x5xf32>, tensor<2x5xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<2x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @gelu_tanh.fit minimize @gelu_tanh.loss over [@gelu_tanh.x] with #train.sgd<lr = 1.0>
  train.param @silu.x : tensor<2x5xf32> = #train.zeros
  train.func @silu() -> tensor<2x5xf32> {
    %x = train.read @silu.x : tensor<2x5xf32>
    %r = train.silu %x : tensor<2x5xf32>
    train.return %r : tensor<2x5xf32>
  }
  train.export @silu as "silu"
  train.func @silu.loss(%weight: tensor<2x5xf32>) -> tensor<f32> {
    %x = train.read @silu.x : tensor<2x5xf32>
    %r = train.silu %x : tensor<2x5xf32>
    %p = train.mul %r, %weight : tensor<2x5xf32>, tensor<2x5xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<2x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @silu.fit minimize @silu.loss over [@silu.x] with #train.sgd<lr = 1.0>
  train.param @softplus.x : tensor<2x5xf32> = #train.zeros
  train.func @softplus() -> tensor<2x5xf32> {
    %x = train.read @softplus.x : tensor<2x5xf32>
    %r = train.softplus %x : tensor<2x5xf32>
    train.return %r : tensor<2x5xf32>
  }
  train.export @softplus as "softplus"
  train.func @softplus.loss(%weight: tensor<2x5xf32>) -> tensor<f32> {
    %x = train.read @softplus.x : tensor<2x5xf32>
    %r = train.softplus %x : tensor<2x5xf32>
    %p = train.mul %r, %weight : tensor<2x5xf32>, tensor<2x5xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<2x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @softplus.fit minimize @softplus.loss over [@softplus.x] with #train.sgd<lr = 1.0>
  train.param @softmax.x : tensor<2x5xf32> = #train.zeros
  train.func @softmax() -> tensor<2x5xf32> {
    %x = train.read @softmax.x : tensor<2x5xf32>
    %r = train.softmax %x : tensor<2x5xf32>
    train.return %r : tensor<2x5xf32>
  }
  train.export @softmax as "softmax"
  train.func @softmax.loss(%weight: tensor<2x5xf32>) -> tensor<f32> {
    %x = train.read @softmax.x : tensor<2x5xf32>
    %r = train.softmax %x : tensor<2x5xf32>
    %p = train.mul %r, %weight : tensor<2x5xf32>, tensor<2x5xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<2x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @softmax.fit minimize @softmax.loss over [@softmax.x] with #train.sgd<lr = 1.0>
  train.param @log_softmax.x : tensor<2x5xf32> = #train.zeros
  train.func @log_softmax() -> tensor<2x5xf32> {
    %x = train.read @log_softmax.x : tensor<2x5xf32>
    %r = train.log_softmax %x : tensor<2x5xf32>
    train.return %r : tensor<2x5xf32>
  }
  train.export @log_softmax as "log_softmax"
  train.func @log_softmax.loss(%weight: tensor<2x5xf32>) -> tensor<f32> {
    %x = train.read @log_softmax.x : tensor<2x5xf32>
    %r = train.log_softmax %x : tensor<2x5xf32>
    %p = train.mul %r, %weight : tensor<2x5xf32>, tensor<2x5xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<2x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @log_softmax.fit minimize @log_softmax.loss over [@log_softmax.x] with #train.sgd<lr = 1.0>
  train.param @floor.x : tensor<3x7xf32> = #train.zeros {frozen}
  train.func @floor() -> tensor<3x7xf32> {
    %x = train.read @floor.x : tensor<3x7xf32>
    %r = train.floor %x : tensor<3x7xf32>
    train.return %r : tensor<3x7xf32>
  }
  train.export @floor as "floor"
  train.param @add.a : tensor<4x3x5xf32> = #train.zeros
  train.param @add.b : tensor<3x1xf32> = #train.zeros
  train.func @add() -> tensor<4x3x5xf32> {
    %a = train.read @add.a : tensor<4x3x5xf32>
    %b = train.read @add.b : tensor<3x1xf32>
    %r = train.add %a, %b : tensor<4x3x5xf32>, tensor<3x1xf32>
    train.return %r : tensor<4x3x5xf32>
  }
  train.export @add as "add"
  train.func @add.loss(%weight: tensor<4x3x5xf32>) -> tensor<f32> {
    %a = train.read @add.a : tensor<4x3x5xf32>
    %b = train.read @add.b : tensor<3x1xf32>
    %r = train.add %a, %b : tensor<4x3x5xf32>, tensor<3x1xf32>
    %p = train.mul %r, %weight : tensor<4x3x5xf32>, tensor<4x3x5xf32>
    %s = train.reduce_sum %p over [0, 1, 2] : tensor<4x3x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @add.fit minimize @add.loss over [@add.a, @add.b] with #train.sgd<lr = 1.0>
  train.param @sub.a : tensor<4x3x5xf32> = #train.zeros
  train.param @sub.b : tensor<3x1xf32> = #train.zeros
  train.func @sub() -> tensor<4x3x5xf32> {
    %a = train.read @sub.a : tensor<4x3x5xf32>
    %b = train.read @sub.b : tensor<3x1xf32>
    %r = train.sub %a, %b : tensor<4x3x5xf32>, tensor<3x1xf32>
    train.return %r : tensor<4x3x5xf32>
  }
  train.export @sub as "sub"
  train.func @sub.loss(%weight: tensor<4x3x5xf32>) -> tensor<f32> {
    %a = train.read @sub.a : tensor<4x3x5xf32>
    %b = train.read @sub.b : tensor<3x1xf32>
    %r = train.sub %a, %b : tensor<4x3x5xf32>, tensor<3x1xf32>
    %p = train.mul %r, %weight : tensor<4x3x5xf32>, tensor<4x3x5xf32>
    %s = train.reduce_sum %p over [0, 1, 2] : tensor<4x3x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @sub.fit minimize @sub.loss over [@sub.a, @sub.b] with #train.sgd<lr = 1.0>
  train.param @mul.a : tensor<4x3x5xf32> = #train.zeros
  train.param @mul.b : tensor<3x1xf32> = #train.zeros
  train.func @mul() -> tensor<4x3x5xf32> {
    %a = train.read @mul.a : tensor<4x3x5xf32>
    %b = train.read @mul.b : tensor<3x1xf32>
    %r = train.mul %a, %b : tensor<4x3x5xf32>, tensor<3x1xf32>
    train.return %r : tensor<4x3x5xf32>
  }
  train.export @mul as "mul"
  train.func @mul.loss(%weight: tensor<4x3x5xf32>) -> tensor<f32> {
    %a = train.read @mul.a : tensor<4x3x5xf32>
    %b = train.read @mul.b : tensor<3x1xf32>
    %r = train.mul %a, %b : tensor<4x3x5xf32>, tensor<3x1xf32>
    %p = train.mul %r, %weight : tensor<4x3x5xf32>, tensor<4x3x5xf32>
    %s = train.reduce_sum %p over [0, 1, 2] : tensor<4x3x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @mul.fit minimize @mul.loss over [@mul.a, @mul.b] with #train.sgd<lr = 1.0>
  train.param @div.a : tensor<4x3x5xf32> = #train.zeros
  train.param @div.b : tensor<3x1xf32> = #train.zeros
  train.func @div() -> tensor<4x3x5xf32> {
    %a = train.read @div.a : tensor<4x3x5xf32>
    %b = train.read @div.b : tensor<3x1xf32>
    %r = train.div %a, %b : tensor<4x3x5xf32>, tensor<3x1xf32>
    train.return %r : tensor<4x3x5xf32>
  }
  train.export @div as "div"
  train.func @div.loss(%weight: tensor<4x3x5xf32>) -> tensor<f32> {
    %a = train.read @div.a : tensor<4x3x5xf32>
    %b = train.read @div.b : tensor<3x1xf32>
    %r = train.div %a, %b : tensor<4x3x5xf32>, tensor<3x1xf32>
    %p = train.mul %r, %weight : tensor<4x3x5xf32>, tensor<4x3x5xf32>
    %s = train.reduce_sum %p over [0, 1, 2] : tensor<4x3x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @div.fit minimize @div.loss over [@div.a, @div.b] with #train.sgd<lr = 1.0>
  train.param @pow.a : tensor<4x3x5xf32> = #train.zeros
  train.param @pow.b : tensor<3x1xf32> = #train.zeros
  train.func @pow() -> tensor<4x3x5xf32> {
    %a = train.read @pow.a : tensor<4x3x5xf32>
    %b = train.read @pow.b : tensor<3x1xf32>
    %r = train.pow %a, %b : tensor<4x3x5xf32>, tensor<3x1xf32>
    train.return %r : tensor<4x3x5xf32>
  }
  train.export @pow as "pow"
  train.func @pow.loss(%weight: tensor<4x3x5xf32>) -> tensor<f32> {
    %a = train.read @pow.a : tensor<4x3x5xf32>
    %b = train.read @pow.b : tensor<3x1xf32>
    %r = train.pow %a, %b : tensor<4x3x5xf32>, tensor<3x1xf32>
    %p = train.mul %r, %weight : tensor<4x3x5xf32>, tensor<4x3x5xf32>
    %s = train.reduce_sum %p over [0, 1, 2] : tensor<4x3x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @pow.fit minimize @pow.loss over [@pow.a, @pow.b] with #train.sgd<lr = 1.0>
  train.param @maximum.a : tensor<2x3xf32> = #train.zeros
  train.param @maximum.b : tensor<3xf32> = #train.zeros
  train.func @maximum() -> tensor<2x3xf32> {
    %a = train.read @maximum.a : tensor<2x3xf32>
    %b = train.read @maximum.b : tensor<3xf32>
    %r = train.maximum %a, %b : tensor<2x3xf32>, tensor<3xf32>
    train.return %r : tensor<2x3xf32>
  }
  train.export @maximum as "maximum"
  train.func @maximum.loss(%weight: tensor<2x3xf32>) -> tensor<f32> {
    %a = train.read @maximum.a : tensor<2x3xf32>
    %b = train.read @maximum.b : tensor<3xf32>
    %r = train.maximum %a, %b : tensor<2x3xf32>, tensor<3xf32>
    %p = train.mul %r, %weight : tensor<2x3xf32>, tensor<2x3xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<2x3xf32>
    train.return %s : tensor<f32>
  }
  train.step @maximum.fit minimize @maximum.loss over [@maximum.a, @maximum.b] with #train.sgd<lr = 1.0>
  train.param @minimum.a : tensor<2x3xf32> = #train.zeros
  train.param @minimum.b : tensor<3xf32> = #train.zeros
  train.func @minimum() -> tensor<2x3xf32> {
    %a = train.read @minimum.a : tensor<2x3xf32>
    %b = train.read @minimum.b : tensor<3xf32>
    %r = train.minimum %a, %b : tensor<2x3xf32>, tensor<3xf32>
    train.return %r : tensor<2x3xf32>
  }
  train.export @minimum as "minimum"
  train.func @minimum.loss(%weight: tensor<2x3xf32>) -> tensor<f32> {
    %a = train.read @minimum.a : tensor<2x3xf32>
    %b = train.read @minimum.b : tensor<3xf32>
    %r = train.minimum %a, %b : tensor<2x3xf32>, tensor<3xf32>
    %p = train.mul %r, %weight : tensor<2x3xf32>, tensor<2x3xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<2x3xf32>
    train.return %s : tensor<f32>
  }
  train.step @minimum.fit minimize @minimum.loss over [@minimum.a, @minimum.b] with #train.sgd<lr = 1.0>
  train.param @select.a : tensor<4x5xf32> = #train.zeros
  train.param @select.b : tensor<5xf32> = #train.zeros
  train.func @select(%c: tensor<4x5xi1>) -> tensor<4x5xf32> {
    %a = train.read @select.a : tensor<4x5xf32>
    %b = train.read @select.b : tensor<5xf32>
    %r = train.select %c, %a, %b : tensor<4x5xi1>, tensor<4x5xf32>, tensor<5xf32>
    train.return %r : tensor<4x5xf32>
  }
  train.export @select as "select"
  train.func @select.loss(%c: tensor<4x5xi1>, %weight: tensor<4x5xf32>) -> tensor<f32> {
    %a = train.read @select.a : tensor<4x5xf32>
    %b = train.read @select.b : tensor<5xf32>
    %r = train.select %c, %a, %b : tensor<4x5xi1>, tensor<4x5xf32>, tensor<5xf32>
    %p = train.mul %r, %weight : tensor<4x5xf32>, tensor<4x5xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<4x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @select.fit minimize @select.loss over [@select.a, @select.b] with #train.sgd<lr = 1.0>
}
