// Digits of 8x8 pixels: layers of one kind, and scores of ten classes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @mlp(batch = 32, pixels = 64, width = 64, depth = 2) {
  train.model @layer(in = width, out = width) {
    train.param @weight : f32[in, out] = #train.kaiming_uniform
    train.param @bias : f32[out] = #train.zeros
    train.func @apply(%x: f32[batch, in]) {
      %y = train.linear %x, %weight, %bias
      %z = train.relu %y
      train.return %z
    }
  }
  train.use @layer as @first (in = pixels)
  train.use @layer as @hidden times depth
  train.param @output.weight : f32[width, 10] = #train.xavier_uniform
  train.param @output.bias : f32[10] = #train.zeros
  train.func @scores(%image: f32[batch, pixels]) {
    %a = train.apply @first(%image)
    %b = train.apply @hidden(%a)
    %c = train.linear %b, %output.weight, %output.bias
    train.return %c
  }
  train.func @loss(%image: f32[batch, pixels], %label: i32[batch]) {
    %s = train.call @scores(%image)
    %l = train.softmax_cross_entropy %s, %label
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.adamw<lr = 2e-3>
  train.export @scores as "predict"
}
