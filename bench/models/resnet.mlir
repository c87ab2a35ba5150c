// ResNet-18 widths on 32x32 images (He et al. 2016, section 4.2): 3x3 stem, two basic blocks per width.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @conv_net(batch = 64, image = 32, width = 64, classes = 10) {
  train.model @conv(in = width, out = in, size = image, stride = 1, kernel = 3) {
    train.param @weight : f32[out, kernel, kernel, in] = #train.kaiming_normal
    train.param @gamma : f32[out] = #train.ones
    train.param @beta : f32[out] = #train.zeros
    train.buffer @mean : f32[out] = #train.zeros
    train.buffer @variance : f32[out] = #train.ones
    train.func @apply(%x: f32[batch, size, size, in]) {
      %c = train.conv2d %x, %weight strides [stride, stride] padding [(kernel - 1) / 2, (kernel - 1) / 2, (kernel - 1) / 2, (kernel - 1) / 2]
      %y = train.batch_norm %c, %gamma, %beta running @mean, @variance momentum 0.1 eps 1.0e-5
      train.return %y
    }
  }
  train.model @block(in = width, out = in, size = image, stride = 1) {
    train.use @conv as @first (in = in, out = out, size = size, stride = stride)
    train.use @conv as @second (in = out, size = size / stride)
    train.func @apply(%x: f32[batch, size, size, in], %shortcut: f32[batch, size / stride, size / stride, out]) {
      %a = train.apply @first(%x)
      %r = train.relu %a
      %b = train.apply @second(%r)
      %sum = train.add %b, %shortcut
      %y = train.relu %sum
      train.return %y
    }
  }
  train.use @conv as @stem (in = 3, out = width)
  train.use @block as @block0
  train.use @block as @block1
  train.use @conv as @block2.shortcut (out = 2 * width, stride = 2, kernel = 1)
  train.use @block as @block2 (out = 2 * width, stride = 2)
  train.use @block as @block3 (in = 2 * width, size = image / 2)
  train.use @conv as @block4.shortcut (in = 2 * width, out = 4 * width, size = image / 2, stride = 2, kernel = 1)
  train.use @block as @block4 (in = 2 * width, out = 4 * width, size = image / 2, stride = 2)
  train.use @block as @block5 (in = 4 * width, size = image / 4)
  train.use @conv as @block6.shortcut (in = 4 * width, out = 8 * width, size = image / 4, stride = 2, kernel = 1)
  train.use @block as @block6 (in = 4 * width, out = 8 * width, size = image / 4, stride = 2)
  train.use @block as @block7 (in = 8 * width, size = image / 8)
  train.param @output.weight : f32[8 * width, classes] = #train.xavier_uniform
  train.param @output.bias : f32[classes] = #train.zeros
  train.func @loss(%image: f32[batch, image, image, 3], %label: i32[batch]) {
    %stem = train.apply @stem(%image)
    %x = train.relu %stem
    %x0 = train.apply @block0(%x, %x)
    %x1 = train.apply @block1(%x0, %x0)
    %s2 = train.apply @block2.shortcut(%x1)
    %x2 = train.apply @block2(%x1, %s2)
    %x3 = train.apply @block3(%x2, %x2)
    %s4 = train.apply @block4.shortcut(%x3)
    %x4 = train.apply @block4(%x3, %s4)
    %x5 = train.apply @block5(%x4, %x4)
    %s6 = train.apply @block6.shortcut(%x5)
    %x6 = train.apply @block6(%x5, %s6)
    %x7 = train.apply @block7(%x6, %x6)
    %pooled = train.global_avg_pool %x7
    %scores = train.linear %pooled, %output.weight, %output.bias
    %loss = train.softmax_cross_entropy %scores, %label
    train.return %loss
  }
  train.step @fit minimize @loss over all with #train.adamw<lr = 1.0e-3, weight_decay = 1.0e-2>
}
