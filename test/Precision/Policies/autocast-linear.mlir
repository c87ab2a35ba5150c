// A product and the bias are a single op of torch: the bias is rounded like the weights, and the sum rounds once.
// RUN: %ampc-opt %s --phase-import --phase-simplify --phase-autodiff --phase-optimize --phase-precision="precision=bf16 policy=autocast" --train-strip-origins | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

train.model @line {
  train.param @w : tensor<16x8xf32> = #train.kaiming_uniform
  train.param @b : tensor<8xf32> = #train.zeros
  // CHECK-LABEL: train.func @export.f
  // CHECK-SAME:  %[[W:[a-z0-9]+]]: tensor<16x8xbf16> {train.is = #train.state<@w.bf16>}, %[[B:[a-z0-9]+]]: tensor<8xbf16> {train.is = #train.state<@b.bf16>}
  train.func @f(%x: tensor<32x16xf32>) -> tensor<32x8xf32> {
    %w = train.read @w : tensor<16x8xf32>
    %b = train.read @b : tensor<8xf32>
    // CHECK:      %[[M:.*]] = train.matmul %{{.*}}, %[[W]] {{.*}} -> tensor<32x8xf32>
    // CHECK-NEXT: %[[WIDE:.*]] = train.cast %[[B]] {{.*}}: tensor<8xbf16> to tensor<8xf32>
    // CHECK-NEXT: %[[SUM:.*]] = train.add %[[M]], %[[WIDE]] {{.*}}amp.decision<"same-op"{{.*}} : tensor<32x8xf32>, tensor<8xf32>
    // CHECK-NEXT: %[[LOW:.*]] = train.cast %[[SUM]] {{.*}}: tensor<32x8xf32> to tensor<32x8xbf16>
    // CHECK-NEXT: train.relu %[[LOW]] {{.*}} : tensor<32x8xbf16>
    %0 = train.linear %x, %w, %b : tensor<32x16xf32>, tensor<16x8xf32>, tensor<8xf32>
    %1 = train.relu %0 : tensor<32x8xf32>
    train.return %1 : tensor<32x8xf32>
  }
  train.export @f as "f"
}
