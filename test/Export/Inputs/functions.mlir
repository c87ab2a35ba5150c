// Elementwise functions that are a node of ONNX, and some that are several nodes: reals, gaps between elements, and losses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @functions(batch = 4) {
  train.param @slope : f32[7] = #train.normal<mean = 0.25, std = 0.1>
  train.param @factor : f32[7] = #train.normal<mean = 1.0, std = 0.3>
  train.param @up : f32[2, 3, 3, 2] = #train.kaiming_normal
  train.func @values(%x: f32[batch, 7]) {
    %scaled = train.mul %x, %factor
    %small = train.tanh %scaled
    %asin = train.asin %small
    %acos = train.acos %small
    %atanh = train.atanh %small
    %atan = train.atan %scaled
    %sinh = train.sinh %x
    %cosh = train.cosh %x
    %asinh = train.asinh %x
    %acosh = train.acosh %cosh
    %tan = train.tan %small
    %expm1 = train.expm1 %x
    %y = train.concat %asin, %acos, %atanh, %atan, %sinh, %asinh, %acosh, %tan, %expm1 along 1
    train.return %y
  }
  train.func @steps(%x: f32[batch, 7]) {
    %wide = train.add %x, %x
    %ceil = train.ceil %wide
    %round = train.round %wide
    %sign = train.sign %x
    %fmod = train.fmod %wide, %factor
    %mod = train.mod %wide, %factor
    %y = train.concat %ceil, %round, %sign, %fmod, %mod along 1
    train.return %y
  }
  train.func @truths(%x: f32[batch, 7], %target: f32[batch, 7]) {
    %a = train.compare gt %x, %target
    %b = train.compare lt %x, %slope
    %both = train.logical_and %a, %b
    %one = train.logical_or %a, %b
    %other = train.logical_xor %a, %b
    %none = train.logical_not %a
    %larger = train.maximum %a, %b
    %smaller = train.minimum %a, %b
    %logic = train.concat %both, %one, %other, %none, %larger, %smaller along 1
    %sum = train.add %a, %b
    %difference = train.sub %a, %b
    %product = train.mul %a, %b
    %quotient = train.div %a, %b
    %negative = train.neg %a
    %magnitude = train.abs %b
    %modulo = train.concat %sum, %difference, %product, %quotient, %negative, %magnitude along 1
    %eq = train.compare eq %a, %b
    %ne = train.compare ne %a, %b
    %lt = train.compare lt %a, %b
    %le = train.compare le %a, %b
    %gt = train.compare gt %a, %b
    %ge = train.compare ge %a, %b
    %order = train.concat %eq, %ne, %lt, %le, %gt, %ge along 1
    %all = train.concat %logic, %modulo, %order along 1
    %z = train.cast %all to f32
    train.return %z
  }
  train.func @activations(%x: f32[batch, 7]) {
    %elu = train.elu %x alpha 1.3
    %celu = train.celu %x alpha 0.8
    %selu = train.selu %x
    %prelu = train.prelu %x, %slope
    %hardsigmoid = train.hardsigmoid %x slope 0.2
    %hardswish = train.hardswish %x
    %mish = train.mish %x
    %softsign = train.softsign %x
    %y = train.concat %elu, %celu, %selu, %prelu, %hardsigmoid, %hardswish, %mish, %softsign along 1
    train.return %y
  }
  train.func @gaps(%x: f32[batch, 3, 4, 2]) {
    %y = train.conv_transpose %x, %up strides [3, 2] padding [1, 0, 0, 1] output_padding [2, 1]
    %z = train.pad %y value 0.5 low [0, 1, 0, 0] high [0, 0, 2, 0] interior [0, 2, 1, 0]
    train.return %z
  }
  train.func @means(%line: f32[batch, 3, 2], %volume: f32[batch, 3, 4, 2, 5]) {
    %a = train.global_avg_pool %line
    %b = train.global_avg_pool %volume
    train.return %a, %b
  }
  train.func @losses(%x: f32[batch, 7], %target: f32[batch, 7], %label: i32[batch]) {
    %share = train.sigmoid %target
    %huber = train.huber %x, %target delta 0.5
    %hinge = train.hinge %x, %target
    %kl = train.kl_div %x, %share
    %poisson = train.poisson_nll %x, %target
    %logs = train.log_softmax %x
    %nll = train.nll %logs, %label ignore 1
    train.return %huber, %hinge, %kl, %poisson, %nll
  }
  train.export @values as "values"
  train.export @steps as "steps"
  train.export @truths as "truths"
  train.export @activations as "activations"
  train.export @gaps as "gaps"
  train.export @means as "means"
  train.export @losses as "losses"
}
