// RUN: ampc-kernel-run %s | FileCheck %s --implicit-check-not=FAILED
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maps at odd sizes on every tier of this processor, against an interpreter. The plain tier runs everywhere.

// Only functions of f64 come from a library.
// CHECK: plain calls erf exp pow tanh{{$}}
// CHECK-COUNT-26: _plain: {{.*}}ok

// x * exp(s) + y with a scalar s, which is computed once.
kernel.program @pointwise(%i0: tensor<4099xf32>, %i1: tensor<4099xf32>, %i2: tensor<f32>) -> (tensor<4099xf32>) {
  %r:1 = kernel.map(%i0, %i1, %i2 : tensor<4099xf32>, tensor<4099xf32>, tensor<f32>) space [4099]
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>]
        -> [affine_map<(d0) -> (d0)>] {
  ^bb0(%a0: f32, %a1: f32, %a2: f32):
    %1 = math.exp %a2 : f32
    %2 = arith.mulf %a0, %1 : f32
    %3 = arith.addf %2, %a1 : f32
    kernel.yield %3 : f32
  } : tensor<4099xf32>
  kernel.return %r#0 : tensor<4099xf32>
}

// Several tasks, a bias along rows.
kernel.program @bias(%i0: tensor<300x130xf32>, %i1: tensor<130xf32>) -> (tensor<300x130xf32>) {
  %r:1 = kernel.map(%i0, %i1 : tensor<300x130xf32>, tensor<130xf32>) space [300, 130]
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>]
        -> [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%a0: f32, %a1: f32):
    %1 = arith.addf %a0, %a1 : f32
    kernel.yield %1 : f32
  } : tensor<300x130xf32>
  kernel.return %r#0 : tensor<300x130xf32>
}

// Segments of two long rows, with a value per row.
kernel.program @segments(%i0: tensor<2x100003xf32>, %i1: tensor<2xf32>) -> (tensor<2x100003xf32>, tensor<2xf32>) {
  %r:2 = kernel.map(%i0, %i1 : tensor<2x100003xf32>, tensor<2xf32>) space [2, 100003]
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
        -> [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>] {
  ^bb0(%a0: f32, %a1: f32):
    %1 = arith.mulf %a0, %a1 : f32
    %2 = arith.addf %a1, %a1 : f32
    kernel.yield %1, %2 : f32, f32
  } : tensor<2x100003xf32>, tensor<2xf32>
  kernel.return %r#0, %r#1 : tensor<2x100003xf32>, tensor<2xf32>
}

// Softmax of rows of 1, and the logarithmic sum.
kernel.program @softmax1(%i0: tensor<37x1xf32>) -> (tensor<37x1xf32>, tensor<37xf32>) {
  %r:2 = kernel.map(%i0 : tensor<37x1xf32>) space [37, 1]
      maps [affine_map<(d0, d1) -> (d0, d1)>]
        -> [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>] {
  ^bb0(%a0: f32):
    %m = kernel.row_reduce max %a0 : f32
    %d = arith.subf %a0, %m : f32
    %e = math.exp %d : f32
    %s = kernel.row_reduce sum %e : f32
    %p = arith.divf %e, %s : f32
    %l = math.log %s : f32
    %k = arith.addf %l, %m : f32
    kernel.yield %p, %k : f32, f32
  } : tensor<37x1xf32>, tensor<37xf32>
  kernel.return %r#0, %r#1 : tensor<37x1xf32>, tensor<37xf32>
}

// Softmax of rows of 3, and the logarithmic sum.
kernel.program @softmax3(%i0: tensor<37x3xf32>) -> (tensor<37x3xf32>, tensor<37xf32>) {
  %r:2 = kernel.map(%i0 : tensor<37x3xf32>) space [37, 3]
      maps [affine_map<(d0, d1) -> (d0, d1)>]
        -> [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>] {
  ^bb0(%a0: f32):
    %m = kernel.row_reduce max %a0 : f32
    %d = arith.subf %a0, %m : f32
    %e = math.exp %d : f32
    %s = kernel.row_reduce sum %e : f32
    %p = arith.divf %e, %s : f32
    %l = math.log %s : f32
    %k = arith.addf %l, %m : f32
    kernel.yield %p, %k : f32, f32
  } : tensor<37x3xf32>, tensor<37xf32>
  kernel.return %r#0, %r#1 : tensor<37x3xf32>, tensor<37xf32>
}

