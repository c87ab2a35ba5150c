// The plan keeps for the backward pass: two activations and the prediction, and the mask of a short batch. The dropout mask is
// recomputed from the random counter, and so is every form of a value that a cast or an absolute value gives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc compile %s --precision=bf16 --compile-to=plan | FileCheck %s
// RUN: ampc compile %s --compile-to=plan | FileCheck %s --check-prefix=F32
// CHECK-LABEL: kernel.program @fit.train
// CHECK-SAME:  saved_bytes = 98496
// F32-LABEL:   kernel.program @fit.train
// F32-SAME:    saved_bytes = 196800

train.model @drop {
  train.param @w0 : tensor<256x256xf32> = #train.kaiming_uniform
  train.param @w1 : tensor<256x256xf32> = #train.kaiming_uniform
  train.func @loss(%x: tensor<64x256xf32>, %y: tensor<64x256xf32>) -> tensor<f32> {
    %w0 = train.read @w0 : tensor<256x256xf32>
    %w1 = train.read @w1 : tensor<256x256xf32>
    %0 = train.matmul %x, %w0 : (tensor<64x256xf32>, tensor<256x256xf32>) -> tensor<64x256xf32>
    %1 = train.abs %0 : tensor<64x256xf32>
    %2 = train.dropout %1 rate 0.25 : tensor<64x256xf32>
    %3 = train.matmul %2, %w1 : (tensor<64x256xf32>, tensor<256x256xf32>) -> tensor<64x256xf32>
    %4 = train.mse %3, %y : tensor<64x256xf32>, tensor<64x256xf32>
    train.return %4 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w0, @w1] with #train.sgd<lr = 0.1>
}
