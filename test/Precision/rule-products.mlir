// RUN: ampc compile %s --precision=bf16 --explain-precision --compile-to=precision 2>&1 | FileCheck %s
// RUN: ampc compile %s --precision=bf16 --precision-override=fit.update=f32 --explain-precision --compile-to=precision 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: ampc compile %s --precision=f16 --explain-precision --compile-to=precision 2>&1 | FileCheck %s --check-prefix=FULL
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Muon's products take bf16, which has the range of f32, where a model does, and one line of output says so; an override keeps f32.
// CHECK:          fit.update: train.update computes in 'bf16' (contraction): products of the optimizer's rule take bf16 and add up in f32
// CHECK-NOT:      train.update computes in 'f32'
// CHECK:          train.update %{{.*}} by #train.muon{{.*}} products bf16 {amp.decision = #amp.decision<"contraction",
// FULL-NOT:       train.update computes in 'bf16'
// FULL:           fit.update: train.update computes in 'f32'
// FULL:           train.update %{{.*}} by #train.muon
// FULL-NOT:       products {{bf16|f16}}
train.model @m {
  train.param @w : tensor<32x16xf32> = #train.xavier_uniform
  train.func @loss(%x: tensor<8x32xf32>, %y: tensor<8x16xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<32x16xf32>
    %a = train.matmul %x, %w : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
    %l = train.mse %a, %y : tensor<8x16xf32>, tensor<8x16xf32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over all with #train.muon<lr = 0.02>
}