// Softmax of rows of 10, and the logarithmic sum.
kernel.program @softmax10(%i0: tensor<37x10xf32>) -> (tensor<37x10xf32>, tensor<37xf32>) {
  %r:2 = kernel.map(%i0 : tensor<37x10xf32>) space [37, 10]
      maps [affine_map<(d0, d1) -> (d0, d1)>]
        -> [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>] {
  ^bb0(%a0: f32):
    %m = kernel.row_reduce max %a0 : f32
    %d = arith.subf %a0, %m : f32
    %e = math.exp %d : f32
    %s = kernel.row_reduce sum %e : f32
    %p = arith.divf %e, %s : f32
    %l = math.log %s : f32
    %k = arith.addf %l, %m : f32
    kernel.yield %p, %k : f32, f32
  } : tensor<37x10xf32>, tensor<37xf32>
  kernel.return %r#0, %r#1 : tensor<37x10xf32>, tensor<37xf32>
}

// Softmax of rows of 16, and the logarithmic sum.
kernel.program @softmax16(%i0: tensor<37x16xf32>) -> (tensor<37x16xf32>, tensor<37xf32>) {
  %r:2 = kernel.map(%i0 : tensor<37x16xf32>) space [37, 16]
      maps [affine_map<(d0, d1) -> (d0, d1)>]
        -> [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>] {
  ^bb0(%a0: f32):
    %m = kernel.row_reduce max %a0 : f32
    %d = arith.subf %a0, %m : f32
    %e = math.exp %d : f32
    %s = kernel.row_reduce sum %e : f32
    %p = arith.divf %e, %s : f32
    %l = math.log %s : f32
    %k = arith.addf %l, %m : f32
    kernel.yield %p, %k : f32, f32
  } : tensor<37x16xf32>, tensor<37xf32>
  kernel.return %r#0, %r#1 : tensor<37x16xf32>, tensor<37xf32>
}

// Softmax of rows of 33, and the logarithmic sum.
kernel.program @softmax33(%i0: tensor<37x33xf32>) -> (tensor<37x33xf32>, tensor<37xf32>) {
  %r:2 = kernel.map(%i0 : tensor<37x33xf32>) space [37, 33]
      maps [affine_map<(d0, d1) -> (d0, d1)>]
        -> [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>] {
  ^bb0(%a0: f32):
    %m = kernel.row_reduce max %a0 : f32
    %d = arith.subf %a0, %m : f32
    %e = math.exp %d : f32
    %s = kernel.row_reduce sum %e : f32
    %p = arith.divf %e, %s : f32
    %l = math.log %s : f32
    %k = arith.addf %l, %m : f32
    kernel.yield %p, %k : f32, f32
  } : tensor<37x33xf32>, tensor<37xf32>
  kernel.return %r#0, %r#1 : tensor<37x33xf32>, tensor<37xf32>
}

// Softmax of rows of 200, and the logarithmic sum.
kernel.program @softmax200(%i0: tensor<37x200xf32>) -> (tensor<37x200xf32>, tensor<37xf32>) {
  %r:2 = kernel.map(%i0 : tensor<37x200xf32>) space [37, 200]
      maps [affine_map<(d0, d1) -> (d0, d1)>]
        -> [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>] {
  ^bb0(%a0: f32):
    %m = kernel.row_reduce max %a0 : f32
    %d = arith.subf %a0, %m : f32
    %e = math.exp %d : f32
    %s = kernel.row_reduce sum %e : f32
    %p = arith.divf %e, %s : f32
    %l = math.log %s : f32
    %k = arith.addf %l, %m : f32
    kernel.yield %p, %k : f32, f32
  } : tensor<37x200xf32>, tensor<37xf32>
  kernel.return %r#0, %r#1 : tensor<37x200xf32>, tensor<37xf32>
}

