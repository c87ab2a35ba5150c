// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @m {
  train.knob @rate = 0.25 in [0.0, 0.9]
  train.param @w : f32[5] = #train.kaiming_uniform<fan_in = 5>
  train.func @loss(%x: f32[5]) {
    %0 = train.mul %x, %w
    %1 = train.reduce_sum %0 over [0]
    %2 = train.dropout %1 rate @rate
    train.return %2
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
}
