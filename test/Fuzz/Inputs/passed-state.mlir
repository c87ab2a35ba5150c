// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @m {
  train.buffer @h : f32[3, 1] = #train.zeros {train.passed, train.per_row}
  train.param @u : f32[1, 1] = #train.normal<std = 0.5>
  train.func @loss(%x: f32[3, 1]) {
    %old = train.read @h
    %0 = train.matmul %old, %u
    %1 = train.add %0, %x
    %2 = train.tanh %1
    train.write @h, %2
    %3 = train.square %2
    %4 = train.reduce_sum %3 over [0, 1]
    train.return %4
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}