// Cross entropy: labels and positions in rows.
kernel.program @cross_entropy(%i0: tensor<65x10xf32>, %i1: tensor<65xi32>) -> (tensor<65xf32>) {
  %r:1 = kernel.map(%i0, %i1 : tensor<65x10xf32>, tensor<65xi32>) space [65, 10]
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
        -> [affine_map<(d0, d1) -> (d0)>] {
  ^bb0(%a0: f32, %a1: i32):
    %m = kernel.row_reduce max %a0 : f32
    %d = arith.subf %a0, %m : f32
    %e = math.exp %d : f32
    %s = kernel.row_reduce sum %e : f32
    %p = arith.divf %e, %s : f32
    %l = math.log %s : f32
    %k = arith.addf %l, %m : f32
    %i = kernel.row_index
    %h = arith.cmpi eq, %i, %a1 : i32
    %z = arith.constant 0.0 : f32
    %x = arith.select %h, %a0, %z : f32
    %t = kernel.row_reduce sum %x : f32
    %n = arith.subf %k, %t : f32
    kernel.yield %n : f32
  } : tensor<65xf32>
  kernel.return %r#0 : tensor<65xf32>
}

// Mean and variance in two stages, from bf16 to bf16.
kernel.program @norm_bf16(%i0: tensor<33x77xbf16>, %i1: tensor<77xf32>) -> (tensor<33x77xbf16>, tensor<33xf32>) {
  %r:2 = kernel.map(%i0, %i1 : tensor<33x77xbf16>, tensor<77xf32>) space [33, 77]
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>]
        -> [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>] {
  ^bb0(%a0: bf16, %a1: f32):
    %w = arith.extf %a0 : bf16 to f32
    %n = arith.constant 77.0 : f32
    %s = kernel.row_reduce sum %w : f32
    %m = arith.divf %s, %n : f32
    %c = arith.subf %w, %m : f32
    %q = arith.mulf %c, %c : f32
    %v = kernel.row_reduce sum %q : f32
    %u = arith.divf %v, %n : f32
    %o = math.sqrt %u : f32
    %y = arith.divf %c, %o : f32
    %g = arith.mulf %y, %a1 : f32
    %b = arith.truncf %g : f32 to bf16
    kernel.yield %b, %m : bf16, f32
  } : tensor<33x77xbf16>, tensor<33xf32>
  kernel.return %r#0, %r#1 : tensor<33x77xbf16>, tensor<33xf32>
}

// f16 in and out.
kernel.program @half(%i0: tensor<7x45xf16>) -> (tensor<7x45xf16>) {
  %r:1 = kernel.map(%i0 : tensor<7x45xf16>) space [7, 45]
      maps [affine_map<(d0, d1) -> (d0, d1)>]
        -> [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%a0: f16):
    %w = arith.extf %a0 : f16 to f32
    %y = arith.mulf %w, %w : f32
    %b = arith.truncf %y : f32 to f16
    kernel.yield %b : f16
  } : tensor<7x45xf16>
  kernel.return %r#0 : tensor<7x45xf16>
}

// f64, with functions from libm.
kernel.program @double(%i0: tensor<3x45xf64>) -> (tensor<3x45xf64>) {
  %r:1 = kernel.map(%i0 : tensor<3x45xf64>) space [3, 45]
      maps [affine_map<(d0, d1) -> (d0, d1)>]
        -> [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%a0: f64):
    %e = math.exp %a0 : f64
    %t = math.tanh %e : f64
    %x = math.erf %t : f64
    %p = math.powf %e, %x : f64
    kernel.yield %p : f64
  } : tensor<3x45xf64>
  kernel.return %r#0 : tensor<3x45xf64>
}

// f64 to 16 bits with a single rounding.
kernel.program @narrow(%i0: tensor<515xf64>) -> (tensor<515xbf16>, tensor<515xf16>) {
  %r:2 = kernel.map(%i0 : tensor<515xf64>) space [515]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] attributes {test.tolerance = 0} {
  ^bb0(%a0: f64):
    %b = arith.truncf %a0 : f64 to bf16
    %h = arith.truncf %a0 : f64 to f16
    kernel.yield %b, %h : bf16, f16
  } : tensor<515xbf16>, tensor<515xf16>
  kernel.return %r#0, %r#1 : tensor<515xbf16>, tensor<515xf16>
}

