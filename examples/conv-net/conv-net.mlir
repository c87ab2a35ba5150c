// Four kinds of shapes in 32x32 images: convolutions with batch norm, pooling, and a linear layer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @conv_net(batch = 64, image = 32, width = 16) {
  train.model @conv(in = width, out = in, size = image) {
    train.param @weight : f32[out, 3, 3, in] = #train.kaiming_normal
    train.func @apply(%x: f32[batch, size, size, in]) {
      %y = train.conv2d %x, %weight strides [1, 1] padding [1, 1, 1, 1]
      train.return %y
    }
  }
  train.model @norm(channels = width, size = image) {
    train.param @gamma : f32[channels] = #train.ones
    train.param @beta : f32[channels] = #train.zeros
    train.buffer @mean : f32[channels] = #train.zeros
    train.buffer @variance : f32[channels] = #train.ones
    train.func @apply(%x: f32[batch, size, size, channels]) {
      %n = train.batch_norm %x, %gamma, %beta running @mean, @variance momentum 0.1 eps 1.0e-5
      %y = train.relu %n
      train.return %y
    }
    train.func @halve(%x: f32[batch, size, size, channels]) {
      %n = train.call @apply(%x)
      %y, %where = train.max_pool %n window [2, 2] strides [2, 2] padding [0, 0, 0, 0]
      train.return %y
    }
  }
  train.use @conv as @conv1 (in = 1, out = width)
  train.use @conv as @conv2 (out = 2 * width, size = image / 2)
  train.use @conv as @conv3 (in = 2 * width, out = 4 * width, size = image / 4)
  train.use @conv as @conv4 (in = 4 * width, size = image / 8)
  train.use @norm as @norm1
  train.use @norm as @norm2 (channels = 2 * width, size = image / 2)
  train.use @norm as @norm3 (channels = 4 * width, size = image / 4)
  train.use @norm as @norm4 (channels = 4 * width, size = image / 8)
  train.param @output.weight : f32[4 * width, 4] = #train.xavier_uniform
  train.param @output.bias : f32[4] = #train.zeros
  train.func @scores(%image: f32[batch, image, image, 1]) {
    %c1 = train.apply @conv1(%image)
    %p1 = train.apply @norm1::@halve(%c1)
    %c2 = train.apply @conv2(%p1)
    %p2 = train.apply @norm2::@halve(%c2)
    %c3 = train.apply @conv3(%p2)
    %p3 = train.apply @norm3::@halve(%c3)
    %c4 = train.apply @conv4(%p3)
    %r4 = train.apply @norm4(%c4)
    // A shape may be anywhere: the mean over all places forgets where.
    %p4 = train.global_avg_pool %r4
    %scores = train.linear %p4, %output.weight, %output.bias
    train.return %scores
  }
  train.func @loss(%image: f32[batch, image, image, 1], %label: i32[batch]) {
    %scores = train.call @scores(%image)
    %loss = train.softmax_cross_entropy %scores, %label
    train.return %loss
  }
  train.step @fit minimize @loss over all with #train.adamw<lr = 3.0e-3>
    schedule #train.cosine<steps = 600, warmup = 20, floor = 0.02>
  train.export @scores as "predict"
}
