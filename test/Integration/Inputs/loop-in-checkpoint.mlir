// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop in a function that is a checkpoint.
train.model @around(batch = 4, time = 9, width = 8) {
  train.param @w : f32[width, width] = #train.xavier_uniform
  train.func @states(%x: f32[time, batch, width], %h0: f32[batch, width]) {
    %last, %all = train.scan carry %h = %h0 over %r = %x {
      %p = train.matmul %h, %w
      %s = train.add %p, %r
      %t = train.tanh %s
      train.next %t each %t
    }
    train.return %all
  }
  train.func @loss(%x: f32[batch, time, width], %h0: f32[batch, width]) {
    %rows = train.transpose %x [1, 0, 2]
    %y = train.call @states(%rows, %h0) checkpoint
    %q = train.square %y
    %l = train.reduce_mean %q over [0, 1, 2]
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}
