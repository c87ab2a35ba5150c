// The same digits as images: two convolutions, each followed by pooling, and a linear layer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @cnn(batch = 32, size = 8, channels = 8) {
  train.model @block(in = 1, out = channels, side = size) {
    train.param @filter : f32[out, 3, 3, in] = #train.kaiming_normal
    train.param @bias : f32[out] = #train.zeros
    train.func @apply(%x: f32[batch, side, side, in]) {
      %c = train.conv2d %x, %filter strides [1, 1] padding [1, 1, 1, 1]
      %b = train.add %c, %bias
      %r = train.relu %b
      %p, %where = train.max_pool %r window [2, 2] strides [2, 2] padding [0, 0, 0, 0]
      train.return %p
    }
  }
  train.use @block as @block1
  train.use @block as @block2 (in = channels, out = 2 * channels, side = size / 2)
  train.param @output.weight : f32[channels * size * size / 8, 10] = #train.xavier_uniform
  train.param @output.bias : f32[10] = #train.zeros
  train.func @scores(%image: f32[batch, size, size, 1]) {
    %a = train.apply @block1(%image)
    %b = train.apply @block2(%a)
    %f = train.reshape %b to [batch, channels * size * size / 8]
    %d = train.dropout %f rate 0.1
    %s = train.linear %d, %output.weight, %output.bias
    train.return %s
  }
  train.func @loss(%image: f32[batch, size, size, 1], %label: i32[batch]) {
    %s = train.call @scores(%image)
    %l = train.softmax_cross_entropy %s, %label
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.adam<lr = 3e-3>
  train.export @scores as "predict"
}
