// Gradients in rounds: with respect to a carried value, a row, a value of the round, and a parameter that only rounds read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps: 1; further steps would magnify the rounding of the first.
train.model @gradients(batch = 4, time = 5, width = 4) {
  train.param @w : f32[width, width] = #train.normal<std = 0.4>
  train.param @u : f32[width, width] = #train.normal<std = 0.4>
  train.param @fast : f32[width, width] = #train.normal<std = 0.4>
  train.param @only : f32[width] = #train.normal<std = 0.4>
  train.func @loss(%x: f32[time, batch, width]) {
    // Steps of an inner optimizer: the carried weights move against their gradient (MAML).
    %v = train.scan carry %f = %fast over %r = %x {
      %p = train.matmul %r, %f
      %q = train.tanh %p
      %q2 = train.square %q
      %e = train.reduce_sum %q2 over [0, 1]
      %g = train.grad %e wrt %f
      %rate = train.constant dense<0.05> : tensor<f32>
      %d = train.mul %g, %rate
      %f1 = train.sub %f, %d
      train.next %f1
    }
    // A force on the row, and on a value of the round; in a loop in a loop, too.
    %h, %hs = train.scan carry %a = %v over %row = %x reverse {
      %m = train.matmul %row, %a
      %s = train.sin %m
      %t = train.matmul %s, %w
      %t2 = train.square %t
      %energy = train.reduce_sum %t2 over [0, 1]
      %gr, %gm = train.grad %energy wrt %row, %m
      %b = train.scan carry %k = %gm times 2 {
        %o = train.matmul %k, %u
        %o1 = train.sin %o
        %o2 = train.square %o1
        %o3 = train.reduce_sum %o2 over [0, 1]
        %gk = train.grad %o3 wrt %k
        %k1 = train.tanh %gk
        train.next %k1
      }
      %n0 = train.matmul %gr, %b transpose_lhs
      %n = train.tanh %n0
      train.next %n each %b
    }
    %z, %zs = train.scan carry %i = %h over %j = %hs {
      %y = train.add %j, %only
      %y1 = train.sin %y
      %y2 = train.reduce_sum %y1 over [0, 1]
      %go = train.grad %y2 wrt %only
      %i0 = train.mul %i, %go
      %i1 = train.tanh %i0
      train.next %i1 each %go
    }
    %l0 = train.square %z
    %l1 = train.reduce_sum %l0 over [0, 1]
    %l2 = train.reduce_sum %hs over [0, 1, 2]
    %l3 = train.reduce_sum %zs over [0, 1]
    %l4 = train.add %l1, %l2
    %l = train.add %l4, %l3
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.01>
}
