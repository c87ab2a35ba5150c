// Losses of first and second derivatives, whose own gradients are third derivatives, against differences.
// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @check(batch = 7, width = 5) {
  train.param @x : f32[batch, 3] = #train.normal<mean = 0.0, std = 1.0>
  train.param @w1 : f32[3, width] = #train.normal<mean = 0.0, std = 0.5>
  train.param @b1 : f32[width] = #train.normal<mean = 0.0, std = 0.5>
  train.param @w2 : f32[width, 1] = #train.normal<mean = 0.0, std = 0.5>
  train.func @network(%at: f32[batch, 3]) {
    %0 = train.linear %at, %w1, %b1
    %1 = train.tanh %0
    %2 = train.linear %1, %w2
    train.return %2
  }
  train.func @loss(%weight: f32[batch, 3], %target: f32[batch, 3]) {
    %y = train.call @network(%x)
    %sum = train.reduce_sum %y over [0, 1]
    // Of a value from further up, of state, and again.
    %dx, %dw = train.grad %sum wrt %x, %w1
    %weighted = train.mul %dx, %weight
    %total = train.reduce_sum %weighted over [0, 1]
    %dxx = train.grad %total wrt %x
    %a = train.mse %dxx, %target
    %b = train.square %dw
    %c = train.reduce_mean %b over [0, 1]
    %d = train.add %a, %c
    train.return %d
  }
  train.step @all minimize @loss over [@x, @w1, @b1, @w2] with #train.sgd<lr = 0.1>
}
