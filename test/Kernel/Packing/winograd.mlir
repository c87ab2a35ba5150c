// RUN: ampc-opt %s --kernel-winograd | FileCheck %s
// RUN: ampc-opt %s --kernel-winograd="tile=4" | FileCheck %s --check-prefix=FOUR
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two convolutions share the transform of the filter; strided, 16-bit and small convolutions stay.

#all = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-LABEL: kernel.program @shared
// CHECK-SAME: %[[X:.*]]: tensor<64x32x32x64xf32>, %[[W:.*]]: tensor<64x3x3x64xf32>
// CHECK: %[[F:.*]] = kernel.winograd_filter %[[W]] tile 2 {{.*}}: tensor<64x3x3x64xf32> -> tensor<1024x64xf32, #kernel.packed<rhs, depth = 1, bytes = 262144>>
// CHECK-NOT: kernel.winograd_filter
// CHECK: %[[Y:.*]] = kernel.winograd %[[X]], %[[F]] tile 2
// CHECK: kernel.winograd %[[Y]], %[[F]] tile 2
// FOUR-LABEL: kernel.program @shared
// FOUR: kernel.winograd_filter %{{.*}} tile 4
// FOUR-COUNT-2: kernel.winograd %{{.*}} tile 4
kernel.program @shared(%x: tensor<64x32x32x64xf32>, %w: tensor<64x3x3x64xf32>) -> tensor<64x32x32x64xf32> {
  %y = kernel.conv %x, %w : tensor<64x32x32x64xf32>, tensor<64x3x3x64xf32> acc f32 strides [1, 1] padding [1, 1, 1, 1]
      dilations [1, 1] input_dilations [1, 1] groups 1 space [64, 32, 32, 64] epilogue() maps [] -> [#all] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<64x32x32x64xf32>
  %z = kernel.conv %y, %w : tensor<64x32x32x64xf32>, tensor<64x3x3x64xf32> acc f32 strides [1, 1] padding [1, 1, 1, 1]
      dilations [1, 1] input_dilations [1, 1] groups 1 space [64, 32, 32, 64] epilogue() maps [] -> [#all] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<64x32x32x64xf32>
  kernel.return %z : tensor<64x32x32x64xf32>
}

// CHECK-LABEL: kernel.program @strided
// CHECK-NOT: kernel.winograd
kernel.program @strided(%x: tensor<64x32x32x64xf32>, %w: tensor<64x3x3x64xf32>) -> tensor<64x16x16x64xf32> {
  %y = kernel.conv %x, %w : tensor<64x32x32x64xf32>, tensor<64x3x3x64xf32> acc f32 strides [2, 2] padding [1, 1, 1, 1]
      dilations [1, 1] input_dilations [1, 1] groups 1 space [64, 16, 16, 64] epilogue() maps [] -> [#all] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<64x16x16x64xf32>
  kernel.return %y : tensor<64x16x16x64xf32>
}

// CHECK-LABEL: kernel.program @narrow
// CHECK-NOT: kernel.winograd
kernel.program @narrow(%x: tensor<64x32x32x64xbf16>, %w: tensor<64x3x3x64xbf16>) -> tensor<64x32x32x64xf32> {
  %y = kernel.conv %x, %w : tensor<64x32x32x64xbf16>, tensor<64x3x3x64xbf16> acc f32 strides [1, 1] padding [1, 1, 1, 1]
      dilations [1, 1] input_dilations [1, 1] groups 1 space [64, 32, 32, 64] epilogue() maps [] -> [#all] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<64x32x32x64xf32>
  kernel.return %y : tensor<64x32x32x64xf32>
}

// CHECK-LABEL: kernel.program @small
// CHECK-NOT: kernel.winograd
kernel.program @small(%x: tensor<1x8x8x64xf32>, %w: tensor<64x3x3x64xf32>) -> tensor<1x8x8x64xf32> {
  %y = kernel.conv %x, %w : tensor<1x8x8x64xf32>, tensor<64x3x3x64xf32> acc f32 strides [1, 1] padding [1, 1, 1, 1]
      dilations [1, 1] input_dilations [1, 1] groups 1 space [1, 8, 8, 64] epilogue() maps [] -> [#all] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<1x8x8x64xf32>
  kernel.return %y : tensor<1x8x8x64xf32>
}
