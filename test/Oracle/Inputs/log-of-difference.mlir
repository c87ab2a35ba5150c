// Binary cross entropy in the form of exporters. In bf16 a sigmoid of 6 rounds to 1.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @bce {
  train.param @w : tensor<1x1xf32> = #train.ones
  train.param @scale : tensor<1xf32> = #train.ones
  train.func @loss(%x: tensor<8x1xf32>, %y: tensor<8x1xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<1x1xf32>
    %scale = train.read @scale : tensor<1xf32>
    %product = train.matmul %x, %w : (tensor<8x1xf32>, tensor<1x1xf32>) -> tensor<8x1xf32>
    %z = train.mul %product, %scale : tensor<8x1xf32>, tensor<1xf32>
    %p = train.sigmoid %z : tensor<8x1xf32>
    %one = train.constant dense<1.0> : tensor<f32>
    %q = train.sub %one, %p : tensor<f32>, tensor<8x1xf32>
    %lp = train.log %p : tensor<8x1xf32>
    %lq = train.log %q : tensor<8x1xf32>
    %ny = train.sub %one, %y : tensor<f32>, tensor<8x1xf32>
    %a = train.mul %y, %lp : tensor<8x1xf32>, tensor<8x1xf32>
    %c = train.mul %ny, %lq : tensor<8x1xf32>, tensor<8x1xf32>
    %s = train.add %a, %c : tensor<8x1xf32>, tensor<8x1xf32>
    %n = train.neg %s : tensor<8x1xf32>
    %l = train.reduce_mean %n over [0, 1] : tensor<8x1xf32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@w, @scale] with #train.sgd<lr = 0.1>
}
