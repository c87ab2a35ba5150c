// RUN: %ampc-opt %s --split-input-file --verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of the kernels of row gradients.

kernel.program @groups(%i: tensor<12xi32>) -> tensor<12xi32> {
  // expected-error @below {{expected i32 indices [n] of a table of m rows, and i32 results [min(n, m)], [n] and [min(n, m) + 1]}}
  %r, %o, %s = kernel.sort_by_key %i of 7 : tensor<12xi32> -> tensor<12xi32>, tensor<12xi32>, tensor<13xi32>
  kernel.return %r : tensor<12xi32>
}

// -----

kernel.program @accumulator(%u: tensor<12x4xf16>, %o: tensor<12xi32>, %s: tensor<13xi32>) -> tensor<12x4xf16> {
  // expected-error @below {{expected an accumulator of at least 'f32', but got 'f16'}}
  %r = kernel.segment_sum %u, %o, %s : tensor<12x4xf16>, tensor<12xi32>, tensor<13xi32> -> tensor<12x4xf16>
  kernel.return %r : tensor<12x4xf16>
}

// -----

kernel.program @starts(%u: tensor<12x4xf16>, %o: tensor<12xi32>, %s: tensor<12xi32>) -> tensor<12x4xf32> {
  // expected-error @below {{expected updates [n, at least from + width], an order [n], starts [m + 1] and sums [m, width]}}
  %r = kernel.segment_sum %u, %o, %s : tensor<12x4xf16>, tensor<12xi32>, tensor<12xi32> -> tensor<12x4xf32>
  kernel.return %r : tensor<12x4xf32>
}

// -----

kernel.program @width(%r: tensor<12x4xf32>, %i: tensor<12xi32>, %t: tensor<70x5xf32>) -> tensor<70x5xf32> {
  // expected-error @below {{expected a table [m, width], i32 indices [n] and rows [n, width]}}
  %y = kernel.scatter_rows %r, %i into %t : tensor<12x4xf32>, tensor<12xi32>, tensor<70x5xf32>
  kernel.return %y : tensor<70x5xf32>
}

// -----

kernel.program @type(%r: tensor<12x4xbf16>, %i: tensor<12xi32>, %t: tensor<70x4xf32>) -> tensor<70x4xf32> {
  // expected-error @below {{expected elements of 'tensor<70x4xf32>', but got 'tensor<12x4xbf16>'}}
  %y = kernel.scatter_rows %r, %i into %t : tensor<12x4xbf16>, tensor<12xi32>, tensor<70x4xf32>
  kernel.return %y : tensor<70x4xf32>
}
