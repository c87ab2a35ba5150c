// RUN: ampc compile %s --precision=f16 --quiet -o %t
// RUN: ampc %s --precision=f32 --compile-to=loss-scale 2>/dev/null | FileCheck %s --check-prefix=SCALED
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A parameter in f64 behind values in f16: the loss is scaled, and the gradient of the parameter is unscaled in f64.
// SCALED: amp.unscale {{.*}} to tensor<3xf64>
// SCALED: train.update {{.*}}tensor<3xf64>, tensor<3xf64>
train.model @wide {
  train.param @b : f64[3] = #train.ones
  train.func @loss(%x: f16[3]) {
    %b = train.read @b
    %c = train.cast %b : tensor<3xf64> to tensor<3xf16>
    %d = train.mul %c, %x
    %l = train.reduce_sum %d over [0]
    train.return %l
  }
  train.step @fit minimize @loss over [@b] with #train.sgd<lr = 0.1>
}
