// An LSTM, a GRU and a recurrence with one product, each with weights of its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @loops(batch = 8, time = 6, width = 16) {
  train.param @lstm.wx : f32[width, 4 * width] = #train.normal<std = 0.3>
  train.param @lstm.wh : f32[width, 4 * width] = #train.normal<std = 0.3>
  train.param @lstm.b : f32[4 * width] = #train.zeros
  train.param @lstm.out : f32[width, width] = #train.normal<std = 0.3>
  train.param @gru.wx : f32[width, 3 * width] = #train.normal<std = 0.3>
  train.param @gru.wh : f32[width, 3 * width] = #train.normal<std = 0.3>
  train.param @gru.out : f32[width, width] = #train.normal<std = 0.3>
  train.param @own.w : f32[width, width] = #train.normal<std = 0.3>
  train.param @own.out : f32[width, width] = #train.normal<std = 0.3>
  train.func @error(%z: f32[time, batch, width], %y: f32[time, batch, width]) {
    %d = train.sub %z, %y
    %q = train.square %d
    %l = train.reduce_mean %q over [0, 1, 2]
    train.return %l
  }
  train.func @loss(%x: f32[time, batch, width], %y: f32[time, batch, width], %h0: f32[batch, width]) {
    %a, %ah, %ac = train.lstm %x, %lstm.wx, %lstm.wh, %lstm.b
    %az = train.linear %a, %lstm.out
    %al = train.call @error(%az, %y)
    %b, %bh = train.gru %x, %gru.wx, %gru.wh reset_after
    %bz = train.linear %b, %gru.out
    %bl = train.call @error(%bz, %y)
    %h, %c = train.scan carry %k = %h0 over %r = %x {
      %m = train.matmul %k, %own.w
      %s = train.add %m, %r
      %n = train.tanh %s
      train.next %n each %n
    }
    %cz = train.linear %c, %own.out
    %cl = train.call @error(%cz, %y)
    %s = train.add %al, %bl
    %l = train.add %s, %cl
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.5>
}
