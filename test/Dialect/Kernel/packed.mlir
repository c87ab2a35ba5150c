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

// expected-error @below {{expected a matrix or a filter of floats of at least 16 bits and a depth of 0 or 1, but got rank 1, elements of 'f32' and depth 0}}
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

// expected-error @below {{expected a packed matrix of less than 2^63 bytes}}
kernel.program @huge(%b: tensor<4611686018427387904x16xf32, #kernel.packed<rhs, depth = 0, bytes = 1024>>) {
  kernel.return
}

// -----

#all = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// A filter of 8 outputs and 4 channels unchanged, then turned: the second convolution has 4 outputs.
// CHECK-LABEL: kernel.program @filters
kernel.program @filters(%x: tensor<2x6x9x4xbf16>, %g: tensor<2x6x9x8xbf16>, %w: tensor<8x3x3x4xbf16>) -> (tensor<2x6x9x8xf32>, tensor<2x6x9x4xf32>) {
  // CHECK: %[[P:.*]] = kernel.pack %{{.*}} : tensor<8x3x3x4xbf16> to tensor<8x3x3x4xbf16, #kernel.packed<rhs, depth = 1, bytes = 2048>>
  %p = kernel.pack %w : tensor<8x3x3x4xbf16> to tensor<8x3x3x4xbf16, #kernel.packed<rhs, depth = 1, bytes = 2048>>
  %t = kernel.pack %w : tensor<8x3x3x4xbf16> to tensor<8x3x3x4xbf16, #kernel.packed<rhs, depth = 0, bytes = 3072>>
  // CHECK: kernel.conv %{{.*}}, %[[P]] : tensor<2x6x9x4xbf16>, tensor<8x3x3x4xbf16, #kernel.packed<rhs, depth = 1, bytes = 2048>>
  %y = kernel.conv %x, %p : tensor<2x6x9x4xbf16>, tensor<8x3x3x4xbf16, #kernel.packed<rhs, depth = 1, bytes = 2048>> acc f32 strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1]
      input_dilations [1, 1] groups 1 space [2, 6, 9, 8] epilogue () maps [] -> [#all] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<2x6x9x8xf32>
  %dx = kernel.conv %g, %t : tensor<2x6x9x8xbf16>, tensor<8x3x3x4xbf16, #kernel.packed<rhs, depth = 0, bytes = 3072>> acc f32 strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1]
      input_dilations [1, 1] groups 1 space [2, 6, 9, 4] epilogue () maps [] -> [#all] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<2x6x9x4xf32>
  kernel.return %y, %dx : tensor<2x6x9x8xf32>, tensor<2x6x9x4xf32>
}

// -----

kernel.program @turnedShape(%g: tensor<2x6x9x8xf32>, %t: tensor<8x3x3x4xf32, #kernel.packed<rhs, depth = 0, bytes = 4608>>) {
  // expected-error @below {{expected outputs of shape [2, 6, 9, 4], but got [2, 6, 9, 8]}}
  %0 = kernel.conv %g, %t : tensor<2x6x9x8xf32>, tensor<8x3x3x4xf32, #kernel.packed<rhs, depth = 0, bytes = 4608>> acc f32 strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1]
      input_dilations [1, 1] groups 1 space [2, 6, 9, 8] epilogue () maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<2x6x9x8xf32>
  kernel.return
}

// -----

kernel.program @groups(%x: tensor<2x6x9x8xf32>, %w: tensor<8x3x3x4xf32, #kernel.packed<rhs, depth = 1, bytes = 2304>>) {
  // constraint kernel.conv 8
  // expected-error @below {{expected one group, and an image without zeros between its pixels, beside the packed filter 'tensor<8x3x3x4xf32, #kernel.packed<rhs, depth = 1, bytes = 2304>>', but got 2 and input dilations [1, 1]}}
  %0 = kernel.conv %x, %w : tensor<2x6x9x8xf32>, tensor<8x3x3x4xf32, #kernel.packed<rhs, depth = 1, bytes = 2304>> acc f32 strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1]
      input_dilations [1, 1] groups 2 space [2, 6, 9, 8] epilogue () maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<2x6x9x8xf32>
  kernel.return
}

// -----

kernel.program @spread(%x: tensor<2x3x3x4xf32>, %w: tensor<8x3x3x4xf32, #kernel.packed<rhs, depth = 1, bytes = 2304>>) {
  // constraint kernel.conv 8
  // expected-error @below {{but got 1 and input dilations [2, 2]}}
  %0 = kernel.conv %x, %w : tensor<2x3x3x4xf32>, tensor<8x3x3x4xf32, #kernel.packed<rhs, depth = 1, bytes = 2304>> acc f32 strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1]
      input_dilations [2, 2] groups 1 space [2, 5, 5, 8] epilogue () maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<2x5x5x8xf32>
  kernel.return
}

// -----

kernel.program @otherImage(%x: tensor<2x6x9x4xf32>, %w: tensor<8x3x3x4xbf16, #kernel.packed<rhs, depth = 1, bytes = 2048>>) {
  // constraint kernel.conv 9
  // expected-error @below {{expected an image of the packed filter's type, and an accumulator of f64 only for f64, but got 'tensor<2x6x9x4xf32>', 'tensor<8x3x3x4xbf16, #kernel.packed<rhs, depth = 1, bytes = 2048>>' and 'f32'}}
  %0 = kernel.conv %x, %w : tensor<2x6x9x4xf32>, tensor<8x3x3x4xbf16, #kernel.packed<rhs, depth = 1, bytes = 2048>> acc f32 strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1]
      input_dilations [1, 1] groups 1 space [2, 6, 9, 8] epilogue () maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<2x6x9x8xf32>
  kernel.return
}

// -----

// expected-error @below {{expected a rotated filter of 16-bit numbers to have an even number of outputs, so that pairs end with taps, but got [7, 3, 3, 4]}}
kernel.program @oddTurned(%w: tensor<7x3x3x4xbf16, #kernel.packed<rhs, depth = 0, bytes = 3072>>) {
  kernel.return
}

// -----

// expected-error @below {{expected a matrix or a filter of floats of at least 16 bits and a depth of 0 or 1, but got rank 4}}
kernel.program @leftFilter(%w: tensor<8x3x3x4xf32, #kernel.packed<lhs, depth = 1, bytes = 4608>>) {
  kernel.return
}
