// Loops over sequences, in both directions, with numbers of rows, weights from outside, several carried and kept values, and loops in loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @loops(batch = 4, time = 5) {
  train.param @wx : f32[3, 6] = #train.normal<mean = 0.0, std = 0.5>
  train.param @wh : f32[6, 6] = #train.normal<mean = 0.0, std = 0.5>
  train.param @table : f32[time, 6] = #train.normal<mean = 0.0, std = 0.5>
  train.buffer @h : f32[batch, 6] = #train.fill<0.25>
  train.buffer @k : f32[batch, 6] = #train.ones {train.passed}
  // Two carried values of which one is an input, a row of a table by the number of the round, and two kept values.
  train.func @recurrence(%x: f32[batch, time, 3], %h0: f32[batch, 6]) {
    %xs = train.transpose %x [1, 0, 2]
    %number = train.constant dense<0.0> : tensor<f32>
    %zero = train.broadcast_to %number to [batch, 6]
    %two = train.constant dense<2.0> : tensor<f32>
    %last, %sum, %all, %p = train.scan carry %a = %h0, %s = %zero over %r = %xs index %i {
      %in = train.linear %r, %wx
      %hidden = train.matmul %a, %wh
      %both = train.add %in, %hidden
      %row = train.gather %table at %i
      %moved = train.add %both, %row
      %n = train.tanh %moved
      %scaled = train.mul %n, %two
      %t = train.add %s, %scaled
      train.next %n, %t each %n, %t
    }
    %y = train.mul %last, %two
    %first = train.transpose %all [1, 0, 2]
    %second = train.transpose %p [1, 0, 2]
    train.return %y, %sum, %first, %second
  }
  // From the last row to the first; the round passes an input on as it is, and keeps a value twice.
  train.func @back(%x: f32[batch, time, 3], %h0: f32[batch, 6]) {
    %xs = train.transpose %x [1, 0, 2]
    %last, %all, %again = train.scan carry %a = %h0 over %r = %xs reverse index %i {
      %in = train.linear %r, %wx
      %number = train.cast %i to f32
      %b = train.mul %a, %number
      %n = train.add %b, %in
      %t = train.tanh %n
      train.next %t each %t, %t
    }
    %same = train.scan carry %a = %last times 3 {
      train.next %h0
    }
    %first = train.transpose %all [1, 0, 2]
    %second = train.transpose %again [1, 0, 2]
    train.return %last, %first, %second, %same
  }
  // A function of every row, and a loop in a loop without a sequence.
  train.func @nested(%x: f32[batch, time, 3]) {
    %xs = train.transpose %x [1, 0, 2]
    %all = train.scan over %r = %xs {
      %in = train.linear %r, %wx
      %out = train.scan carry %a = %in times 3 {
        %b = train.matmul %a, %wh
        %t = train.tanh %b
        train.next %t
      }
      train.next each %out
    }
    %first = train.transpose %all [1, 0, 2]
    train.return %first
  }
  // First values of a buffer, and rows that callers pass.
  train.func @states(%x: f32[batch, time, 3]) {
    %xs = train.transpose %x [1, 0, 2]
    %last, %all = train.scan carry %a = %h over %r = %xs {
      %in = train.linear %r, %wx
      %b = train.add %a, %in
      %t = train.tanh %b
      train.next %t each %t
    }
    %next = train.add %k, %last
    train.write @h, %last
    train.write @k, %next
    %first = train.transpose %all [1, 0, 2]
    train.return %first
  }
  train.export @recurrence as "recurrence"
  train.export @back as "back"
  train.export @nested as "nested"
  train.export @states as "states"
}