// Transposed input.
kernel.program @transpose(%i0: tensor<53x70xf32>, %i1: tensor<70x53xf32>) -> (tensor<70x53xf32>) {
  %r:1 = kernel.map(%i0, %i1 : tensor<53x70xf32>, tensor<70x53xf32>) space [70, 53]
      maps [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>]
        -> [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%a0: f32, %a1: f32):
    %1 = arith.addf %a0, %a1 : f32
    kernel.yield %1 : f32
  } : tensor<70x53xf32>
  kernel.return %r#0 : tensor<70x53xf32>
}

// Transposed 16-bit copy with batch.
kernel.program @transpose16(%i0: tensor<3x40x37xbf16>) -> (tensor<3x37x40xbf16>) {
  %r:1 = kernel.map(%i0 : tensor<3x40x37xbf16>) space [3, 37, 40]
      maps [affine_map<(d0, d1, d2) -> (d0, d2, d1)>]
        -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] {
  ^bb0(%a0: bf16):
    kernel.yield %a0 : bf16
  } : tensor<3x37x40xbf16>
  kernel.return %r#0 : tensor<3x37x40xbf16>
}

// Transposed mask, transposed doubles.
kernel.program @transpose_mask(%i0: tensor<40x33xi1>, %i1: tensor<40x33xf64>) -> (tensor<33x40xf64>) {
  %r:1 = kernel.map(%i0, %i1 : tensor<40x33xi1>, tensor<40x33xf64>) space [33, 40]
      maps [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d1, d0)>]
        -> [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%a0: i1, %a1: f64):
    %z = arith.constant 1.0 : f64
    %y = arith.select %a0, %a1, %z : f64
    kernel.yield %y : f64
  } : tensor<33x40xf64>
  kernel.return %r#0 : tensor<33x40xf64>
}

// Written transposed.
kernel.program @transpose_store(%i0: tensor<20x35xf32>) -> (tensor<35x20xf32>) {
  %r:1 = kernel.map(%i0 : tensor<20x35xf32>) space [20, 35]
      maps [affine_map<(d0, d1) -> (d0, d1)>]
        -> [affine_map<(d0, d1) -> (d1, d0)>] {
  ^bb0(%a0: f32):
    kernel.yield %a0 : f32
  } : tensor<35x20xf32>
  kernel.return %r#0 : tensor<35x20xf32>
}

// A slice with steps, from the third column on.
kernel.program @slice(%i0: tensor<20x100xf32>) -> (tensor<10x31xf32>) {
  %r:1 = kernel.map(%i0 : tensor<20x100xf32>) space [10, 31]
      maps [affine_map<(d0, d1) -> (d0 * 2 + 1, d1 * 3 + 2)>]
        -> [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%a0: f32):
    kernel.yield %a0 : f32
  } : tensor<10x31xf32>
  kernel.return %r#0 : tensor<10x31xf32>
}

// Read backwards.
kernel.program @reverse(%i0: tensor<6x50xf32>) -> (tensor<6x50xf32>) {
  %r:1 = kernel.map(%i0 : tensor<6x50xf32>) space [6, 50]
      maps [affine_map<(d0, d1) -> (d0, 49 - d1)>]
        -> [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%a0: f32):
    kernel.yield %a0 : f32
  } : tensor<6x50xf32>
  kernel.return %r#0 : tensor<6x50xf32>
}

// Repeated elements: maps with floordiv and mod.
kernel.program @repeat(%i0: tensor<5x13xf32>) -> (tensor<10x26xf32>) {
  %r:1 = kernel.map(%i0 : tensor<5x13xf32>) space [10, 26]
      maps [affine_map<(d0, d1) -> (d0 mod 5, d1 floordiv 2)>]
        -> [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%a0: f32):
    kernel.yield %a0 : f32
  } : tensor<10x26xf32>
  kernel.return %r#0 : tensor<10x26xf32>
}

