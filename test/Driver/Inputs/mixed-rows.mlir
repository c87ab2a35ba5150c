// Shares of the rows of a batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @shares(batch = 4) {
  train.func @shares(%x: f32[batch, 3]) {
    %columns = train.transpose %x [1, 0]
    %softmax = train.softmax %columns
    %y = train.transpose %softmax [1, 0]
    train.return %y
  }
  train.export @shares as "predict"
}
