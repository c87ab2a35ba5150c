// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps with loops: h grows by its square in every round, or a row of the data stands out.
train.model @loops(batch = 4, time = 12, width = 3) {
  train.param @w : f32[width, width] = #train.xavier_uniform
  train.func @grow(%x: f32[batch, time, width], %h0: f32[batch, width]) {
    %rows = train.transpose %x [1, 0, 2]
    %up = train.scan carry %h = %h0 over %r = %rows {
      %d = train.square %h
      %t = train.mul %d, %r
      %s = train.add %h, %t
      train.next %s
    }
    %p = train.matmul %up, %w
    %l = train.reduce_mean %p over [0, 1]
    train.return %l
  }
  train.func @back(%x: f32[batch, time, width], %h0: f32[batch, width]) {
    %rows = train.transpose %x [1, 0, 2]
    %last, %all = train.scan carry %h = %h0 over %r = %rows reverse {
      %p = train.matmul %h, %w
      %g = train.log %r
      %q = train.mul %p, %g
      %n = train.tanh %q
      train.next %n each %q
    }
    %l = train.reduce_mean %all over [0, 1, 2]
    train.return %l
  }
  train.func @steep(%x: f32[batch, time, width], %h0: f32[batch, width]) {
    %rows = train.transpose %x [1, 0, 2]
    %tiny = train.constant dense<1.0e-35> : tensor<f32>
    %last, %all = train.scan carry %h = %h0 over %r = %rows {
      %p = train.matmul %h, %w
      %n = train.tanh %p
      %a = train.mul %p, %tiny
      %b = train.mul %a, %r
      %c = train.mul %b, %r
      train.next %n each %c
    }
    %l = train.reduce_mean %all over [0, 1, 2]
    train.return %l
  }
  train.func @nested(%x: f32[batch, time, width], %h0: f32[batch, width]) {
    %rows = train.transpose %x [1, 0, 2]
    %blocks = train.reshape %rows to [2, 6, batch, width]
    %last = train.scan carry %h = %h0 over %b = %blocks {
      %p = train.matmul %h, %w
      %in = train.scan carry %k = %p over %r = %b reverse {
        %g = train.log %r
        %q = train.mul %k, %g
        %n = train.tanh %q
        train.next %n
      }
      train.next %in
    }
    %l = train.reduce_mean %last over [0, 1]
    train.return %l
  }
  train.step @fit_grow minimize @grow over all with #train.sgd<lr = 0.01>
  train.step @fit_back minimize @back over all with #train.sgd<lr = 0.01>
  train.step @fit_steep minimize @steep over all with #train.sgd<lr = 0.01>
  train.step @fit_nested minimize @nested over all with #train.sgd<lr = 0.01>
}
