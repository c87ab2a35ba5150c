// Loops that are differentiated as loops: nested, in both directions, without a carried or without a kept value, over an index, with
// checkpoints, with captured values that only some rounds reach, and a gradient through a loop that is differentiated again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @loops(batch = 4, time = 5, inner = 3, width = 4) {
  train.param @w : f32[width, width] = #train.normal<std = 0.4>
  train.param @u : f32[width, width] = #train.normal<std = 0.4>
  train.param @v : f32[width] = #train.normal<std = 0.4>
  train.param @start : f32[batch, width] = #train.normal<std = 0.4>
  train.param @z : f32[inner, batch, width] = #train.normal<std = 0.4>
  train.func @cell(%h: f32[batch, width], %in: f32[batch, width]) {
    %p = train.matmul %h, %w
    %q = train.add %p, %in
    %r = train.add %q, %v
    %t = train.tanh %r
    train.return %t
  }
  train.func @energy(%x: f32[time, batch, width], %h: f32[batch, width]) {
    %l, %all = train.scan carry %a = %h over %r = %x {
      %n = train.call @cell(%a, %r)
      train.next %n each %n
    }
    %s = train.square %all
    %e = train.reduce_sum %s over [0, 1, 2]
    train.return %e
  }
  train.func @loss(%x: f32[time, batch, width], %zero: f32[batch, width]) {
    // The first carried value needs no gradient; the last is not read.
    %a, %as = train.scan carry %h = %zero over %r = %x {
      %n = train.call @cell(%h, %r)
      train.next %n each %n
    }
    // Two carried values change places; reversed, by checkpoints of two rounds, with a number per round.
    %b, %c, %bs = train.scan carry %h = %start, %k = %a over %r = %as, %s = %x reverse index %i checkpoint every 2 {
      %f = train.cast %i to f32
      %m = train.mul %r, %s
      %o = train.add %m, %f
      %n = train.matmul %h, %u
      %p = train.add %n, %o
      %q = train.tanh %p
      train.next %k, %q each %n
    }
    // Nested; the weight of the inner loop is a block of a product of weights.
    %d, %ds = train.scan carry %h = %b over %r = %bs {
      %l, %ls = train.scan carry %k = %h over %y = %z reverse {
        %m = train.mul %y, %r
        %n = train.call @cell(%k, %m)
        train.next %n each %n
      }
      %t = train.reduce_sum %ls over [0]
      train.next %l each %t
    }
    // Nothing is carried; nothing is kept; a sum of products is carried on purpose.
    %e = train.scan over %r = %ds {
      %m = train.matmul %r, %u
      %n = train.sin %m
      train.next each %n
    }
    %g, %g2 = train.scan carry %h = %c, %k = %w over %r = %e {
      %m = train.matmul %h, %k
      %n = train.tanh %m
      %p = train.matmul %r, %n transpose_lhs
      %o = train.add %k, %p
      train.next %n, %o
    }
    // A gradient through a loop, differentiated again; with respect to a parameter, and to the results of other loops.
    %energy = train.call @energy(%e, %b)
    %energy1 = train.call @energy(%as, %start)
    %both = train.add %energy, %energy1
    %force, %push, %pull = train.grad %both wrt %start, %e, %b
    %q = train.square %force
    %q1 = train.square %push
    %q2 = train.square %pull
    %parts0 = train.reduce_sum %q over [0, 1]
    %parts1 = train.reduce_sum %q1 over [0, 1, 2]
    %parts2 = train.reduce_sum %q2 over [0, 1]
    %parts3 = train.add %parts0, %parts1
    %parts = train.add %parts3, %parts2
    %t0 = train.reduce_sum %e over [0, 1, 2]
    %t1 = train.reduce_sum %g over [0, 1]
    %t2 = train.reduce_sum %g2 over [0, 1]
    %t3 = train.reduce_sum %bs over [0, 1, 2]
    %s0 = train.add %t0, %t1
    %s1 = train.add %s0, %t2
    %s2 = train.add %s1, %t3
    %s3 = train.add %s2, %parts
    train.return %s3
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.01>
}
