// RUN: ampc-kernel-run --reductions %s | FileCheck %s --implicit-check-not=FAILED --implicit-check-not=depends
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A single element that is not finite, at the first position, inside, or at the end of an edge: the kernel's totals show the element.

// CHECK-COUNT-13: _plain: {{.*}}ok

kernel.program @first(%a: tensor<37x19xf32>, %b: tensor<19x35xf32>, %c: tensor<37x35xf32>) -> tensor<37x35xf32> {
  %r = kernel.gemm %a, %b : tensor<37x19xf32>, tensor<19x35xf32> acc f32
    maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>] space [37, 35] depth 19
    epilogue (%c : tensor<37x35xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>]
    attributes {test.element = array<i64: 2, 0>, test.tolerance = 0.00003} {
  ^bb0(%sum: f32, %x: f32):
    %0 = arith.addf %sum, %x : f32
    kernel.yield %0 : f32
  } : tensor<37x35xf32>
  kernel.return %r : tensor<37x35xf32>
}
kernel.program @last(%a: tensor<37x19xf32>, %b: tensor<19x35xf32>, %c: tensor<37x35xf32>) -> tensor<37x35xf32> {
  %r = kernel.gemm %a, %b : tensor<37x19xf32>, tensor<19x35xf32> acc f32
    maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>] space [37, 35] depth 19
    epilogue (%c : tensor<37x35xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>]
    attributes {test.element = array<i64: 2, 1294>, test.value = 0x7FC00000 : f32, test.tolerance = 0.00003} {
  ^bb0(%sum: f32, %x: f32):
    %0 = arith.addf %sum, %x : f32
    kernel.yield %0 : f32
  } : tensor<37x35xf32>
  kernel.return %r : tensor<37x35xf32>
}

// In the last column of a row inside, and in the last row.
kernel.program @column(%a: tensor<37x19xbf16>, %b: tensor<19x35xbf16>, %c: tensor<37x35xf32>) -> tensor<37x35xf32> {
  %r = kernel.gemm %a, %b : tensor<37x19xbf16>, tensor<19x35xbf16> acc f32
    maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>] space [37, 35] depth 19
    epilogue (%c : tensor<37x35xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>]
    attributes {test.element = array<i64: 2, 699>, test.tolerance = 0.00003} {
  ^bb0(%sum: f32, %x: f32):
    %0 = arith.addf %sum, %x : f32
    kernel.yield %0 : f32
  } : tensor<37x35xf32>
  kernel.return %r : tensor<37x35xf32>
}
kernel.program @row(%a: tensor<2100x70xf16>, %b: tensor<2100x40xf16>, %c: tensor<70x40xf32>) -> tensor<70x40xf32> {
  %r = kernel.gemm %a, %b : tensor<2100x70xf16>, tensor<2100x40xf16> acc f32
    maps [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>] space [70, 40] depth 2100
    epilogue (%c : tensor<70x40xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>]
    attributes {test.low = -1.0, test.high = 1.0, test.element = array<i64: 2, 2760>, test.value = 0xFF800000 : f32, test.tolerance = 0.00003} {
  ^bb0(%sum: f32, %x: f32):
    %0 = arith.addf %sum, %x : f32
    kernel.yield %0 : f32
  } : tensor<70x40xf32>
  kernel.return %r : tensor<70x40xf32>
}

// Several tasks.
kernel.program @tasks(%a: tensor<300x64xf32>, %b: tensor<64x160xf32>, %c: tensor<300x160xf32>) -> tensor<300x160xf32> {
  %r = kernel.gemm %a, %b : tensor<300x64xf32>, tensor<64x160xf32> acc f32
    maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>] space [300, 160] depth 64
    epilogue (%c : tensor<300x160xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>]
    attributes {test.element = array<i64: 2, 47999>, test.tolerance = 0.00003} {
  ^bb0(%sum: f32, %x: f32):
    %0 = arith.addf %sum, %x : f32
    kernel.yield %0 : f32
  } : tensor<300x160xf32>
  kernel.return %r : tensor<300x160xf32>
}

