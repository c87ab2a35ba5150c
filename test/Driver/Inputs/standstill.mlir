// Two layers, small updates, and a loss scale that never moves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @stuck(batch = 8) {
  amp.scaler @s = #amp.scaling<dynamic = false, initial = SCALE>
  train.param @w : f32[4, 4] = #train.ones
  train.param @u : f32[4, 4] = #train.ones
  train.func @loss(%x: f32[batch, 4], %y: f32[batch, 4]) {
    %h = train.linear %x, %w
    %p = train.linear %h, %u
    %l = train.mse %p, %y
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 1.0e-5> {amp.scaler = @s}
}
