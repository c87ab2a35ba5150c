// A batch that is as long as another dimension of an input, which is not cut.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @m(batch = 4, width = 4) {
  train.param @w : f32[width, 2] = #train.kaiming_uniform
  train.func @scores(%x: f32[batch, width]) {
    %h = train.reshape %x to [batch, width / 2, 2]
    %r = train.reshape %h to [batch, width]
    %y = train.matmul %r, %w
    train.return %y
  }
  train.func @loss(%x: f32[batch, width], %table: f32[width, 2], %y: f32[batch, 2]) {
    %p = train.call @scores(%x)
    %q = train.matmul %x, %table
    %s = train.add %p, %q
    %l = train.mse %s, %y
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
  train.export @scores as "one" batch 1
  train.export @scores as "many" batch 64
}
