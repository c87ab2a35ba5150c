// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @angles(batch = 8) {
  train.param @w : f32[4, 4] = #train.fill<0.25>
  train.func @loss(%p: f32[batch, 1], %x: f32[batch, 4], %y: f32[batch, 4]) {
    %f = train.constant dense<[[1.0, 0.1, 0.01, 0.001]]> : tensor<1x4xf32>
    %a = train.matmul %p, %f
    %c = train.cos %a
    %h = train.matmul %x, %w
    %q = train.mul %h, %c
    %l = train.mse %q, %y
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.01>
}
