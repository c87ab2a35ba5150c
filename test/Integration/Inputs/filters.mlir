// Convolutions whose filters are packed unchanged, turned, and (with tiles) transformed; with a stride, with a single tap, and with groups.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @filters(batch = 12) {
  train.param @a : f32[16, 3, 3, 1] = #train.kaiming_normal
  train.param @b : f32[34, 3, 3, 16] = #train.kaiming_normal
  train.param @c : f32[32, 3, 3, 34] = #train.kaiming_normal
  train.param @d : f32[32, 3, 3, 32] = #train.kaiming_normal
  train.param @e : f32[20, 1, 1, 32] = #train.kaiming_normal
  train.param @f : f32[20, 3, 3, 10] = #train.kaiming_normal
  train.param @w : f32[20, 4] = #train.kaiming_uniform
  train.param @bias : f32[4] = #train.zeros
  train.func @logits(%image: f32[batch, 7, 7, 1]) {
    %0 = train.conv2d %image, %a strides [1, 1] padding [1, 1, 1, 1]
    %1 = train.relu %0
    %2 = train.conv2d %1, %b strides [1, 1] padding [1, 1, 1, 1]
    %3 = train.relu %2
    %4 = train.conv2d %3, %c strides [2, 2] padding [1, 1, 1, 1]
    %5 = train.relu %4
    %6 = train.conv2d %5, %d strides [1, 1] padding [2, 2, 2, 2]
    %7 = train.relu %6
    %8 = train.conv2d %7, %e strides [1, 1] padding [0, 0, 0, 0]
    %9 = train.conv2d %8, %f strides [1, 1] padding [1, 1, 1, 1] groups 2
    %10 = train.global_avg_pool %9
    %scores = train.linear %10, %w, %bias
    train.return %scores
  }
  train.func @loss(%image: f32[batch, 7, 7, 1], %label: i32[batch]) {
    %logits = train.call @logits(%image)
    %loss = train.softmax_cross_entropy %logits, %label
    train.return %loss
  }
  train.step @fit minimize @loss over all with #train.adamw<lr = 0.01>
  train.export @logits as "predict"
}
