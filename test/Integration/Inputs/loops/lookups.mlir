// Integers and lookups in loops: numbers that go over rows, that are carried, that a round computes; tables that rows, carried numbers and other ops read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers below: t 7, u 6, c 7.
train.model @lookups(batch = 4, time = 5, width = 4, words = 7) {
  train.param @table : f32[words, width] = #train.normal<std = 0.4>
  train.param @other : f32[words - 1, width] = #train.normal<std = 0.4>
  train.param @third : f32[width, width] = #train.normal<std = 0.4>
  train.param @w : f32[width, width] = #train.normal<std = 0.4>
  train.func @loss(%t: i64[time, batch], %u: i32[time, batch], %c: i32[batch]) {
    %zero = train.constant dense<0.0> : tensor<f32>
    %h0 = train.broadcast_to %zero to [batch, width]
    %h, %k, %count, %hs, %js = train.scan carry %a = %h0, %n = %c, %rounds = %c over %p = %t, %q = %u {
      %e = train.embedding %table at %p padding 0
      %f = train.gather %other at %q
      %g = train.embedding %table at %n
      %s0 = train.add %e, %f
      %s1 = train.mul %s0, %g
      %m = train.matmul %a, %w
      %s3 = train.add %m, %s1
      %y = train.tanh %s3
      %j = train.argmax %y along 1
      %v = train.gather %third at %j
      %z = train.mul %y, %v
      %one = train.constant dense<1> : tensor<i32>
      %r1 = train.add %rounds, %one
      train.next %z, %q, %r1 each %z, %j
    }
    %last = train.gather %table at %k
    %total = train.cast %count to f32
    %ts = train.reduce_sum %total over [0]
    %x0 = train.square %hs
    %x1 = train.reduce_sum %x0 over [0, 1, 2]
    %x2 = train.reduce_sum %last over [0, 1]
    %x3 = train.square %h
    %x4 = train.reduce_sum %x3 over [0, 1]
    %x5 = train.add %x1, %x2
    %x6 = train.add %x5, %x4
    %l = train.add %x6, %ts
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.01>
}
