// Loops whose blocks become programs: parameters as initial values that are read otherwise too, one initial value twice, values carried
// unchanged, without effect or in turns, predicates, numbers of rows, nothing carried, nothing kept, nested, in both directions, and the gradient of a gradient.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @calls(batch = 4, time = 5, inner = 6, width = 8) {
  train.param @w : f32[width, width] = #train.normal<std = 0.3>
  train.param @u : f32[width, width] = #train.normal<std = 0.3>
  train.param @v : f32[width] = #train.normal<std = 0.3>
  train.param @start : f32[batch, width] = #train.normal<std = 0.3>
  train.param @z : f32[inner, batch, width] = #train.normal<std = 0.3>
  train.param @wx : f32[width, 4 * width] = #train.xavier_uniform
  train.param @wh : f32[width, 4 * width] = #train.xavier_uniform
  train.param @b : f32[4 * width] = #train.zeros
  train.param @gx : f32[width, 3 * width] = #train.xavier_uniform
  train.param @gh : f32[width, 3 * width] = #train.xavier_uniform
  train.func @energy(%x: f32[time, batch, width], %h: f32[batch, width]) {
    %l, %all = train.scan carry %a = %h over %r = %x {
      %m = train.matmul %a, %w
      %q = train.add %m, %r
      %n = train.tanh %q
      train.next %n each %n
    }
    %s = train.square %all
    %e = train.reduce_mean %s over [0, 1, 2]
    train.return %e
  }
  train.func @states(%x: f32[time, batch, width], %n: i32[batch]) {
    // Equal initial values, of a parameter that every round reads too; the rows that are kept are read, the last values are not.
    %h0, %k0, %hs = train.scan carry %h = %start, %k = %start over %r = %x {
      %m = train.matmul %h, %w
      %p = train.mul %k, %start
      %q = train.add %m, %p
      %s = train.add %q, %r
      %t = train.tanh %s
      %k1 = train.sub %k, %t
      train.next %t, %k1 each %t
    }
    // A value carried unchanged, a value without effect, kept values without readers, a predicate, and the number of the row.
    %zero = train.constant dense<0.0> : tensor<f32>
    %positive = train.compare gt %start, %zero
    %a, %same, %lost, %flag, %none, %some = train.scan carry %h = %start, %c = %v, %d = %start, %f = %positive over %r = %hs reverse index %i {
      %number = train.cast %i to f32
      %ten = train.constant dense<10.0> : tensor<f32>
      %share = train.div %number, %ten
      %p = train.add %h, %c
      %q = train.select %f, %p, %r
      %o = train.add %q, %share
      %t = train.tanh %o
      %g = train.compare gt %r, %t
      %e = train.mul %d, %d
      train.next %t, %c, %e, %g each %p, %t
    }
    // Nothing is carried; the kept value is one from outside, and one row twice.
    %k1s, %k2s, %k3s = train.scan over %r = %some {
      %m = train.matmul %r, %u transpose_rhs
      %t = train.sin %m
      train.next each %t, %t, %v
    }
    // Nested, over rows that each round makes; values change places; nothing is kept outside.
    %b1, %b2 = train.scan carry %h = %a, %k = %start over %r = %k1s, %o = %k2s {
      %l, %ls = train.scan carry %c = %h over %y = %z reverse {
        %m = train.mul %y, %r
        %p = train.matmul %m, %w
        %q = train.add %p, %c
        %t = train.tanh %q
        train.next %t each %t
      }
      %s = train.reduce_mean %ls over [0]
      %d = train.add %s, %o
      train.next %k, %d
    }
    // Predicates of each round are read behind the loop.
    %t0 = train.select %flag, %b1, %b2
    %y0, %l0, %l1 = train.lstm %k1s, %wx, %wh, %b lengths %n
    %y1, %l2 = train.gru %y0, %gx, %gh lengths %n reset_after reverse
    %y2, %l3 = train.rnn %y1, %u, %w, %v from %t0 activation relu
    %e1 = train.reduce_mean %y2 over [0]
    %e2 = train.reduce_mean %k3s over [0]
    %e3 = train.add %e1, %l0
    %e4 = train.add %e3, %l1
    %e5 = train.add %e4, %l2
    %e6 = train.add %e5, %l3
    %e7 = train.add %e6, %e2
    %e8 = train.add %e7, %same
    train.return %e8, %k0, %some
  }
  train.func @loss(%x: f32[time, batch, width], %n: i32[batch]) {
    %e, %k, %some = train.call @states(%x, %n)
    %energy = train.call @energy(%some, %e)
    %force, %push = train.grad %energy wrt %some, %e
    %q1 = train.square %force
    %q2 = train.square %push
    %parts1 = train.reduce_sum %q1 over [0, 1, 2]
    %parts2 = train.reduce_sum %q2 over [0, 1]
    %t0 = train.reduce_sum %e over [0, 1]
    %t1 = train.reduce_mean %k over [0, 1]
    %s0 = train.add %t0, %t1
    %s1 = train.add %s0, %parts1
    %s2 = train.add %s1, %parts2
    train.return %s2
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.01>
  train.export @states as "states"
}
