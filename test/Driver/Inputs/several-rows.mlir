// Results with several rows for each row of a batch: tokens of images.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @several(batch = 2) {
  train.func @tokens(%x: f32[batch, 6]) {
    %y = train.reshape %x to [3 * batch, 2]
    %z = train.reshape %x to [6 * batch]
    train.return %y, %z
  }
  train.export @tokens as "predict"
}
