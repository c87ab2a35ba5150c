// RUN: %ampc-opt %s --train-name-ops --train-instantiate --train-strip-origins | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of the batch lie in different dimensions of the operands of a reduced loss: the loss has no row to leave out.
train.model @m(batch = 2) {
  train.param @w : f32[2] = #train.ones
  train.func @loss(%x: f32[batch, 2, 2], %y: f32[batch, 2, 2]) {
    %w = train.read @w
    %t = train.transpose %x [1, 0, 2]
    %s = train.mul %t, %w
    %l = train.mse %s, %y
    train.return %l
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
}
// CHECK-LABEL: train.func @fit.loss
// CHECK:       train.mse
