// A loss made of attention's gradient: the derivative equals the derivative of the products and the softmax in that gradient.
// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @check {
  train.param @q : tensor<3x5x4xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @k : tensor<3x7x4xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @v : tensor<3x7x4xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @bias : tensor<7xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @g : tensor<3x5x4xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%wq: tensor<3x5x4xf32>, %wk: tensor<3x7x4xf32>, %wv: tensor<3x7x4xf32>, %wb: tensor<3x5x7xf32>, %wl: tensor<3x2x5xf32>) -> tensor<f32> {
    %q = train.read @q : tensor<3x5x4xf32>
    %k = train.read @k : tensor<3x7x4xf32>
    %v = train.read @v : tensor<3x7x4xf32>
    %bias = train.read @bias : tensor<7xf32>
    %g = train.read @g : tensor<3x5x4xf32>
    %o, %lse = train.attention %q, %k, %v bias %bias causal : tensor<3x5x4xf32>, tensor<3x7x4xf32>, tensor<3x7x4xf32>, tensor<7xf32> -> tensor<3x5x4xf32>, tensor<3x2x5xf32>
    %dq, %dk, %dv, %db = train.attention_grad %q, %k, %v bias %bias from %o, %lse, %g causal
      : (tensor<3x5x4xf32>, tensor<3x7x4xf32>, tensor<3x7x4xf32>, tensor<7xf32>, tensor<3x5x4xf32>, tensor<3x2x5xf32>, tensor<3x5x4xf32>)
      -> (tensor<3x5x4xf32>, tensor<3x7x4xf32>, tensor<3x7x4xf32>, tensor<3x5x7xf32>)
    %a0 = train.mul %dq, %wq : tensor<3x5x4xf32>, tensor<3x5x4xf32>
    %s0 = train.reduce_sum %a0 over [0, 1, 2] : tensor<3x5x4xf32>
    %a1 = train.mul %dk, %wk : tensor<3x7x4xf32>, tensor<3x7x4xf32>
    %s1 = train.reduce_sum %a1 over [0, 1, 2] : tensor<3x7x4xf32>
    %a2 = train.mul %dv, %wv : tensor<3x7x4xf32>, tensor<3x7x4xf32>
    %s2 = train.reduce_sum %a2 over [0, 1, 2] : tensor<3x7x4xf32>
    %a3 = train.mul %db, %wb : tensor<3x5x7xf32>, tensor<3x5x7xf32>
    %s3 = train.reduce_sum %a3 over [0, 1, 2] : tensor<3x5x7xf32>
    %a4 = train.mul %lse, %wl : tensor<3x2x5xf32>, tensor<3x2x5xf32>
    %s4 = train.reduce_sum %a4 over [0, 1, 2] : tensor<3x2x5xf32>
    %t0 = train.add %s0, %s1 : tensor<f32>, tensor<f32>
    %t1 = train.add %s2, %s3 : tensor<f32>, tensor<f32>
    %t2 = train.add %t0, %t1 : tensor<f32>, tensor<f32>
    %t3 = train.add %t2, %s4 : tensor<f32>, tensor<f32>
    train.return %t3 : tensor<f32>
  }
  train.step @all minimize @loss over [@q, @k, @v, @bias, @g] with #train.sgd<lr = 0.1>
}