// Bools in and out, integers, linear index.
kernel.program @bools(%i0: tensor<9x21xi1>, %i1: tensor<9x21xi32>, %i2: tensor<9x21xf32>) -> (tensor<9x21xi1>, tensor<9x21xi32>) {
  %r:2 = kernel.map(%i0, %i1, %i2 : tensor<9x21xi1>, tensor<9x21xi32>, tensor<9x21xf32>) space [9, 21]
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
        -> [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%a0: i1, %a1: i32, %a2: f32):
    %l = kernel.linear_index
    %s = arith.addi %a1, %l : i32
    %z = arith.constant 0.0 : f32
    %g = arith.cmpf ogt, %a2, %z : f32
    %b = arith.andi %g, %a0 : i1
    %m = arith.muli %s, %a1 : i32
    %c = arith.select %b, %m, %s : i32
    kernel.yield %b, %c : i1, i32
  } : tensor<9x21xi1>, tensor<9x21xi32>
  kernel.return %r#0, %r#1 : tensor<9x21xi1>, tensor<9x21xi32>
}

// A single element.
kernel.program @scalar(%i0: tensor<f32>, %i1: tensor<f32>) -> (tensor<f32>) {
  %r:1 = kernel.map(%i0, %i1 : tensor<f32>, tensor<f32>) space []
      maps [affine_map<() -> ()>, affine_map<() -> ()>]
        -> [affine_map<() -> ()>] {
  ^bb0(%a0: f32, %a1: f32):
    %1 = arith.mulf %a0, %a1 : f32
    kernel.yield %1 : f32
  } : tensor<f32>
  kernel.return %r#0 : tensor<f32>
}

// No input.
kernel.program @fill() -> (tensor<100xf32>) {
  %r:1 = kernel.map() space [100]
      maps []
        -> [affine_map<(d0) -> (d0)>] {
  ^bb0():
    %1 = arith.constant 2.5 : f32
    kernel.yield %1 : f32
  } : tensor<100xf32>
  kernel.return %r#0 : tensor<100xf32>
}

// Integers as numbers of 16 bits: through f32, without a library, with two roundings.
kernel.program @integers(%i0: tensor<257xi1>) -> (tensor<257x301xbf16>, tensor<257x301xf16>, tensor<257x301xbf16>) {
  %r:3 = kernel.map(%i0 : tensor<257xi1>) space [257, 301]
      maps [affine_map<(d0, d1) -> (d0)>]
        -> [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {test.tolerance = 0.0} {
  ^bb0(%a0: i1):
    %i = kernel.linear_index
    %c = arith.constant 32773 : i32
    %many = arith.muli %i, %c : i32
    %1 = arith.sitofp %many : i32 to f32
    %2 = arith.truncf %1 : f32 to bf16
    %3 = arith.sitofp %i : i32 to f32
    %4 = arith.truncf %3 : f32 to f16
    %5 = arith.uitofp %a0 : i1 to f32
    %6 = arith.truncf %5 : f32 to bf16
    kernel.yield %2, %4, %6 : bf16, f16, bf16
  } : tensor<257x301xbf16>, tensor<257x301xf16>, tensor<257x301xbf16>
  kernel.return %r#0, %r#1, %r#2 : tensor<257x301xbf16>, tensor<257x301xf16>, tensor<257x301xbf16>
}

// Rows of a single point, with a value that has no dimension of rows: the number of the point is a vector, the compared operand
// is not.
kernel.program @points(%i0: tensor<37xf32>) -> (tensor<37xf32>, tensor<37x1xi1>) {
  %r:2 = kernel.map(%i0 : tensor<37xf32>) space [37, 1]
      maps [affine_map<(d0, d1) -> (d0)>]
        -> [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%a0: f32):
    %i = kernel.row_index
    %f = arith.sitofp %i : i32 to f32
    %m = arith.minimumf %f, %a0 : f32
    %l = arith.cmpf olt, %f, %a0 : f32
    kernel.yield %m, %l : f32, i1
  } : tensor<37xf32>, tensor<37x1xi1>
  kernel.return %r#0, %r#1 : tensor<37xf32>, tensor<37x1xi1>
}
