// Gradients in rounds along paths through earlier rounds, and through values from outside: such loops are unrolled.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unrolled: 2 loops.
train.model @paths(batch = 4, time = 5, width = 4) {
  train.param @w : f32[width, width] = #train.normal<std = 0.4>
  train.func @loss(%x: f32[time, batch, width], %c: f32[batch, width]) {
    // The carried value depends on the parameter from the second round on.
    %h, %hs = train.scan carry %a = %c over %r = %x {
      %p = train.matmul %a, %w
      %q = train.tanh %p
      %e0 = train.square %q
      %e = train.reduce_sum %e0 over [0, 1]
      %g = train.grad %e wrt %w
      %m = train.matmul %r, %g
      %n = train.tanh %m
      train.next %n each %n
    }
    %c2 = train.sin %c
    %k = train.scan carry %b = %h over %s = %hs {
      %y0 = train.mul %c2, %s
      %y1 = train.square %y0
      %y = train.reduce_sum %y1 over [0, 1]
      %gc = train.grad %y wrt %c
      %b1 = train.add %b, %gc
      train.next %b1
    }
    %l0 = train.square %k
    %l = train.reduce_sum %l0 over [0, 1]
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.01>
}
