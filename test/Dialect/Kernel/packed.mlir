// RUN: %ampc-opt %s -split-input-file -verify-diagnostics | %ampc-opt -split-input-file | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: kernel.program @product
kernel.program @product(%a: tensor<4x8xbf16>, %b: tensor<8x16xbf16>) -> tensor<4x16xf32> {
  // CHECK: %[[P:.*]] = kernel.pack %{{.*}} : tensor<8x16xbf16> to tensor<8x16xbf16, #kernel.packed<rhs, depth = 0, bytes = 1024>>
  %p = kernel.pack %b : tensor<8x16xbf16> to tensor<8x16xbf16, #kernel.packed<rhs, depth = 0, bytes = 1024>>
  // CHECK: kernel.gemm %{{.*}}, %[[P]] : tensor<4x8xbf16>, tensor<8x16xbf16, #kernel.packed<rhs, depth = 0, bytes = 1024>>
  %r = kernel.gemm %a, %p : tensor<4x8xbf16>, tensor<8x16xbf16, #kernel.packed<rhs, depth = 0, bytes = 1024>> acc f32 maps [#a, #b] space [4, 16] depth 8
    epilogue () maps [] -> [#c] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<4x16xf32>
  kernel.return %r : tensor<4x16xf32>
}

// -----

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @otherSide(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) {
  %p = kernel.pack %b : tensor<8x16xf32> to tensor<8x16xf32, #kernel.packed<lhs, depth = 0, bytes = 1024>>
  // constraint kernel.gemm 8
  // expected-error @below {{'kernel.gemm' op expected operand 1 to be packed for its side and read by affine_map<(d0, d1, d2) -> (d2, d1)>, but got 'tensor<8x16xf32, #kernel.packed<lhs, depth = 0, bytes = 1024>>'}}
  %r = kernel.gemm %a, %p : tensor<4x8xf32>, tensor<8x16xf32, #kernel.packed<lhs, depth = 0, bytes = 1024>> acc f32 maps [#a, #b] space [4, 16] depth 8
    epilogue () maps [] -> [#c] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<4x16xf32>
  kernel.return
}

// -----

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @otherDepth(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) {
  %p = kernel.pack %b : tensor<8x16xf32> to tensor<8x16xf32, #kernel.packed<rhs, depth = 1, bytes = 1024>>
  // constraint kernel.gemm 8
  // expected-error @below {{expected operand 1 to be packed for its side and read by affine_map<(d0, d1, d2) -> (d1, d2)>}}
  %r = kernel.gemm %a, %p : tensor<4x8xf32>, tensor<8x16xf32, #kernel.packed<rhs, depth = 1, bytes = 1024>> acc f32 maps [#a, #b] space [4, 16] depth 8
    epilogue () maps [] -> [#c] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<4x16xf32>
  kernel.return
}

// -----

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @part(%a: tensor<4x8xf32>, %b: tensor<8x32xf32>) {
  %p = kernel.pack %b : tensor<8x32xf32> to tensor<8x32xf32, #kernel.packed<rhs, depth = 0, bytes = 1024>>
  // constraint kernel.gemm 9
  // expected-error @below {{expected all 16 lines of operand 1 with depth 8, but got 'tensor<8x32xf32, #kernel.packed<rhs, depth = 0, bytes = 1024>>'}}
  %r = kernel.gemm %a, %p : tensor<4x8xf32>, tensor<8x32xf32, #kernel.packed<rhs, depth = 0, bytes = 1024>> acc f32 maps [#a, #b] space [4, 16] depth 8
    epilogue () maps [] -> [#c] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<4x16xf32>
  kernel.return
}

// -----

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @twoTypes(%a: tensor<4x8xf32>, %b: tensor<8x16xbf16>) {
  %p = kernel.pack %b : tensor<8x16xbf16> to tensor<8x16xbf16, #kernel.packed<rhs, depth = 0, bytes = 1024>>
  // constraint kernel.gemm 10
  // expected-error @below {{expected operands of one type, and an accumulator of f64 only for f64}}
  %r = kernel.gemm %a, %p : tensor<4x8xf32>, tensor<8x16xbf16, #kernel.packed<rhs, depth = 0, bytes = 1024>> acc f32 maps [#a, #b] space [4, 16] depth 8
    epilogue () maps [] -> [#c] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<4x16xf32>
  kernel.return
}

// -----

kernel.program @otherShape(%b: tensor<8x16xf32>) {
  // constraint kernel.pack 1
  // expected-error @below {{'kernel.pack' op expected 'tensor<8x16xf32>' with a packed encoding, but got 'tensor<16x8xf32, #kernel.packed<rhs, depth = 0, bytes = 1024>>'}}
  %p = kernel.pack %b : tensor<8x16xf32> to tensor<16x8xf32, #kernel.packed<rhs, depth = 0, bytes = 1024>>
  kernel.return
}

// -----

kernel.program @packedTwice(%b: tensor<8x16xf32>) {
  %p = kernel.pack %b : tensor<8x16xf32> to tensor<8x16xf32, #kernel.packed<rhs, depth = 0, bytes = 512>>
  // constraint KernelOpInterface 2
  // expected-error @below {{'kernel.pack' op expected a tensor that is not packed as operand 0}}
  %q = kernel.pack %p : tensor<8x16xf32, #kernel.packed<rhs, depth = 0, bytes = 512>> to tensor<8x16xf32, #kernel.packed<rhs, depth = 1, bytes = 1024>>
  kernel.return
}

// -----

kernel.program @viewed(%b: tensor<8x16xf32>) {
  %p = kernel.pack %b : tensor<8x16xf32> to tensor<8x16xf32, #kernel.packed<rhs, depth = 0, bytes = 512>>
  // constraint kernel.view 2
  // expected-error @below {{'kernel.view' op expected tensors that are not packed}}
  %q = kernel.view %p : tensor<8x16xf32, #kernel.packed<rhs, depth = 0, bytes = 512>> to tensor<128xf32>
  kernel.return
}

// -----

kernel.program @gathered(%b: tensor<8x16xf32>, %i: tensor<2xi32>) {
  %p = kernel.pack %b : tensor<8x16xf32> to tensor<8x16xf32, #kernel.packed<rhs, depth = 0, bytes = 512>>
  // constraint KernelOpInterface 2
  // expected-error @below {{'kernel.gather' op expected a tensor that is not packed as operand 0}}
  %q = kernel.gather %p, %i : tensor<8x16xf32, #kernel.packed<rhs, depth = 0, bytes = 512>>, tensor<2xi32> -> tensor<2x16xf32>
  kernel.return
}

// -----

// expected-error @below {{expected a matrix of floats of at least 16 bits and a depth of 0 or 1, but got rank 1, elements of 'f32' and depth 0}}
kernel.program @noMatrix(%b: tensor<8xf32, #kernel.packed<rhs, depth = 0, bytes = 32>>) {
  kernel.return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: kernel.program @written
kernel.program @written(%b: tensor<8x16xf32>) {
  // CHECK: } : tensor<8x16xf32>, tensor<8x16xf32, #kernel.packed<rhs, depth = 1, bytes = 1024>>
  %p:2 = kernel.map(%b : tensor<8x16xf32>) space [8, 16] maps [#id] -> [#id, #id] {
  ^bb0(%x: f32):
    kernel.yield %x, %x : f32, f32
  } : tensor<8x16xf32>, tensor<8x16xf32, #kernel.packed<rhs, depth = 1, bytes = 1024>>
  kernel.return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @writtenLeft(%b: tensor<8x16xf32>) {
  // constraint kernel.map 1
  // expected-error @below {{'kernel.map' op expected a packed result to be a right side of the space's shape, written element by element by a body that reduces nothing, but got 'tensor<8x16xf32, #kernel.packed<lhs, depth = 1, bytes = 2048>>'}}
  %p = kernel.map(%b : tensor<8x16xf32>) space [8, 16] maps [#id] -> [#id] {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } : tensor<8x16xf32, #kernel.packed<lhs, depth = 1, bytes = 2048>>
  kernel.return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
kernel.program @writtenAcross(%b: tensor<8x8xf32>) {
  // constraint kernel.map 1
  // expected-error @below {{'kernel.map' op expected a packed result to be a right side of the space's shape}}
  %p = kernel.map(%b : tensor<8x8xf32>) space [8, 8] maps [#id] -> [#turned] {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } : tensor<8x8xf32, #kernel.packed<rhs, depth = 1, bytes = 512>>
  kernel.return
}

// -----

#part = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @writtenInPart(%b: tensor<8x16xf32>) {
  // constraint kernel.map 1
  // expected-error @below {{'kernel.map' op expected a packed result to be a right side of the space's shape}}
  %p = kernel.map(%b : tensor<8x16xf32>) space [8, 8] maps [#part] -> [#part] {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } : tensor<8x16xf32, #kernel.packed<rhs, depth = 1, bytes = 1024>>
  kernel.return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @reduced(%b: tensor<8x16xf32>) {
  // constraint kernel.map 1
  // expected-error @below {{'kernel.map' op expected a packed result to be a right side of the space's shape}}
  %p = kernel.map(%b : tensor<8x16xf32>) space [8, 16] maps [#id] -> [#id] {
  ^bb0(%x: f32):
    %0 = kernel.row_reduce sum %x : f32
    kernel.yield %0 : f32
  } : tensor<8x16xf32, #kernel.packed<rhs, depth = 1, bytes = 1024>>
  kernel.return
}

// -----

// expected-error @below {{expected a packed matrix of static shape}}
kernel.program @dynamic(%b: tensor<?x16xf32, #kernel.packed<rhs, depth = 0, bytes = 1024>>) {
  kernel.return
}

// -----

// expected-error @below {{expected a packed matrix whose bytes 64 bits count}}
kernel.program @huge(%b: tensor<4611686018427387904x16xf32, #kernel.packed<rhs, depth = 0, bytes = 1024>>) {
  kernel.return
}
