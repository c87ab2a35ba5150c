// A network in the layout of other programs: images and filters with the channels first.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @planes {
  train.param @a : f32[6, 3, 3, 3] = #train.kaiming_uniform
  train.param @b : f32[8, 6, 3, 3] = #train.kaiming_uniform
  train.param @c : f32[4, 8, 3, 3] = #train.kaiming_uniform
  train.param @up : f32[4, 2, 2, 3] = #train.kaiming_uniform
  train.param @shift : f32[3] = #train.zeros
  train.param @head : f32[5, 540] = #train.xavier_uniform
  train.func @loss(%image : f32[4, 3, 8, 10], %label : i32[4], %wanted : f32[4, 3, 18, 30]) {
    %x = train.transpose %image [0, 2, 3, 1]
    %a = train.read @a
    %fa = train.transpose %a [0, 2, 3, 1]
    %0 = train.conv2d %x, %fa strides [2, 2] padding [1, 1, 1, 1]
    %1 = train.relu %0
    %b = train.read @b
    %fb = train.transpose %b [0, 2, 3, 1]
    %2 = train.conv2d %1, %fb strides [1, 1] padding [1, 1, 1, 1]
    %3 = train.resize nearest %2 to [4, 9, 15, 8]
    %c = train.read @c
    %fc = train.transpose %c [0, 2, 3, 1]
    %4 = train.conv2d %3, %fc strides [1, 1] padding [1, 1, 1, 1]
    %5 = train.transpose %4 [0, 3, 1, 2]
    %6 = train.reshape %5 to [4, 540]
    %head = train.read @head
    %7 = train.matmul %6, %head transpose_rhs
    %8 = train.softmax_cross_entropy %7, %label
    %up = train.read @up
    %9 = train.conv_transpose %4, %up strides [2, 2] padding [0, 0, 0, 0]
    %shift = train.read @shift
    %10 = train.add %9, %shift
    %11 = train.transpose %10 [0, 3, 1, 2]
    %12 = train.mse %11, %wanted
    %13 = train.add %8, %12
    train.return %13
  }
  train.step @fit minimize @loss over [@a, @b, @c, @up, @shift, @head] with #train.sgd<lr = 0.1>
}
