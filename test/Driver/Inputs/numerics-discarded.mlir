// 0/0 in rows that a select discards, and then a logarithm of 0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @discarded {
  train.param @w : f32[4, 4] = #train.ones
  train.func @loss(%x: f32[8, 4], %y: f32[8, 4]) {
    %ratio = train.div %y, %y
    %zero = train.mul %y, %y
    %known = train.compare gt %y, %x
    %safe = train.select %known, %ratio, %zero
    %p = train.matmul %x, %w
    %l = train.log %p
    %s = train.add %l, %safe
    %loss = train.reduce_mean %s over [0, 1]
    train.return %loss
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.01>
}
