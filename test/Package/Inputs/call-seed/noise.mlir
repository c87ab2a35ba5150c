// A step, an evaluation and exports that draw random numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @noise(batch = 4) {
  train.param @w : f32[3, 2] = #train.xavier_uniform
  train.func @sample() {
    %n = train.random_normal mean 0.0 std 1.0 : f32[batch, 2]
    train.return %n
  }
  train.func @noisy(%x: f32[batch, 3], %seed: f32[batch, 2]) {
    %y = train.linear %x, %w
    %n = train.call @sample()
    %m = train.dropout %n rate 0.5
    %s = train.add %m, %seed
    %z = train.add %y, %s
    train.return %z
  }
  train.func @plain(%x: f32[batch, 3]) {
    %y = train.linear %x, %w
    train.return %y
  }
  train.func @loss(%x: f32[batch, 3]) {
    %y = train.linear %x, %w
    %n = train.call @sample()
    %l = train.mse %y, %n
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
  train.export @sample as "sample"
  train.export @noisy as "noisy"
  train.export @plain as "plain"
}
