// Values that a model declares in 16 bits: parameters, rows, carried values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bound: 2e-2.
train.model @narrow(batch = 4, time = 5, width = 4) {
  train.param @w : bf16[width, width] = #train.normal<std = 0.4>
  train.param @b : bf16[width] = #train.zeros
  train.param @u : f32[width, width] = #train.normal<std = 0.4>
  train.func @loss(%x: f32[time, batch, width]) {
    %xs = train.cast %x to bf16
    %zero = train.constant dense<0.0> : tensor<bf16>
    %h0 = train.broadcast_to %zero to [batch, width]
    %h, %hs = train.scan carry %a = %h0 over %r = %xs {
      %m = train.matmul %a, %w
      %m1 = train.cast %m to bf16
      %s = train.add %m1, %r
      %s1 = train.add %s, %b
      %n = train.tanh %s1
      train.next %n each %n
    }
    %f = train.cast %hs to f32
    %g = train.matmul %f, %u
    %g2 = train.square %g
    %l = train.reduce_sum %g2 over [0, 1, 2]
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.01> {weight_rounding = "nearest"}
}
