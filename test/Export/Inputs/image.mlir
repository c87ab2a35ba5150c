// A convolution with a bias, batch norm, pools of both kinds, and ops on channels: all but the input in the order N, C, H, W.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @image(batch = 2) {
  train.param @filter : f32[4, 3, 3, 2] = #train.kaiming_normal
  train.param @bias : f32[4] = #train.zeros
  train.param @gamma : f32[4] = #train.ones
  train.param @beta : f32[4] = #train.zeros
  train.buffer @mean : f32[4] = #train.zeros
  train.buffer @variance : f32[4] = #train.ones
  train.param @shift : f32[4] = #train.zeros
  train.param @weight : f32[16, 3] = #train.xavier_uniform
  train.param @scores.bias : f32[3] = #train.zeros
  train.func @scores(%x: f32[batch, 8, 8, 2]) {
    %c = train.conv2d %x, %filter strides [1, 1] padding [1, 1, 1, 1]
    %b = train.add %c, %bias
    %n = train.batch_norm %b, %gamma, %beta running @mean, @variance momentum 0.1 eps 1.0e-5
    %r = train.relu %n
    %m, %where = train.max_pool %r window [3, 3] strides [2, 2] padding [1, 0, 1, 0]
    %s = train.mul %m, %shift
    %a = train.avg_pool %s window [2, 2] strides [2, 2] padding [0, 0, 0, 0]
    %f = train.reshape %a to [batch, 16]
    %y = train.linear %f, %weight, %scores.bias loc("scores")
    train.return %y
  }
  train.func @loss(%x: f32[batch, 8, 8, 2], %label: i32[batch]) {
    %s = train.call @scores(%x)
    %l = train.softmax_cross_entropy %s, %label
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
  train.export @scores as "predict"
}
