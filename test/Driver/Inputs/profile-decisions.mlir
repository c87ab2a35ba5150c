// Two steps that share a scale; values of which a profile can say anything.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @decide {
  amp.scaler @s = #amp.scaling<SCALING>
  train.param @a : tensor<8x8xf32> = #train.ones
  train.param @b : tensor<8x8xf32> = #train.ones
  train.param @c : tensor<8xf32> = #train.fill<1.000244140625>
  train.func @first(%x: tensor<8x8xf32>, %t: tensor<8x8xf32>, %u: tensor<8xf32>) -> tensor<f32> {
    %a = train.read @a : tensor<8x8xf32>
    %c = train.read @c : tensor<8xf32>
    %least = train.constant dense<-4.0> : tensor<f32>
    %log = train.log %t : tensor<8x8xf32>
    %limit = train.maximum %log, %least : tensor<8x8xf32>, tensor<f32>
    %p = train.matmul %x, %a : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %q = train.mul %p, %t : tensor<8x8xf32>, tensor<8x8xf32>
    %left = train.sub %q, %limit : tensor<8x8xf32>, tensor<8x8xf32>
    %right = train.add %limit, %left : tensor<8x8xf32>, tensor<8x8xf32>
    %r = train.matmul %right, %a : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %moved = train.mul %c, %u : tensor<8xf32>, tensor<8xf32>
    %0 = train.reduce_mean %r over [0, 1] : tensor<8x8xf32>
    %1 = train.reduce_sum %moved over [0] : tensor<8xf32>
    %l = train.add %0, %1 : tensor<f32>, tensor<f32>
    train.return %l : tensor<f32>
  }
  train.func @second(%x: tensor<8x8xf32>, %t: tensor<8x8xf32>) -> tensor<f32> {
    %b = train.read @b : tensor<8x8xf32>
    %p = train.matmul %x, %b : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %q = train.mul %p, %t : tensor<8x8xf32>, tensor<8x8xf32>
    %l = train.reduce_mean %q over [0, 1] : tensor<8x8xf32>
    train.return %l : tensor<f32>
  }
  train.step @one minimize @first over [@a, @c] with #train.sgd<lr = 1.0> {amp.scaler = @s}
  train.step @two minimize @second over [@b] with #train.sgd<lr = 1.0> {amp.scaler = @s}
}
