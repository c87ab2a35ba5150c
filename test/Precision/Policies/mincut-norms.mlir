// Norms and softmax compute in f32 and store 16 bits where a product reads the result; a maximum sums nothing and stays in 16 bits.
// RUN: %ampc-opt %s --train-name-ops --amp-assign-precision="precision=bf16" --train-strip-origins | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

train.model @norms {
  // CHECK-LABEL: train.func @norms
  train.func @norms(%x: tensor<8x8xf32>, %g: tensor<8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
    %h = train.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: %[[N0:.*]] = train.softmax {{.*}}amp.decision<"normalize"{{.*}} : tensor<8x8xf32>
    // CHECK-NEXT: train.cast %[[N0]] {{.*}}: tensor<8x8xf32> to tensor<8x8xbf16>
    %0 = train.softmax %h : tensor<8x8xf32>
    %m0 = train.matmul %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: %[[N1:.*]] = train.layer_norm {{.*}}amp.decision<"normalize"{{.*}} : tensor<8x8xf32>
    // CHECK-NEXT: train.cast %[[N1]] {{.*}}: tensor<8x8xf32> to tensor<8x8xbf16>
    %1 = train.layer_norm %h, %g, %g eps 1.0e-3 : tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>
    %m1 = train.matmul %1, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: %[[N2:.*]] = train.rms_norm {{.*}}amp.decision<"normalize"{{.*}} : tensor<8x8xf32>
    // CHECK-NEXT: train.cast %[[N2]] {{.*}}: tensor<8x8xf32> to tensor<8x8xbf16>
    %2 = train.rms_norm %h, %g eps 1.0e-3 : tensor<8x8xf32>, tensor<8xf32>
    %m2 = train.matmul %2, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.reduce_max {{.*}}amp.decision<"cut"{{.*}} : tensor<8x8xbf16>
    %3 = train.reduce_max %h over [1] : tensor<8x8xf32>
    %r = train.reshape %3 : tensor<8xf32> to tensor<8x1xf32>
    %b = train.broadcast_to %r : tensor<8x1xf32> to tensor<8x8xf32>
    %m3 = train.matmul %b, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    train.return %m0, %m1, %m2, %m3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
}
