// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module {
  train.model @m {
    train.param @v : tensor<f32> = #train.kaiming_normal<fan_in = 1>
    train.param @w : tensor<f32> = #train.zeros
    train.func @loss() -> tensor<f32> {
      %w = train.read @w : tensor<f32>
      %0 = train.cast %w : tensor<f32> to tensor<f16>
      %1 = train.softplus %0 : tensor<f16>
      %2 = train.cast %1 : tensor<f16> to tensor<f32>
      %v = train.read @v : tensor<f32>
      %3 = train.mul %2, %v : tensor<f32>, tensor<f32>
      %loss = train.bce_with_logits %3, %w : tensor<f32>, tensor<f32>
      train.return %loss : tensor<f32>
    }
    train.step @fit minimize @loss over [@w, @v] with #train.sgd<lr = 8.680120e-01>
  }
}
