// A batch of 7 rows, each of 3 rows of the losses. BATCH and ROWS become numbers in the test.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @partial {
  train.param @w : tensor<5x4xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @g : tensor<4xf32> = #train.ones
  train.param @b : tensor<4xf32> = #train.zeros
  train.buffer @mean : tensor<4xf32> = #train.zeros
  train.buffer @variance : tensor<4xf32> = #train.ones
  train.func @features(%x: tensor<BATCHx3x5xf32>) -> tensor<ROWSx4xf32> {
    %w = train.read @w : tensor<5x4xf32>
    %g = train.read @g : tensor<4xf32>
    %b = train.read @b : tensor<4xf32>
    %0 = train.linear %x, %w : tensor<BATCHx3x5xf32>, tensor<5x4xf32>
    %1 = train.batch_norm %0, %g, %b running @mean, @variance momentum 0.1 eps 1.0e-3 : tensor<BATCHx3x4xf32>, tensor<4xf32>, tensor<4xf32>
    %2 = train.tanh %1 : tensor<BATCHx3x4xf32>
    %3 = train.layer_norm %2, %g, %b eps 1.0e-3 : tensor<BATCHx3x4xf32>, tensor<4xf32>, tensor<4xf32>
    %4 = train.reshape %3 : tensor<BATCHx3x4xf32> to tensor<ROWSx4xf32>
    train.return %4 : tensor<ROWSx4xf32>
  }
  train.func @classes(%x: tensor<BATCHx3x5xf32>, %label: tensor<BATCHx3xi32>) -> tensor<f32> {
    %0 = train.call @features(%x) : (tensor<BATCHx3x5xf32>) -> tensor<ROWSx4xf32>
    %1 = train.reshape %label : tensor<BATCHx3xi32> to tensor<ROWSxi32>
    %2 = train.softmax_cross_entropy %0, %1 ignore 2 smoothing 0.1 : tensor<ROWSx4xf32>, tensor<ROWSxi32>
    train.return %2 : tensor<f32>
  }
  train.func @reals(%x: tensor<BATCHx3x5xf32>, %y: tensor<BATCHx12xf32>) -> tensor<f32> {
    %0 = train.call @features(%x) : (tensor<BATCHx3x5xf32>) -> tensor<ROWSx4xf32>
    %1 = train.reshape %y : tensor<BATCHx12xf32> to tensor<ROWSx4xf32>
    %2 = train.mse %0, %1 : tensor<ROWSx4xf32>, tensor<ROWSx4xf32>
    %3 = train.l1 %0, %1 reduce sum : tensor<ROWSx4xf32>, tensor<ROWSx4xf32>
    %4 = train.bce_with_logits %0, %1 : tensor<ROWSx4xf32>, tensor<ROWSx4xf32>
    %5 = train.smooth_l1 %0, %1 beta 0.5 : tensor<ROWSx4xf32>, tensor<ROWSx4xf32>
    %6 = train.add %2, %3 : tensor<f32>, tensor<f32>
    %7 = train.add %4, %5 : tensor<f32>, tensor<f32>
    %8 = train.add %6, %7 : tensor<f32>, tensor<f32>
    train.return %8 : tensor<f32>
  }
  train.step @one minimize @classes over [@w, @g, @b] with #train.sgd<lr = 0.1>
  train.step @two minimize @reals over [@w, @g, @b] with #train.sgd<lr = 0.1>
}
