// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops forward, in reverse, nested and without a tensor to go over; weights from outside, of which one only later rounds depend on;
// dropout inside, which draws the same numbers for both sides of a difference; checkpoints of one and of two rounds.
train.model @check(batch = 3, time = 5, width = 4) {
  train.param @x : f32[time, batch, width] = #train.normal<std = 1.0>
  train.param @w : f32[width, width] = #train.normal<std = 0.5>
  train.param @v : f32[width] = #train.normal<std = 0.5>
  train.func @cell(%h: f32[batch, width], %in: f32[batch, width]) {
    %p = train.matmul %h, %w
    %q = train.add %p, %in
    %t = train.tanh %q
    train.return %t
  }
  train.func @loss(%weight: f32[time, batch, width], %start: f32[batch, width]) {
    // The first carried value needs no gradient.
    %a, %as = train.scan carry %h = %start over %r = %x {
      %n = train.call @cell(%h, %r)
      train.next %n each %n
    }
    %b, %bs = train.scan carry %h = %a over %r = %as, %s = %weight reverse checkpoint every 2 {
      %m = train.mul %r, %s
      %n = train.call @cell(%h, %m)
      %d = train.dropout %n rate 0.3
      train.next %d each %d
    }
    %c = train.scan carry %h = %b times 3 index %i checkpoint {
      %f = train.cast %i to f32
      %s = train.mul %v, %f
      %l = train.scan carry %k = %h over %r = %bs {
        %m = train.mul %k, %r
        %n = train.add %m, %s
        %o = train.sin %n
        train.next %o
      }
      train.next %l
    }
    %e = train.scan over %r = %bs, %s = %weight checkpoint every 2147483648 {
      %m = train.mul %r, %s
      %n = train.reduce_sum %m over [1]
      train.next each %n
    }
    %total = train.reduce_sum %e over [0, 1]
    %more = train.reduce_sum %c over [0, 1]
    %sum = train.add %total, %more
    train.return %sum
  }
  train.step @all minimize @loss over [@x, @w, @v] with #train.sgd<lr = 0.1>
}
