// An epilogue of a filter gradient walks taps and channels as a single dimension: only operands and results in that order fuse, others stay kernels.
// RUN: %ampc-opt %s --kernel-fuse | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#turned = affine_map<(d0, d1, d2, d3) -> (d1, d0, d2, d3)>

// CHECK-LABEL: kernel.program @scaled
// CHECK-NOT: kernel.map
// CHECK: kernel.conv_filter {{.*}} epilogue(%{{.*}} : tensor<4x3x3x5xf32>)
// CHECK-NOT: kernel.map
kernel.program @scaled(%g: tensor<2x6x6x4xf32>, %x: tensor<2x6x6x5xf32>, %y: tensor<4x3x3x5xf32>) -> tensor<4x3x3x5xf32> {
  %0 = kernel.conv_filter %x, %g : tensor<2x6x6x5xf32>, tensor<2x6x6x4xf32> acc f32 strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] input_dilations [1, 1] groups 1 space [4, 3, 3, 5]
      epilogue() maps [] -> [#id] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<4x3x3x5xf32>
  %1 = kernel.map(%0, %y : tensor<4x3x3x5xf32>, tensor<4x3x3x5xf32>) space [4, 3, 3, 5] maps [#id, #id] -> [#id] {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    kernel.yield %s : f32
  } : tensor<4x3x3x5xf32>
  kernel.return %1 : tensor<4x3x3x5xf32>
}
// CHECK-LABEL: kernel.program @read
// CHECK: kernel.conv_filter {{.*}} epilogue()
// CHECK: kernel.map
kernel.program @read(%g: tensor<2x6x6x4xf32>, %x: tensor<2x6x6x5xf32>, %y: tensor<3x4x3x5xf32>) -> tensor<4x3x3x5xf32> {
  %0 = kernel.conv_filter %x, %g : tensor<2x6x6x5xf32>, tensor<2x6x6x4xf32> acc f32 strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] input_dilations [1, 1] groups 1 space [4, 3, 3, 5]
      epilogue() maps [] -> [#id] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<4x3x3x5xf32>
  %1 = kernel.map(%0, %y : tensor<4x3x3x5xf32>, tensor<3x4x3x5xf32>) space [4, 3, 3, 5] maps [#id, #turned] -> [#id] {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    kernel.yield %s : f32
  } : tensor<4x3x3x5xf32>
  kernel.return %1 : tensor<4x3x3x5xf32>
}
// CHECK-LABEL: kernel.program @composed
// CHECK: kernel.map
// CHECK: kernel.conv_filter {{.*}} epilogue(%{{.*}} : tensor<4x3x3x5xf32>)
kernel.program @composed(%g: tensor<2x6x6x4xf32>, %x: tensor<2x6x6x5xf32>, %y: tensor<3x4x3x5xf32>) -> tensor<4x3x3x5xf32> {
  %t = kernel.map(%y : tensor<3x4x3x5xf32>) space [4, 3, 3, 5] maps [#turned] -> [#id] {
  ^bb0(%a: f32):
    %s = arith.negf %a : f32
    kernel.yield %s : f32
  } : tensor<4x3x3x5xf32>
  %0 = kernel.conv_filter %x, %g : tensor<2x6x6x5xf32>, tensor<2x6x6x4xf32> acc f32 strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] input_dilations [1, 1] groups 1 space [4, 3, 3, 5]
      epilogue(%t : tensor<4x3x3x5xf32>) maps [#id] -> [#id] {
  ^bb0(%sum: f32, %a: f32):
    %s = arith.addf %sum, %a : f32
    kernel.yield %s : f32
  } : tensor<4x3x3x5xf32>
  kernel.return %0 : tensor<4x3x3x5xf32>
}
// CHECK-LABEL: kernel.program @written
// CHECK: kernel.conv_filter {{.*}} -> [#map] {{.*}}
// CHECK: kernel.map
kernel.program @written(%g: tensor<2x6x6x4xf32>, %x: tensor<2x6x6x5xf32>) -> tensor<3x4x3x5xf32> {
  %0 = kernel.conv_filter %x, %g : tensor<2x6x6x5xf32>, tensor<2x6x6x4xf32> acc f32 strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] input_dilations [1, 1] groups 1 space [4, 3, 3, 5]
      epilogue() maps [] -> [#id] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<4x3x3x5xf32>
  %1 = kernel.map(%0 : tensor<4x3x3x5xf32>) space [4, 3, 3, 5] maps [#id] -> [#turned] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<3x4x3x5xf32>
  kernel.return %1 : tensor<3x4x3x5xf32>
}