// Finite before rounding. The tolerance is a unit in the last place of f16 plus the tolerance of the sums in f32, 2^-10 + 3e-5.
kernel.program @rounded(%a: tensor<19x8xf16>, %b: tensor<8x21xf16>, %c: tensor<19x21xf32>) -> tensor<19x21xf16> {
  %r = kernel.gemm %a, %b : tensor<19x8xf16>, tensor<8x21xf16> acc f32
    maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>] space [19, 21] depth 8
    epilogue (%c : tensor<19x21xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>]
    attributes {test.element = array<i64: 2, 398>, test.value = 1.0e+05 : f32, test.tolerance = 1.0066e-3} {
  ^bb0(%sum: f32, %x: f32):
    %0 = arith.addf %sum, %x : f32
    %1 = arith.truncf %0 : f32 to f16
    kernel.yield %1 : f16
  } : tensor<19x21xf16>
  kernel.return %r : tensor<19x21xf16>
}

// An edge of channels and of taps.
kernel.program @filter(%a: tensor<2x6x9x3xf32>, %b: tensor<2x6x9x5xf32>, %c: tensor<5x3x3x3xf32>) -> tensor<5x3x3x3xf32> {
  %r = kernel.conv_filter %a, %b : tensor<2x6x9x3xf32>, tensor<2x6x9x5xf32> acc f32 strides [1, 1] padding [1, 1, 1, 1]
    dilations [1, 1] input_dilations [1, 1] groups 1 space [5, 3, 3, 3] epilogue (%c : tensor<5x3x3x3xf32>)
    maps [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>]
    attributes {test.element = array<i64: 2, 134>, test.tolerance = 0.00003} {
  ^bb0(%sum: f32, %x: f32):
    %0 = arith.addf %sum, %x : f32
    kernel.yield %0 : f32
  } : tensor<5x3x3x3xf32>
  kernel.return %r : tensor<5x3x3x3xf32>
}

// A sum of columns in parts and a sum of rows at once: a single element of the result.
kernel.program @columns(%a: tensor<3000x50xf32>) -> tensor<50xf32> {
  %r = kernel.reduce sum (%a : tensor<3000x50xf32>) space [1, 3000, 50] maps [affine_map<(d0, d1, d2) -> (d1, d2)>]
    -> [affine_map<(d0, d1, d2) -> (d2)>] attributes {test.element = array<i64: 0, 149999>, test.tolerance = 0.0001} {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } : tensor<50xf32>
  kernel.return %r : tensor<50xf32>
}
kernel.program @rows(%a: tensor<33x7xf32>) -> tensor<33xf32> {
  %r = kernel.reduce sum (%a : tensor<33x7xf32>) space [33, 7, 1] maps [affine_map<(d0, d1, d2) -> (d0, d1)>]
    -> [affine_map<(d0, d1, d2) -> (d0)>] attributes {test.element = array<i64: 0, 100>} {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } : tensor<33xf32>
  kernel.return %r : tensor<33xf32>
}

// Pointwise, in segments of a row; transposed.
kernel.program @pointwise(%a: tensor<70001xf32>) -> tensor<70001xf32> {
  %r = kernel.map(%a : tensor<70001xf32>) space [70001] maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>]
    attributes {test.element = array<i64: 0, 70000>} {
  ^bb0(%x: f32):
    %0 = arith.negf %x : f32
    kernel.yield %0 : f32
  } : tensor<70001xf32>
  kernel.return %r : tensor<70001xf32>
}
kernel.program @transposed(%a: tensor<37x35xf32>) -> tensor<35x37xf32> {
  %r = kernel.map(%a : tensor<37x35xf32>) space [37, 35] maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d1, d0)>]
    attributes {test.element = array<i64: 0, 1294>} {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } : tensor<35x37xf32>
  kernel.return %r : tensor<35x37xf32>
}

// Rows of a table.
kernel.program @table(%u: tensor<301x37xf32>, %i: tensor<301xi32>) -> tensor<2000x37xf32> {
  %r = kernel.scatter_add %u, %i {test.limit = 2000 : i64, test.element = array<i64: 0, 11136>} : tensor<301x37xf32>, tensor<301xi32> -> tensor<2000x37xf32>
  kernel.return %r : tensor<2000x37xf32>
}
kernel.program @groups(%u: tensor<301x37xf32>, %o: tensor<301xi32>, %s: tensor<601xi32>) -> tensor<600x37xf32> {
  %r = kernel.segment_sum %u, %o, %s {test.limit = 12 : i64, test.element = array<i64: 0, 73>} : tensor<301x37xf32>, tensor<301xi32>, tensor<601xi32> -> tensor<600x37xf32>
  kernel.return %r : tensor<600x37xf32>
}
