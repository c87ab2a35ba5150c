// A linear classifier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @classes(batch = 8) {
  train.param @w : f32[16, 10] = #train.xavier_uniform
  train.func @loss(%x: f32[batch, 16], %y: i32[batch]) {
    %w = train.read @w
    %z = train.matmul %x, %w
    %l = train.softmax_cross_entropy %z, %y
    train.return %l
  }
  train.step @train_step minimize @loss over [@w] with #train.sgd<lr = 1.0e-1>
}
