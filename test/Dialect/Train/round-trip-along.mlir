// RUN: %ampc-opt %s | %ampc-opt | FileCheck %s
// RUN: %ampc-opt %s --mlir-print-op-generic | %ampc-opt | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: train.model @along
train.model @along {
  train.buffer @mean : tensor<5xf32> = #train.zeros
  train.buffer @variance : tensor<5xf32> = #train.ones
  // CHECK-LABEL: train.func @f
  train.func @f(%x: tensor<4x5x7xf32>, %g: tensor<5xf32>, %l: tensor<4x7xi32>) {
    // The last dimension by default.
    // CHECK: train.softmax %{{[a-z0-9]+}} : tensor<4x5x7xf32>
    %0 = train.softmax %x along -1 : tensor<4x5x7xf32>
    // CHECK: train.softmax %{{[a-z0-9]+}} along 1 : tensor<4x5x7xf32>
    %1 = train.softmax %0 along 1 : tensor<4x5x7xf32>
    // CHECK: train.log_softmax %{{[a-z0-9]+}} along 0 : tensor<4x5x7xf32>
    %2 = train.log_softmax %1 along 0 : tensor<4x5x7xf32>
    // CHECK: train.argmax %{{[a-z0-9]+}} along 1 : tensor<4x5x7xf32>
    %3 = train.argmax %2 along 1 : tensor<4x5x7xf32>
    // CHECK: train.softmax_cross_entropy {{.*}} along 1 reduce sum ignore -100 : tensor<4x5x7xf32>, tensor<4x7xi32>
    %4 = train.softmax_cross_entropy %x, %3 along 1 reduce sum ignore -100 : tensor<4x5x7xf32>, tensor<4x7xi32>
    // CHECK: train.weighted_cross_entropy {{.*}} along 1 smoothing 1.000000e-01 : tensor<4x5x7xf32>, tensor<4x7xi32>, tensor<5xf32>
    %5 = train.weighted_cross_entropy %x, %l, %g along 1 smoothing 0.1 : tensor<4x5x7xf32>, tensor<4x7xi32>, tensor<5xf32>
    // CHECK: train.nll {{.*}} along 1 reduce none : tensor<4x5x7xf32>, tensor<4x7xi32>
    %6 = train.nll %x, %l along 1 reduce none : tensor<4x5x7xf32>, tensor<4x7xi32>
    // CHECK: train.cosine_loss {{.*}} along 0 eps {{.*}} reduce none : tensor<4x5x7xf32>, tensor<4x5x7xf32>
    %7 = train.cosine_loss %x, %2 along 0 eps 1.0e-8 reduce none : tensor<4x5x7xf32>, tensor<4x5x7xf32>
    // CHECK: train.triplet {{.*}} along 1 margin {{.*}} : tensor<4x5x7xf32>, tensor<4x5x7xf32>, tensor<4x5x7xf32>
    %8 = train.triplet %x, %1, %2 along 1 margin 1.0 : tensor<4x5x7xf32>, tensor<4x5x7xf32>, tensor<4x5x7xf32>
    // CHECK: train.layer_norm {{.*}} along 1 eps {{.*}} : tensor<4x5x7xf32>, tensor<5xf32>, tensor<5xf32>
    %9 = train.layer_norm %x, %g, %g along 1 eps 1.0e-5 : tensor<4x5x7xf32>, tensor<5xf32>, tensor<5xf32>
    // CHECK: train.rms_norm {{.*}} along 1 eps {{.*}} : tensor<4x5x7xf32>, tensor<5xf32>
    %10 = train.rms_norm %x, %g along 1 eps 1.0e-5 : tensor<4x5x7xf32>, tensor<5xf32>
    // CHECK: train.batch_norm {{.*}} along 1 running @mean, @variance
    %11 = train.batch_norm %x, %g, %g along 1 running @mean, @variance momentum 0.1 eps 1.0e-5 : tensor<4x5x7xf32>, tensor<5xf32>, tensor<5xf32>
    // CHECK: train.group_norm {{.*}} along 1 groups 5
    %12 = train.group_norm %x, %g, %g along 1 groups 5 eps 1.0e-5 : tensor<4x5x7xf32>, tensor<5xf32>, tensor<5xf32>
    // CHECK: train.instance_norm {{.*}} along 1 eps
    %13 = train.instance_norm %x, %g, %g along 1 eps 1.0e-5 : tensor<4x5x7xf32>, tensor<5xf32>, tensor<5xf32>
    // CHECK: train.lrn {{.*}} along 0 size 3
    %14 = train.lrn %x along 0 size 3 : tensor<4x5x7xf32>
    train.return
  }
}
