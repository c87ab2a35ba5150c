// Batch norm of a batch of one row, in two steps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @single(batch = 1) {
  train.param @w : f32[3, 2] = #train.xavier_uniform
  train.param @gamma : f32[2] = #train.ones
  train.param @beta : f32[2] = #train.zeros
  train.buffer @mean : f32[2] = #train.zeros
  train.buffer @var : f32[2] = #train.ones
  train.func @loss(%x: f32[batch, 3]) {
    %y = train.linear %x, %w
    %n = train.batch_norm %y, %gamma, %beta running @mean, @var momentum 0.1 eps 1.0e-5
    %l = train.reduce_mean %n over [0, 1]
    train.return %l
  }
  train.step @first minimize @loss over [@w] with #train.sgd<lr = 0.1>
  train.step @second minimize @loss over [@gamma, @beta] with #train.sgd<lr = 0.1>
}
