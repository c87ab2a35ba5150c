// RUN: ampc-opt %s --kernel-pack-weights -split-input-file | FileCheck %s
// RUN: ampc-opt %s --kernel-pack-weights=always -split-input-file | FileCheck %s --check-prefix=ALWAYS
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#all = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#turned = affine_map<(d0, d1, d2, d3) -> (d3, 2 - d1, 2 - d2, d0)>

// A step packs the filter of the convolution and of the image's gradient: the turned filter is worth a copy, and then the 16-bit copy goes.
// CHECK: train.param @w :
// CHECK-NEXT: train.buffer @w.bf16.packed_turned : tensor<64x3x3x32xbf16, #kernel.packed<rhs, depth = 0, bytes = 36864>> = #train.zeros as working of @w
// CHECK-NEXT: train.buffer @w.bf16.packed : tensor<64x3x3x32xbf16, #kernel.packed<rhs, depth = 1, bytes = 36864>> = #train.zeros as working of @w
// CHECK-NOT: train.buffer
module {
  train.model @m {
    train.param @w : tensor<64x3x3x32xf32> = #train.zeros
    train.buffer @w.bf16 : tensor<64x3x3x32xbf16> = #train.zeros as working of @w
  }

  // CHECK-LABEL: kernel.program @step
  // CHECK-SAME: %[[W:[^:]*]]: tensor<64x3x3x32xf32> {train.is = #train.state<@w>}
  // CHECK-SAME: %[[PLAIN:[^:]*]]: tensor<64x3x3x32xbf16, #kernel.packed<rhs, depth = 1, bytes = 36864>> {train.is = #train.state<@w.bf16.packed>}
  // CHECK-SAME: %[[TURNED:[^:]*]]: tensor<64x3x3x32xbf16, #kernel.packed<rhs, depth = 0, bytes = 36864>> {train.is = #train.state<@w.bf16.packed_turned>}
  // CHECK-NOT: #train.state<@w.bf16>
  // CHECK-NOT: kernel.map
  // CHECK: kernel.conv %{{.*}}, %[[PLAIN]] :
  // CHECK-NOT: kernel.map
  // CHECK: kernel.conv %{{.*}}, %[[TURNED]] :
  // CHECK: %[[UPDATE:.*]]:2 = kernel.map(%[[W]]
  // CHECK: %[[A:.*]] = kernel.pack %[[UPDATE]]#1 : tensor<64x3x3x32xbf16> to tensor<64x3x3x32xbf16, #kernel.packed<rhs, depth = 1, bytes = 36864>>
  // CHECK: %[[B:.*]] = kernel.pack %[[UPDATE]]#1 : tensor<64x3x3x32xbf16> to tensor<64x3x3x32xbf16, #kernel.packed<rhs, depth = 0, bytes = 36864>>
  // CHECK: kernel.return %[[UPDATE]]#0, %{{.*}}, %{{.*}}, %[[A]], %[[B]]
  kernel.program @step(%w: tensor<64x3x3x32xf32> {train.is = #train.state<@w>}, %low: tensor<64x3x3x32xbf16> {train.is = #train.state<@w.bf16>},
      %x: tensor<4x8x8x32xbf16> {train.is = #train.input<"x">}, %g: tensor<4x8x8x64xbf16> {train.is = #train.input<"g">})
      -> (tensor<64x3x3x32xf32> {train.is = #train.state<@w>}, tensor<64x3x3x32xbf16> {train.is = #train.state<@w.bf16>}, tensor<4x8x8x64xf32> {train.is = #train.output<named, name = "y">},
          tensor<4x8x8x32xf32> {train.is = #train.output<named, name = "dx">}) attributes {role = #train.role<train>} {
    %y = kernel.conv %x, %low : tensor<4x8x8x32xbf16>, tensor<64x3x3x32xbf16> acc f32 strides [1, 1] padding [1, 1, 1, 1]
        dilations [1, 1] input_dilations [1, 1] groups 1 space [4, 8, 8, 64] epilogue () maps [] -> [#all] {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    } : tensor<4x8x8x64xf32>
    %t = kernel.map(%low : tensor<64x3x3x32xbf16>) space [32, 3, 3, 64] maps [#turned] -> [#all] {
    ^bb0(%e: bf16):
      kernel.yield %e : bf16
    } : tensor<32x3x3x64xbf16>
    %dx = kernel.conv %g, %t : tensor<4x8x8x64xbf16>, tensor<32x3x3x64xbf16> acc f32 strides [1, 1] padding [1, 1, 1, 1]
        dilations [1, 1] input_dilations [1, 1] groups 1 space [4, 8, 8, 32] epilogue () maps [] -> [#all] {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    } : tensor<4x8x8x32xf32>
    %new:2 = kernel.map(%w : tensor<64x3x3x32xf32>) space [64, 3, 3, 32] maps [#all] -> [#all, #all] {
    ^bb0(%e: f32):
      %0 = arith.addf %e, %e : f32
      %1 = arith.truncf %0 : f32 to bf16
      kernel.yield %0, %1 : f32, bf16
    } : tensor<64x3x3x32xf32>, tensor<64x3x3x32xbf16>
    kernel.return %new#0, %new#1, %y, %dx : tensor<64x3x3x32xf32>, tensor<64x3x3x32xbf16>, tensor<4x8x8x64xf32>, tensor<4x8x8x32xf32>
  }

  // CHECK-LABEL: kernel.program @derive
  // CHECK: kernel.pack %
  // CHECK: kernel.pack %
  // CHECK-NOT: kernel.pack %
  kernel.program @derive(%w: tensor<64x3x3x32xf32> {train.is = #train.state<@w>}) -> (tensor<64x3x3x32xbf16> {train.is = #train.state<@w.bf16>})
      attributes {role = #train.role<derive>} {
    %low = kernel.map(%w : tensor<64x3x3x32xf32>) space [64, 3, 3, 32] maps [#all] -> [#all] {
    ^bb0(%e: f32):
      %0 = arith.truncf %e : f32 to bf16
      kernel.yield %0 : bf16
    } : tensor<64x3x3x32xbf16>
    kernel.return %low : tensor<64x3x3x32xbf16>
  }
}

// -----

#all = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#turned = affine_map<(d0, d1, d2, d3) -> (d3, 2 - d1, 2 - d2, d0)>
#swapped = affine_map<(d0, d1, d2, d3) -> (d3, d1, d2, d0)>

// Readers pack filters of groups, of images with zeros between the pixels, exchanged but not turned filters, and odd numbers of 16-bit outputs.
// CHECK: train.param @spread
// CHECK-NOT: packed
// ALWAYS: train.param @spread
// ALWAYS-NOT: packed
module {
  train.model @m {
    train.param @groups : tensor<16x3x3x8xf32> = #train.zeros
    train.param @spread : tensor<16x3x3x16xf32> = #train.zeros
    train.param @swapped : tensor<16x3x3x16xf32> = #train.zeros
    train.param @odd : tensor<5x3x3x16xbf16> = #train.zeros
  }
  kernel.program @predict(%groups: tensor<16x3x3x8xf32> {train.is = #train.state<@groups>}, %spread: tensor<16x3x3x16xf32> {train.is = #train.state<@spread>},
      %swapped: tensor<16x3x3x16xf32> {train.is = #train.state<@swapped>}, %odd: tensor<5x3x3x16xbf16> {train.is = #train.state<@odd>},
      %x: tensor<1x4x4x16xf32> {train.is = #train.input<"x">}, %g: tensor<1x4x4x5xbf16> {train.is = #train.input<"g">})
      -> (tensor<1x4x4x16xf32> {train.is = #train.output<named, name = "a">}, tensor<1x7x7x16xf32> {train.is = #train.output<named, name = "b">},
          tensor<1x4x4x16xf32> {train.is = #train.output<named, name = "c">}, tensor<1x4x4x16xf32> {train.is = #train.output<named, name = "d">}) attributes {role = #train.role<export>} {
    %a = kernel.conv %x, %groups : tensor<1x4x4x16xf32>, tensor<16x3x3x8xf32> acc f32 strides [1, 1] padding [1, 1, 1, 1]
        dilations [1, 1] input_dilations [1, 1] groups 2 space [1, 4, 4, 16] epilogue () maps [] -> [#all] {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    } : tensor<1x4x4x16xf32>
    %b = kernel.conv %x, %spread : tensor<1x4x4x16xf32>, tensor<16x3x3x16xf32> acc f32 strides [1, 1] padding [1, 1, 1, 1]
        dilations [1, 1] input_dilations [2, 2] groups 1 space [1, 7, 7, 16] epilogue () maps [] -> [#all] {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    } : tensor<1x7x7x16xf32>
    %s = kernel.map(%swapped : tensor<16x3x3x16xf32>) space [16, 3, 3, 16] maps [#swapped] -> [#all] {
    ^bb0(%e: f32):
      kernel.yield %e : f32
    } : tensor<16x3x3x16xf32>
    %c = kernel.conv %x, %s : tensor<1x4x4x16xf32>, tensor<16x3x3x16xf32> acc f32 strides [1, 1] padding [1, 1, 1, 1]
        dilations [1, 1] input_dilations [1, 1] groups 1 space [1, 4, 4, 16] epilogue () maps [] -> [#all] {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    } : tensor<1x4x4x16xf32>
    %t = kernel.map(%odd : tensor<5x3x3x16xbf16>) space [16, 3, 3, 5] maps [#turned] -> [#all] {
    ^bb0(%e: bf16):
      kernel.yield %e : bf16
    } : tensor<16x3x3x5xbf16>
    %d = kernel.conv %g, %t : tensor<1x4x4x5xbf16>, tensor<16x3x3x5xbf16> acc f32 strides [1, 1] padding [1, 1, 1, 1]
        dilations [1, 1] input_dilations [1, 1] groups 1 space [1, 4, 4, 16] epilogue () maps [] -> [#all] {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    } : tensor<1x4x4x16xf32>
    kernel.return %a, %b, %c, %d : tensor<1x4x4x16xf32>, tensor<1x7x7x16xf32>, tensor<1x4x4x16xf32>, tensor<1x4x4x16xf32>
  }
}

// -----

#all = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// An export of few tiles reads the transformed filter; the step, which reads the same, transforms the filter when writing it back. A filter that more
// tiles share is transformed by each call.
// CHECK: train.param @w :
// CHECK-NEXT: train.buffer @w.packed_tiles2 : tensor<512x16xf32, #kernel.packed<rhs, depth = 1, bytes = 32768>> = #train.zeros as working of @w
// CHECK: train.param @many :
// CHECK-NEXT: }
// ALWAYS: train.param @w : tensor<32x3x3x16xf32>
// ALWAYS: train.buffer @many.packed_tiles2
module {
  train.model @m {
    train.param @w : tensor<32x3x3x16xf32> = #train.zeros
    train.param @many : tensor<32x3x3x16xf32> = #train.zeros
  }
  // CHECK-LABEL: kernel.program @step
  // CHECK-SAME: %[[W:[^:]*]]: tensor<32x3x3x16xf32> {train.is = #train.state<@w>}
  // CHECK-SAME: %[[TILES:[^:]*]]: tensor<512x16xf32, #kernel.packed<rhs, depth = 1, bytes = 32768>> {train.is = #train.state<@w.packed_tiles2>}
  // CHECK-NOT: kernel.winograd_filter
  // CHECK: kernel.winograd %{{.*}}, %[[TILES]] tile 2
  // CHECK: %[[UPDATE:.*]] = kernel.map(%[[W]]
  // CHECK: %[[NEW:.*]] = kernel.winograd_filter %[[UPDATE]] tile 2
  // CHECK: kernel.return %[[UPDATE]], %{{.*}}, %[[NEW]]
  kernel.program @step(%w: tensor<32x3x3x16xf32> {train.is = #train.state<@w>}, %x: tensor<8x32x32x16xf32> {train.is = #train.input<"x">})
      -> (tensor<32x3x3x16xf32> {train.is = #train.state<@w>}, tensor<8x32x32x32xf32> {train.is = #train.output<named, name = "y">}) attributes {role = #train.role<train>} {
    %f = kernel.winograd_filter %w tile 2 : tensor<32x3x3x16xf32> -> tensor<512x16xf32, #kernel.packed<rhs, depth = 1, bytes = 32768>>
    %y = kernel.winograd %x, %f tile 2 : tensor<8x32x32x16xf32>, tensor<512x16xf32, #kernel.packed<rhs, depth = 1, bytes = 32768>> padding [1, 1, 1, 1]
        space [8, 32, 32, 32] epilogue() maps [] -> [#all] {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    } : tensor<8x32x32x32xf32>
    %new = kernel.map(%w : tensor<32x3x3x16xf32>) space [32, 3, 3, 16] maps [#all] -> [#all] {
    ^bb0(%e: f32):
      %0 = arith.addf %e, %e : f32
      kernel.yield %0 : f32
    } : tensor<32x3x3x16xf32>
    kernel.return %new, %y : tensor<32x3x3x16xf32>, tensor<8x32x32x32xf32>
  }
  // CHECK-LABEL: kernel.program @predict
  // CHECK-SAME: {train.is = #train.state<@w.packed_tiles2>}
  // CHECK: kernel.winograd_filter
  // CHECK-NOT: kernel.winograd_filter
  // CHECK: kernel.return
  kernel.program @predict(%w: tensor<32x3x3x16xf32> {train.is = #train.state<@w>}, %many: tensor<32x3x3x16xf32> {train.is = #train.state<@many>},
      %x: tensor<1x24x24x16xf32> {train.is = #train.input<"x">}, %z: tensor<5x32x32x16xf32> {train.is = #train.input<"z">})
      -> (tensor<1x24x24x32xf32> {train.is = #train.output<named, name = "y">}, tensor<5x32x32x32xf32> {train.is = #train.output<named, name = "q">}) attributes {role = #train.role<export>} {
    %f = kernel.winograd_filter %w tile 2 : tensor<32x3x3x16xf32> -> tensor<512x16xf32, #kernel.packed<rhs, depth = 1, bytes = 32768>>
    %y = kernel.winograd %x, %f tile 2 : tensor<1x24x24x16xf32>, tensor<512x16xf32, #kernel.packed<rhs, depth = 1, bytes = 32768>> padding [1, 1, 1, 1]
        space [1, 24, 24, 32] epilogue() maps [] -> [#all] {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    } : tensor<1x24x24x32xf32>
    %m = kernel.winograd_filter %many tile 2 : tensor<32x3x3x16xf32> -> tensor<512x16xf32, #kernel.packed<rhs, depth = 1, bytes = 32768>>
    %q = kernel.winograd %z, %m tile 2 : tensor<5x32x32x16xf32>, tensor<512x16xf32, #kernel.packed<rhs, depth = 1, bytes = 32768>> padding [1, 1, 1, 1]
        space [5, 32, 32, 32] epilogue() maps [] -> [#all] {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    } : tensor<5x32x32x32xf32>
    kernel.return %y, %q : tensor<1x24x24x32xf32>, tensor<5x32x32x32xf32>
  }
}
