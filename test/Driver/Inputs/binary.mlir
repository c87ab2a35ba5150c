// Scores of a single number for targets of 0 and 1.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @binary(batch = 4) {
  train.param @scale : f32[1] = #train.ones
  train.func @logits(%x: f32[batch, 1]) {
    %y = train.mul %x, %scale
    train.return %y
  }
  train.func @probabilities(%x: f32[batch, 1]) {
    %y = train.call @logits(%x)
    %p = train.sigmoid %y
    train.return %p
  }
  train.func @loss(%x: f32[batch, 1], %t: f32[batch, 1]) {
    %y = train.call @logits(%x)
    %l = train.bce_with_logits %y, %t
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
  train.export @logits as "predict"
}
