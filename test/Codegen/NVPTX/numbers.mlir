// Blocks and points of a launch are numbered in 32 bits: a kernel of more is refused, not cut.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %ampc-opt %s --split-input-file --kernel-configure --kernel-emit -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:

// Bytes of separate elements, counted one by one; of several parts all are counted.
module attributes {kernel.target = "sm_80"} {
kernel.program @assemble(%a: tensor<1073741824x3xi8>, %b: tensor<1073741824x2xi8>) -> tensor<1073741824x5xi8> {
  // CHECK: error: 'kernel.assemble' op expected a launch of at most 4294967295 points, but got 5368709120
  %r = kernel.assemble(%a, %b : tensor<1073741824x3xi8>, tensor<1073741824x2xi8>) offsets [0, 0, 0, 3] strides [1, 1, 1, 1] fill 0.0 -> tensor<1073741824x5xi8>
  kernel.return %r : tensor<1073741824x5xi8>
}
}

// -----

module attributes {kernel.target = "sm_80"} {
kernel.program @pool(%x: tensor<1x262144x131072x1xf32>) -> tensor<1x131072x65536x1xf32> {
  // CHECK: error: 'kernel.pool' op expected a launch of at most 4294967295 points, but got 8589934592
  %r = kernel.pool sum %x window [2, 2] strides [2, 2] padding [0, 0, 0, 0] scale 0.25 : tensor<1x262144x131072x1xf32> -> tensor<1x131072x65536x1xf32>
  kernel.return %r : tensor<1x131072x65536x1xf32>
}
}

// -----

// Eight vectors of sixteen points by a thread.
module attributes {kernel.target = "sm_80"} {
kernel.program @map(%x: tensor<68719480832xi8>) -> tensor<68719480832xi8> {
  // CHECK: error: 'kernel.map' op expected a launch of at most 4294967295 points, but got 4294969344
  %r = kernel.map(%x : tensor<68719480832xi8>) space [68719480832] maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] {
  ^bb0(%a: i8):
    kernel.yield %a : i8
  } : tensor<68719480832xi8>
  kernel.return %r : tensor<68719480832xi8>
}
}

// -----

// As many as there can be.
module attributes {kernel.target = "sm_80"} {
kernel.program @most(%a: tensor<1431655680x1xi8>, %b: tensor<1431655680x2xi8>) -> tensor<1431655680x3xi8> {
  %r = kernel.assemble(%a, %b : tensor<1431655680x1xi8>, tensor<1431655680x2xi8>) offsets [0, 0, 0, 1] strides [1, 1, 1, 1] fill 0.0 -> tensor<1431655680x3xi8>
  kernel.return %r : tensor<1431655680x3xi8>
}
}

// -----

// A line that 32 bits do not number with a sign: no tiles.
module attributes {kernel.target = "sm_80"} {
kernel.program @lines(%x: tensor<2147483648x8xbf16>, %w: tensor<8x8xbf16>) -> tensor<2147483648x8xbf16> {
  // CHECK: error: 'kernel.gemm' op expected a launch of at most 4294967295 points, but got 17179869184
  %y = kernel.gemm %x, %w : tensor<2147483648x8xbf16>, tensor<8x8xbf16> acc f32
    maps [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>] space [2147483648, 8] depth 8
    epilogue () maps [] -> [affine_map<(m, n) -> (m, n)>] {
  ^bb0(%sum: f32):
    %0 = arith.truncf %sum : f32 to bf16
    kernel.yield %0 : bf16
  } : tensor<2147483648x8xbf16>
  kernel.return %y : tensor<2147483648x8xbf16>
}
}
