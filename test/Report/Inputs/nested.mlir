// A loop of sixty rounds with a checkpoint every twelve: a loop over five blocks around a loop of twelve rounds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @nested(batch = 8, time = 60, width = 16) {
  train.param @w : f32[width, width] = #train.normal<std = 0.3>
  train.param @out : f32[width, width] = #train.normal<std = 0.3>
  train.func @loss(%x: f32[time, batch, width], %y: f32[time, batch, width], %h0: f32[batch, width]) {
    %h, %all = train.scan carry %k = %h0 over %r = %x checkpoint every 12 {
      %m = train.matmul %k, %w
      %s = train.add %m, %r
      %n = train.tanh %s
      train.next %n each %n
    }
    %z = train.linear %all, %out
    %l = train.mse %z, %y
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.5>
}
