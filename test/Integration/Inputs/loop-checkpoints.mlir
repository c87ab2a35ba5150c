// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops with checkpoints: CLAUSE is replaced. Random numbers, the number of the row, a weight read in front of the loop, and two loops in a loop.
train.model @checkpoints(batch = 8, time = 35, width = 16) {
  train.param @w : f32[width, width] = #train.xavier_uniform
  train.param @u : f32[width, width] = #train.xavier_uniform
  train.param @b : f32[width] = #train.fill<0.1>
  train.func @rounds(%x: f32[batch, time, width], %h0: f32[batch, width]) {
    %rows = train.transpose %x [1, 0, 2]
    %f = train.matmul %h0, %u
    %last, %all = train.scan carry %h = %f over %r = %rows index %i CLAUSE {
      %p = train.linear %r, %w, %b
      %d = train.matmul %h, %u
      %s = train.add %p, %d
      %t = train.tanh %s
      %o = train.dropout %t rate 0.2
      %e = train.cast %i to f32
      %g = train.sin %e
      %q = train.mul %o, %g
      %n = train.add %q, %t
      train.next %n each %q
    }
    %y = train.square %all
    %l = train.reduce_mean %y over [0, 1, 2]
    train.return %l
  }
  train.func @nested(%x: f32[batch, time, width], %h0: f32[batch, width]) {
    %rows = train.transpose %x [1, 0, 2]
    %blocks = train.reshape %rows to [7, 5, batch, width]
    %last = train.scan carry %h = %h0 over %block = %blocks CLAUSE {
      %d = train.matmul %h, %u
      %in = train.scan carry %k = %d over %r = %block CLAUSE {
        %p = train.linear %r, %w, %b
        %s = train.add %p, %k
        %t = train.tanh %s
        %v = train.sin %t
        train.next %v
      }
      %m = train.tanh %in
      train.next %m
    }
    %l = train.reduce_mean %last over [0, 1]
    train.return %l
  }
  train.func @both(%x: f32[batch, time, width], %h0: f32[batch, width]) {
    %a = train.call @rounds(%x, %h0)
    %c = train.call @nested(%x, %h0)
    %l = train.add %a, %c
    train.return %l
  }
  train.step @fit minimize @both over all with #train.sgd<lr = 0.1>
}
