// The differentiated function is train IR: a second differentiation gives second derivatives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --train-name-ops --train-autodiff="of=f" --train-simplify --train-autodiff="of=f.grad result=1" --train-simplify --train-strip-origins | FileCheck %s

train.model @cubic {
  // f(x) = sum x^3; df = 3 x^2; the gradient of the sum of df is 6 x.
  train.func @f(%x: tensor<5xf32>) -> tensor<f32> {
    %0 = train.square %x : tensor<5xf32>
    %1 = train.mul %0, %x : tensor<5xf32>, tensor<5xf32>
    %2 = train.reduce_sum %1 over [0] : tensor<5xf32>
    train.return %2 : tensor<f32>
  }
}

// x is used twice, so the gradient of x is a sum of two terms.
// CHECK-LABEL: train.func @f.grad(
// CHECK:       [[SUM:%[a-z0-9]+]] = train.add {{.*}} : tensor<5xf32>, tensor<5xf32>
// CHECK:       train.return {{.*}}, [[SUM]]
// CHECK-LABEL: train.func @f.grad.grad
// CHECK-SAME:  -> (tensor<f32>, tensor<5xf32> {train.is = #train.gradient<@x>}, tensor<5xf32> {train.is = #train.gradient<@x>})
// CHECK:       train.seed
// CHECK:       train.return {{.*}} : tensor<f32>, tensor<5xf32>, tensor<5xf32>
