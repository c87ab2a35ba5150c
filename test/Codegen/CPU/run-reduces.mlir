// RUN: ampc-kernel-run %s | FileCheck %s --implicit-check-not=FAILED --implicit-check-not=calls
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions at odd sizes on every tier of this processor, against an interpreter. The plain tier runs everywhere.

// CHECK-COUNT-10: _plain: {{.*}}ok

// Sums of columns.
kernel.program @columns(%i0: tensor<3000x50xf32>) -> (tensor<50xf32>) {
  %r:1 = kernel.reduce sum (%i0 : tensor<3000x50xf32>) space [1, 3000, 50]
      maps [affine_map<(d0, d1, d2) -> (d1, d2)>]
        -> [affine_map<(d0, d1, d2) -> (d2)>] attributes {test.tolerance = 2.0e-5} {
  ^bb0(%a0: f32):
    kernel.yield %a0 : f32
  } : tensor<50xf32>
  kernel.return %r#0 : tensor<50xf32>
}

// Sums of columns.
kernel.program @columns_wide(%i0: tensor<40x2000xf32>) -> (tensor<2000xf32>) {
  %r:1 = kernel.reduce sum (%i0 : tensor<40x2000xf32>) space [1, 40, 2000]
      maps [affine_map<(d0, d1, d2) -> (d1, d2)>]
        -> [affine_map<(d0, d1, d2) -> (d2)>] attributes {test.tolerance = 2.0e-5} {
  ^bb0(%a0: f32):
    kernel.yield %a0 : f32
  } : tensor<2000xf32>
  kernel.return %r#0 : tensor<2000xf32>
}

// Sums of columns.
kernel.program @batch(%i0: tensor<5x33x7xf32>) -> (tensor<5x7xf32>) {
  %r:1 = kernel.reduce sum (%i0 : tensor<5x33x7xf32>) space [5, 33, 7]
      maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
        -> [affine_map<(d0, d1, d2) -> (d0, d2)>] attributes {test.tolerance = 2.0e-5} {
  ^bb0(%a0: f32):
    kernel.yield %a0 : f32
  } : tensor<5x7xf32>
  kernel.return %r#0 : tensor<5x7xf32>
}

// All elements of a large tensor, twice: sum and sum of squares, in chunks.
kernel.program @norm(%i0: tensor<300x701xf32>) -> (tensor<f32>, tensor<f32>) {
  %r:2 = kernel.reduce sum (%i0 : tensor<300x701xf32>) space [1, 210300, 1]
      maps [affine_map<(d0, d1, d2) -> (d1 floordiv 701, d1 mod 701)>]
        -> [affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> ()>] attributes {test.tolerance = 1.0e-3} {
  ^bb0(%a0: f32):
    %q = arith.mulf %a0, %a0 : f32
    kernel.yield %a0, %q : f32, f32
  } : tensor<f32>, tensor<f32>
  kernel.return %r#0, %r#1 : tensor<f32>, tensor<f32>
}

// Flat, in chunks.
kernel.program @flat(%i0: tensor<200003xf32>) -> (tensor<f32>, tensor<f32>) {
  %r:2 = kernel.reduce sum (%i0 : tensor<200003xf32>) space [1, 200003, 1]
      maps [affine_map<(d0, d1, d2) -> (d1)>]
        -> [affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> ()>] attributes {test.tolerance = 1.0e-4} {
  ^bb0(%a0: f32):
    %q = arith.mulf %a0, %a0 : f32
    kernel.yield %a0, %q : f32, f32
  } : tensor<f32>, tensor<f32>
  kernel.return %r#0, %r#1 : tensor<f32>, tensor<f32>
}

// Rows.
kernel.program @rows(%i0: tensor<70x130xf32>) -> (tensor<70xf32>) {
  %r:1 = kernel.reduce max (%i0 : tensor<70x130xf32>) space [70, 130, 1]
      maps [affine_map<(d0, d1, d2) -> (d0, d1)>]
        -> [affine_map<(d0, d1, d2) -> (d0)>] {
  ^bb0(%a0: f32):
    kernel.yield %a0 : f32
  } : tensor<70xf32>
  kernel.return %r#0 : tensor<70xf32>
}

// Minimum of a transposed tensor.
kernel.program @transposed(%i0: tensor<130x70xf32>) -> (tensor<70xf32>) {
  %r:1 = kernel.reduce min (%i0 : tensor<130x70xf32>) space [70, 130, 1]
      maps [affine_map<(d0, d1, d2) -> (d1, d0)>]
        -> [affine_map<(d0, d1, d2) -> (d0)>] {
  ^bb0(%a0: f32):
    kernel.yield %a0 : f32
  } : tensor<70xf32>
  kernel.return %r#0 : tensor<70xf32>
}

// Bias gradient from bf16, with a mask.
kernel.program @bias_gradient(%i0: tensor<4000x100xbf16>, %i1: tensor<4000x100xi1>) -> (tensor<100xf32>) {
  %r:1 = kernel.reduce sum (%i0, %i1 : tensor<4000x100xbf16>, tensor<4000x100xi1>) space [1, 4000, 100]
      maps [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>]
        -> [affine_map<(d0, d1, d2) -> (d2)>] attributes {test.tolerance = 1.0e-4} {
  ^bb0(%a0: bf16, %a1: i1):
    %w = arith.extf %a0 : bf16 to f32
    %z = arith.constant 0.0 : f32
    %s = arith.select %a1, %w, %z : f32
    kernel.yield %s : f32
  } : tensor<100xf32>
  kernel.return %r#0 : tensor<100xf32>
}

// Integers and f64.
kernel.program @count(%i0: tensor<999xi32>) -> (tensor<i32>) {
  %r:1 = kernel.reduce sum (%i0 : tensor<999xi32>) space [1, 999, 1]
      maps [affine_map<(d0, d1, d2) -> (d1)>]
        -> [affine_map<(d0, d1, d2) -> ()>] {
  ^bb0(%a0: i32):
    kernel.yield %a0 : i32
  } : tensor<i32>
  kernel.return %r#0 : tensor<i32>
}

// f64.
kernel.program @double(%i0: tensor<31x17xf64>) -> (tensor<17xf64>) {
  %r:1 = kernel.reduce sum (%i0 : tensor<31x17xf64>) space [1, 31, 17]
      maps [affine_map<(d0, d1, d2) -> (d1, d2)>]
        -> [affine_map<(d0, d1, d2) -> (d2)>] attributes {test.tolerance = 1.0e-13} {
  ^bb0(%a0: f64):
    kernel.yield %a0 : f64
  } : tensor<17xf64>
  kernel.return %r#0 : tensor<17xf64>
}
