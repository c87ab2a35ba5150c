// A tensor may be query and key, and values and bias of one attention: values take 16 bits, the bias stays in f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --phase-import --phase-simplify --phase-autodiff --phase-optimize --phase-precision="precision=f16" --train-strip-origins | FileCheck %s
// RUN: %ampc-opt %s --phase-import --phase-simplify --phase-autodiff --phase-optimize --phase-precision="precision=bf16 policy=autocast" --train-strip-origins | FileCheck %s --check-prefix=BF16

train.model @m {
  train.param @q : f32[2, 8, 8] = #train.zeros
  train.param @v : f32[2, 8, 8] = #train.zeros
  // CHECK: train.attention_grad %{{.*}} : (tensor<2x8x8xf16>, tensor<2x8x8xf16>, tensor<2x8x8xf16>, tensor<2x8x8xf32>, tensor<2x8x8xf16>, tensor<2x2x8xf32>, tensor<2x8x8xf16>)
  // BF16: train.attention_grad %{{.*}} : (tensor<2x8x8xbf16>, tensor<2x8x8xbf16>, tensor<2x8x8xbf16>, tensor<2x8x8xf32>, tensor<2x8x8xbf16>, tensor<2x2x8xf32>, tensor<2x8x8xbf16>)
  train.func @loss(%t: f32[2, 8, 8]) {
    %a = train.attention %q, %q, %v bias %v
    %l = train.mse %a, %t
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}
