// RUN: ampc-kernel-run %s | FileCheck %s --implicit-check-not=FAILED --implicit-check-not=calls
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows in several stages: costly values that a stage reads again, although computed before the row's points.

// CHECK-COUNT-4: _plain: {{.*}}ok

// The logarithm of a sum is a number per row, which a reduction and the results read: rows shorter than a vector.
kernel.program @short_log(%i0: tensor<9x3xf32>, %i1: tensor<9x3xf32>) -> (tensor<9x3xf32>, tensor<9x3xf32>) {
  %r:2 = kernel.map(%i0, %i1 : tensor<9x3xf32>, tensor<9x3xf32>) space [9, 3]
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
        -> [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%x: f32, %t: f32):
    %e = math.exp %x : f32
    %s = kernel.row_reduce sum %e : f32
    %l = math.log %s : f32
    %y = arith.subf %x, %l : f32
    %d = arith.subf %y, %t : f32
    %m = kernel.row_reduce sum %d : f32
    %p = math.exp %y : f32
    %pm = arith.mulf %p, %m : f32
    %g = arith.subf %d, %pm : f32
    kernel.yield %y, %g : f32, f32
  } : tensor<9x3xf32>, tensor<9x3xf32>
  kernel.return %r#0, %r#1 : tensor<9x3xf32>, tensor<9x3xf32>
}

// The same in rows longer than a vector.
kernel.program @long_log(%i0: tensor<5x41xf32>, %i1: tensor<5x41xf32>) -> (tensor<5x41xf32>, tensor<5x41xf32>) {
  %r:2 = kernel.map(%i0, %i1 : tensor<5x41xf32>, tensor<5x41xf32>) space [5, 41]
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
        -> [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%x: f32, %t: f32):
    %e = math.exp %x : f32
    %s = kernel.row_reduce sum %e : f32
    %l = math.log %s : f32
    %y = arith.subf %x, %l : f32
    %d = arith.subf %y, %t : f32
    %m = kernel.row_reduce sum %d : f32
    %p = math.exp %y : f32
    %pm = arith.mulf %p, %m : f32
    %g = arith.subf %d, %pm : f32
    kernel.yield %y, %g : f32, f32
  } : tensor<5x41xf32>, tensor<5x41xf32>
  kernel.return %r#0, %r#1 : tensor<5x41xf32>, tensor<5x41xf32>
}

// The exponential of a bias stays in a register where a row fits a vector.
kernel.program @short_bias(%i0: tensor<9x3xf32>, %i1: tensor<3xf32>) -> (tensor<9x3xf32>) {
  %r:1 = kernel.map(%i0, %i1 : tensor<9x3xf32>, tensor<3xf32>) space [9, 3]
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>]
        -> [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%x: f32, %b: f32):
    %e = math.exp %b : f32
    %y = arith.mulf %x, %e : f32
    %s = kernel.row_reduce sum %y : f32
    %d = arith.subf %y, %s : f32
    kernel.yield %d : f32
  } : tensor<9x3xf32>
  kernel.return %r#0 : tensor<9x3xf32>
}

// In longer rows the logarithm is kept between stages like any other value.
kernel.program @long_bias(%i0: tensor<5x41xf32>, %i1: tensor<41xf32>) -> (tensor<5x41xf32>) {
  %r:1 = kernel.map(%i0, %i1 : tensor<5x41xf32>, tensor<41xf32>) space [5, 41]
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>]
        -> [affine_map<(d0, d1) -> (d0, d1)>] attributes {test.tolerance = 1.0e-5} {
  ^bb0(%x: f32, %b: f32):
    %e = math.exp %b : f32
    %y = arith.mulf %x, %e : f32
    %s = kernel.row_reduce sum %y : f32
    %d = arith.subf %y, %s : f32
    kernel.yield %d : f32
  } : tensor<5x41xf32>
  kernel.return %r#0 : tensor<5x41xf32>
}
