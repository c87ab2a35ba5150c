// Random numbers in loops: a loop in a loop, both directions, a checkpoint, a gradient that is differentiated again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @random(batch = 4, time = 5, width = 4) {
  train.param @w : f32[width, width] = #train.normal<std = 0.4>
  train.param @u : f32[width, width] = #train.normal<std = 0.4>
  train.func @loss(%x: f32[time, batch, width]) {
    %zero = train.constant dense<0.0> : tensor<f32>
    %h0 = train.broadcast_to %zero to [batch, width]
    %h, %hs = train.scan carry %a = %h0 over %r = %x {
      %d = train.dropout %a rate 0.3
      %e = train.dropout %r rate 0.4
      %m = train.matmul %d, %w
      %s = train.add %m, %e
      %n = train.random_normal mean 0.0 std 0.1 : f32[batch, width]
      %s1 = train.add %s, %n
      %t = train.tanh %s1
      %k = train.scan carry %b = %t times 2 {
        %q = train.dropout %b rate 0.2
        %p = train.matmul %q, %u
        %o = train.sin %p
        train.next %o
      }
      train.next %k each %t
    }
    %g, %gs = train.scan carry %a1 = %h over %r1 = %hs reverse index %i checkpoint every 2 {
      %d1 = train.dropout %r1 rate 0.5
      %m1 = train.matmul %a1, %w
      %f = train.cast %i to f32
      %z = train.random_uniform from 0.0 to 1.0 : f32[batch, 1]
      %s2 = train.add %m1, %d1
      %s3 = train.mul %s2, %z
      %s4 = train.add %s3, %f
      %t1 = train.tanh %s4
      train.next %t1 each %t1
    }
    %square = train.square %gs
    %energy = train.reduce_sum %square over [0, 1, 2]
    %force = train.grad %energy wrt %x
    %f2 = train.square %force
    %l0 = train.reduce_sum %f2 over [0, 1, 2]
    %l1 = train.reduce_sum %g over [0, 1]
    %l2 = train.add %l0, %l1
    %l = train.add %l2, %energy
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.01>
}
