// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @line(batch = 4, width = 2, beta = 0.5, rate = 0.125, step = rate / 2, decay = 0.0) {
  train.param @w : f32[width] = #train.ones
  train.func @scores(%x: f32[batch, width], %i: i32[batch]) {
    %a = train.mul %x, beta
    %b = train.maximum %a, 0
    %c = train.sub 1.0, %b
    %m = train.compare ge %i, 2 * width
    %r = train.reshape %m to [batch, 1]
    %d = train.select %r, -1.5, %c
    %e = train.leaky_relu %d slope beta / 4
    %f = train.mul %e, %w
    %k = train.constant [0.25, 1 - beta] : f32[width]
    %g = train.add %f, %k
    %n = train.maximum %i, 3
    %p = train.reshape %n to [batch, 1]
    %q = train.cast %p to f32
    %t = train.mul 1 / 8, %q
    %y = train.add %g, %t
    train.return %y
  }
  train.func @loss(%x: f32[batch, width], %i: i32[batch]) {
    %y = train.call @scores(%x, %i)
    %q = train.mul %y, %y
    %s = train.reduce_sum %q over [0, 1]
    %l = train.mul %s, step
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = rate, momentum = decay>
  train.export @scores as "predict"
}
