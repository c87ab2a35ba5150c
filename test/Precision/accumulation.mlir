// RUN: %ampc-opt %s --amp-lower-accumulation | FileCheck %s
// RUN: not %ampc-opt %s --amp-lower-accumulation=verify=true 2>&1 | FileCheck %s --check-prefix=VERIFY
// RUN: %ampc-opt %s --amp-lower-accumulation --amp-lower-accumulation=verify=true
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// VERIFY: error: expected a sum of 16-bit values to have an accumulator in f32, but train.reduce_sum has none
// VERIFY: error: expected a sum of 16-bit values to have an accumulator in f32, but train.add has none
// VERIFY: error: expected a sum of 16-bit values to have an accumulator in f32, but train.add has none
// VERIFY-NOT: error

train.model @sums {
  // CHECK-LABEL: train.func @reduction
  // CHECK-SAME:  %[[X:[a-z0-9]+]]: tensor<8x4xbf16>
  train.func @reduction(%x: tensor<8x4xbf16>) -> tensor<4xbf16> {
    // CHECK-NEXT: %[[W:.*]] = train.cast %[[X]] {{.*}}: tensor<8x4xbf16> to tensor<8x4xf32>
    // CHECK-NEXT: %[[S:.*]] = train.reduce_sum %[[W]] over [0] : tensor<8x4xf32>
    // CHECK-NEXT: %[[R:.*]] = train.cast %[[S]] {{.*}}: tensor<4xf32> to tensor<4xbf16>
    %0 = train.reduce_sum %x over [0] : tensor<8x4xbf16>
    // CHECK-NEXT: train.return %[[R]]
    train.return %0 : tensor<4xbf16>
  }
  // Three gradients of the same value: a single rounding, at the end.
  // CHECK-LABEL: train.func @fan_in
  // CHECK-SAME:  %[[A:[a-z0-9]+]]: tensor<4xf16> {{.*}}, %[[B:[a-z0-9]+]]: tensor<4xf16> {{.*}}, %[[C:[a-z0-9]+]]: tensor<4xf16>
  train.func @fan_in(%a: tensor<4xf16>, %b: tensor<4xf16>, %c: tensor<4xf16>) -> tensor<4xf16> {
    // CHECK:      %[[P:.*]] = train.add %{{.*}}, %{{.*}} {train.fan_in} : tensor<4xf32>, tensor<4xf32>
    %0 = train.add %a, %b {train.fan_in} : tensor<4xf16>, tensor<4xf16>
    // CHECK:      %[[Q:.*]] = train.add %[[P]], %{{.*}} {train.fan_in} : tensor<4xf32>, tensor<4xf32>
    // CHECK-NEXT: %[[R:.*]] = train.cast %[[Q]] {{.*}}: tensor<4xf32> to tensor<4xf16>
    %1 = train.add %0, %c {train.fan_in} : tensor<4xf16>, tensor<4xf16>
    // CHECK-NEXT: train.return %[[R]]
    train.return %1 : tensor<4xf16>
  }
  // Contractions have the accumulator's type as result type, and a maximum of two values sums nothing.
  // CHECK-LABEL: train.func @untouched
  train.func @untouched(%x: tensor<4x4xf16>) -> (tensor<4x4xf32>, tensor<4x4xf16>) {
    // CHECK-NEXT: train.matmul
    %0 = train.matmul %x, %x : (tensor<4x4xf16>, tensor<4x4xf16>) -> tensor<4x4xf32>
    // CHECK-NEXT: train.maximum
    %1 = train.maximum %x, %x : tensor<4x4xf16>, tensor<4x4xf16>
    // CHECK-NEXT: train.return
    train.return %0, %1 : tensor<4x4xf32>, tensor<4x4xf16>
  }
  // A maximum is an element, and the position of a maximum is no sum either: kernels compare elements in f32, which changes nothing.
  // CHECK-LABEL: train.func @maxima
  // CHECK-SAME:  %[[X:[a-z0-9]+]]: tensor<8x4xbf16>
  train.func @maxima(%x: tensor<8x4xbf16>) -> (tensor<8xi32>, tensor<8xbf16>, tensor<8xbf16>) {
    // CHECK-NEXT: %[[I:.*]] = train.argmax %[[X]] : tensor<8x4xbf16>
    %0 = train.argmax %x : tensor<8x4xbf16>
    // CHECK-NEXT: %[[MAX:.*]] = train.reduce_max %[[X]] over [1] : tensor<8x4xbf16>
    %1 = train.reduce_max %x over [1] : tensor<8x4xbf16>
    // CHECK-NEXT: %[[MIN:.*]] = train.reduce_min %[[X]] over [1] : tensor<8x4xbf16>
    %2 = train.reduce_min %x over [1] : tensor<8x4xbf16>
    // CHECK-NEXT: train.return %[[I]], %[[MAX]], %[[MIN]]
    train.return %0, %1, %2 : tensor<8xi32>, tensor<8xbf16>, tensor<8xbf16>
  }
}
