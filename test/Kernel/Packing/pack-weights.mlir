// RUN: ampc-opt %s --kernel-pack-weights | FileCheck %s
// RUN: ampc-opt %s --kernel-pack-weights="rows=16" | FileCheck %s --check-prefix=FEW
// RUN: ampc-opt %s --kernel-pack-weights=always | FileCheck %s --check-prefix=ALWAYS
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#w = affine_map<(d0, d1, d2) -> (d2, d1)>
#turned = affine_map<(d0, d1, d2) -> (d1, d2)>
#y = affine_map<(d0, d1) -> (d0, d1)>

// The export multiplies 32 rows: worth a copy unless less than 32 rows are asked for.
// CHECK: train.param @w :
// CHECK-NEXT: train.buffer @w.bf16.packed_turned : tensor<8x16xbf16, #kernel.packed<rhs, depth = 1, bytes = 1024>>
// CHECK-NEXT: train.buffer @w.bf16.packed : tensor<8x16xbf16, #kernel.packed<rhs, depth = 0, bytes = 1024>> = #train.zeros as working of @w
// CHECK: train.param @f :
// CHECK-NEXT: }
// FEW: train.buffer @w.bf16
// FEW-NOT: kernel.pack
// ALWAYS: train.param @f :
// ALWAYS-NEXT: train.buffer @f.packed : tensor<8x16xf32, #kernel.packed<rhs, depth = 0, bytes = 512>>
module {
  train.model @m {
    train.param @w : tensor<8x16xf32> = #train.zeros
    train.buffer @w.bf16 : tensor<8x16xbf16> = #train.zeros as working of @w
    train.param @f : tensor<8x16xf32> = #train.zeros
  }

  // A step writes the packed copies beside the parameter and the 16-bit copy goes: the first
  // product reads the same copy as the export, the second product reads the other order.
  // CHECK-LABEL: kernel.program @step
  // CHECK-SAME: %[[W:[^:]*]]: tensor<8x16xf32> {train.is = #train.state<@w>}
  // CHECK-SAME: %[[FORWARD:[^:]*]]: tensor<8x16xbf16, #kernel.packed<rhs, depth = 0, bytes = 1024>> {train.is = #train.state<@w.bf16.packed>}
  // CHECK-SAME: %[[TURNED:[^:]*]]: tensor<8x16xbf16, #kernel.packed<rhs, depth = 1, bytes = 1024>> {train.is = #train.state<@w.bf16.packed_turned>}
  // CHECK-NOT: #train.state<@w.bf16>
  // CHECK: kernel.gemm %{{.*}}, %[[FORWARD]] : tensor<2048x8xbf16>, tensor<8x16xbf16, #kernel.packed<rhs, depth = 0, bytes = 1024>>
  // CHECK: kernel.gemm %{{.*}}, %[[TURNED]] : tensor<2048x16xbf16>, tensor<8x16xbf16, #kernel.packed<rhs, depth = 1, bytes = 1024>>
  // CHECK: %[[UPDATE:.*]]:2 = kernel.map
  // CHECK: %[[A:.*]] = kernel.pack %[[UPDATE]]#1 : tensor<8x16xbf16> to tensor<8x16xbf16, #kernel.packed<rhs, depth = 0, bytes = 1024>>
  // CHECK: %[[B:.*]] = kernel.pack %[[UPDATE]]#1 : tensor<8x16xbf16> to tensor<8x16xbf16, #kernel.packed<rhs, depth = 1, bytes = 1024>>
  // CHECK: kernel.return %[[UPDATE]]#0, %{{.*}}, %{{.*}}, %[[A]], %[[B]]
  kernel.program @step(%w: tensor<8x16xf32> {train.is = #train.state<@w>}, %low: tensor<8x16xbf16> {train.is = #train.state<@w.bf16>},
      %x: tensor<2048x8xbf16> {train.is = #train.input<"x">}, %g: tensor<2048x16xbf16> {train.is = #train.input<"g">})
      -> (tensor<8x16xf32> {train.is = #train.state<@w>}, tensor<8x16xbf16> {train.is = #train.state<@w.bf16>}, tensor<2048x16xf32> {train.is = #train.output<named, name = "y">},
          tensor<2048x8xf32> {train.is = #train.output<named, name = "dx">}) attributes {role = #train.role<train>} {
    %y = kernel.gemm %x, %low : tensor<2048x8xbf16>, tensor<8x16xbf16> acc f32 maps [#x, #w] space [2048, 16] depth 8
      epilogue () maps [] -> [#y] {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    } : tensor<2048x16xf32>
    %dx = kernel.gemm %g, %low : tensor<2048x16xbf16>, tensor<8x16xbf16> acc f32 maps [#x, #turned] space [2048, 8] depth 16
      epilogue () maps [] -> [#y] {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    } : tensor<2048x8xf32>
    %new:2 = kernel.map(%w : tensor<8x16xf32>) space [8, 16] maps [#y] -> [#y, #y] {
    ^bb0(%e: f32):
      %0 = arith.addf %e, %e : f32
      %1 = arith.truncf %0 : f32 to bf16
      kernel.yield %0, %1 : f32, bf16
    } : tensor<8x16xf32>, tensor<8x16xbf16>
    kernel.return %new#0, %new#1, %y, %dx : tensor<8x16xf32>, tensor<8x16xbf16>, tensor<2048x16xf32>, tensor<2048x8xf32>
  }

  // CHECK-LABEL: kernel.program @predict
  // CHECK-SAME: %[[F:[^:]*]]: tensor<8x16xf32> {train.is = #train.state<@f>}
  // CHECK-SAME: {train.is = #train.state<@w.bf16.packed>}
  // CHECK: kernel.gemm %{{.*}}, %{{.*}} : tensor<32x8xbf16>, tensor<8x16xbf16, #kernel.packed<rhs, depth = 0, bytes = 1024>>
  // CHECK: kernel.gemm %{{.*}}, %[[F]] : tensor<512x8xf32>, tensor<8x16xf32>
  kernel.program @predict(%low: tensor<8x16xbf16> {train.is = #train.state<@w.bf16>}, %f: tensor<8x16xf32> {train.is = #train.state<@f>},
      %x: tensor<32x8xbf16> {train.is = #train.input<"x">}, %z: tensor<512x8xf32> {train.is = #train.input<"z">})
      -> (tensor<32x16xf32> {train.is = #train.output<named, name = "y">}, tensor<512x16xf32> {train.is = #train.output<named, name = "q">}) attributes {role = #train.role<export>} {
    %y = kernel.gemm %x, %low : tensor<32x8xbf16>, tensor<8x16xbf16> acc f32 maps [#x, #w] space [32, 16] depth 8
      epilogue () maps [] -> [#y] {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    } : tensor<32x16xf32>
    %q = kernel.gemm %z, %f : tensor<512x8xf32>, tensor<8x16xf32> acc f32 maps [#x, #w] space [512, 16] depth 8
      epilogue () maps [] -> [#y] {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    } : tensor<512x16xf32>
    kernel.return %y, %q : tensor<32x16xf32>, tensor<512x16xf32>
  }

  // CHECK-LABEL: kernel.program @derive
  // CHECK: kernel.pack %
  // CHECK: kernel.pack %
  // CHECK-NOT: kernel.pack %
  // ALWAYS-LABEL: kernel.program @derive
  // ALWAYS-SAME: {train.is = #train.state<@f>}
  // ALWAYS-SAME: tensor<8x16xf32, #kernel.packed<rhs, depth = 0, bytes = 512>> {train.is = #train.state<@f.packed>}
  kernel.program @derive(%w: tensor<8x16xf32> {train.is = #train.state<@w>}) -> (tensor<8x16xbf16> {train.is = #train.state<@w.bf16>})
      attributes {role = #train.role<derive>} {
    %low = kernel.map(%w : tensor<8x16xf32>) space [8, 16] maps [#y] -> [#y] {
    ^bb0(%e: f32):
      %0 = arith.truncf %e : f32 to bf16
      kernel.yield %0 : bf16
    } : tensor<8x16xbf16>
    kernel.return %low : tensor<8x16xbf16>
  }
}
