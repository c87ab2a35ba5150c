// RUN: ampc-kernel-run %s | FileCheck %s --implicit-check-not=FAILED --implicit-check-not='{{calls (memset .+|[^m].*|m[^e].*)$}}' --implicit-check-not=depends
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that move rows, parts and windows, against an interpreter, with sizes that are no multiple of a vector.
// Filling with a single value becomes memset, which every object may call; no other function is called.

// CHECK-COUNT-23: _plain: {{.*}}ok

// Indices beyond the table give rows of zeros.
kernel.program @gather(%t: tensor<17x37xf32>, %i: tensor<501xi32>) -> tensor<501x37xf32> {
  %r = kernel.gather %t, %i {test.limit = 20 : i64} : tensor<17x37xf32>, tensor<501xi32> -> tensor<501x37xf32>
  kernel.return %r : tensor<501x37xf32>
}
kernel.program @gather_bf16(%t: tensor<17x37xbf16>, %i: tensor<5xi32>) -> tensor<5x37xbf16> {
  %r = kernel.gather %t, %i : tensor<17x37xbf16>, tensor<5xi32> -> tensor<5x37xbf16>
  kernel.return %r : tensor<5x37xbf16>
}
kernel.program @gather_f64(%t: tensor<17x1xf64>, %i: tensor<9xi32>) -> tensor<9x1xf64> {
  %r = kernel.gather %t, %i : tensor<17x1xf64>, tensor<9xi32> -> tensor<9x1xf64>
  kernel.return %r : tensor<9x1xf64>
}

// Several tasks share a table; many updates go to the same row.
kernel.program @scatter(%u: tensor<301x37xf32>, %i: tensor<301xi32>) -> tensor<2000x37xf32> {
  %r = kernel.scatter_add %u, %i {test.limit = 2100 : i64} : tensor<301x37xf32>, tensor<301xi32> -> tensor<2000x37xf32>
  kernel.return %r : tensor<2000x37xf32>
}
kernel.program @scatter_padding(%u: tensor<301x5xf64>, %i: tensor<301xi32>) -> tensor<7x5xf64> {
  %r = kernel.scatter_add %u, %i padding 2 {test.limit = 9 : i64} : tensor<301x5xf64>, tensor<301xi32> -> tensor<7x5xf64>
  kernel.return %r : tensor<7x5xf64>
}
kernel.program @scatter_bf16(%u: tensor<31x19xbf16>, %i: tensor<31xi32>) -> tensor<7x19xf32> {
  %r = kernel.scatter_add %u, %i : tensor<31x19xbf16>, tensor<31xi32> -> tensor<7x19xf32>
  kernel.return %r : tensor<7x19xf32>
}

// Equal indices, and indices of no row; two digits.
kernel.program @group(%i: tensor<301xi32>) -> (tensor<301xi32>, tensor<301xi32>, tensor<302xi32>) {
  %r, %o, %s = kernel.sort_by_key %i of 800 {test.limit = 1000 : i64} : tensor<301xi32> -> tensor<301xi32>, tensor<301xi32>, tensor<302xi32>
  kernel.return %r, %o, %s : tensor<301xi32>, tensor<301xi32>, tensor<302xi32>
}
kernel.program @group_few(%i: tensor<77xi32>) -> (tensor<5xi32>, tensor<77xi32>, tensor<6xi32>) {
  %r, %o, %s = kernel.sort_by_key %i of 5 {test.limit = 5 : i64} : tensor<77xi32> -> tensor<5xi32>, tensor<77xi32>, tensor<6xi32>
  kernel.return %r, %o, %s : tensor<5xi32>, tensor<77xi32>, tensor<6xi32>
}
kernel.program @group_one(%i: tensor<1xi32>) -> (tensor<1xi32>, tensor<1xi32>, tensor<2xi32>) {
  %r, %o, %s = kernel.sort_by_key %i of 70000 {test.limit = 70000 : i64} : tensor<1xi32> -> tensor<1xi32>, tensor<1xi32>, tensor<2xi32>
  kernel.return %r, %o, %s : tensor<1xi32>, tensor<1xi32>, tensor<2xi32>
}
// Rows of the groups in order; some groups are empty.
kernel.program @segment_sum(%u: tensor<301x37xf32>, %o: tensor<301xi32>, %s: tensor<601xi32>) -> tensor<600x37xf32> {
  %r = kernel.segment_sum %u, %o, %s {test.limit = 12 : i64} : tensor<301x37xf32>, tensor<301xi32>, tensor<601xi32> -> tensor<600x37xf32>
  kernel.return %r : tensor<600x37xf32>
}
kernel.program @segment_sum_bf16(%u: tensor<31x19xbf16>, %o: tensor<31xi32>, %s: tensor<8xi32>) -> tensor<7x19xf32> {
  %r = kernel.segment_sum %u, %o, %s {test.limit = 31 : i64} : tensor<31x19xbf16>, tensor<31xi32>, tensor<8xi32> -> tensor<7x19xf32>
  kernel.return %r : tensor<7x19xf32>
}
// Columns of wider updates, which other targets read four, two and 1 at a time.
kernel.program @sum_columns(%u: tensor<301x96xbf16>, %o: tensor<301xi32>, %s: tensor<601xi32>) -> tensor<600x32xf32> {
  %r = kernel.segment_sum %u, %o, %s from 64 {test.limit = 12 : i64} : tensor<301x96xbf16>, tensor<301xi32>, tensor<601xi32> -> tensor<600x32xf32>
  kernel.return %r : tensor<600x32xf32>
}
kernel.program @sum_even_columns(%u: tensor<31x74xf32>, %o: tensor<31xi32>, %s: tensor<8xi32>) -> tensor<7x20xf32> {
  %r = kernel.segment_sum %u, %o, %s from 54 {test.limit = 31 : i64} : tensor<31x74xf32>, tensor<31xi32>, tensor<8xi32> -> tensor<7x20xf32>
  kernel.return %r : tensor<7x20xf32>
}
kernel.program @sum_odd_columns(%u: tensor<31x80xbf16>, %o: tensor<31xi32>, %s: tensor<8xi32>) -> tensor<7x16xf32> {
  %r = kernel.segment_sum %u, %o, %s from 3 {test.limit = 31 : i64} : tensor<31x80xbf16>, tensor<31xi32>, tensor<8xi32> -> tensor<7x16xf32>
  kernel.return %r : tensor<7x16xf32>
}
kernel.program @scatter_rows(%r: tensor<501x37xf32>, %i: tensor<501xi32>, %t: tensor<700x37xf32>) -> tensor<700x37xf32> {
  %y = kernel.scatter_rows %r, %i into %t {test.distinct, test.limit = 801 : i64} : tensor<501x37xf32>, tensor<501xi32>, tensor<700x37xf32>
  kernel.return %y : tensor<700x37xf32>
}
kernel.program @scatter_rows_bf16(%r: tensor<5x3xbf16>, %i: tensor<5xi32>, %t: tensor<17x3xbf16>) -> tensor<17x3xbf16> {
  %y = kernel.scatter_rows %r, %i into %t {test.distinct, test.limit = 20 : i64} : tensor<5x3xbf16>, tensor<5xi32>, tensor<17x3xbf16>
  kernel.return %y : tensor<17x3xbf16>
}

kernel.program @concat(%a: tensor<5x3x7xf32>, %b: tensor<5x4x7xf32>) -> tensor<5x7x7xf32> {
  %r = kernel.assemble(%a, %b : tensor<5x3x7xf32>, tensor<5x4x7xf32>) offsets [0, 0, 0, 0, 3, 0] strides [1, 1, 1, 1, 1, 1]
    fill 0.0 -> tensor<5x7x7xf32>
  kernel.return %r : tensor<5x7x7xf32>
}
kernel.program @pad(%a: tensor<5x3x7xf32>) -> tensor<7x9x20xf32> {
  %r = kernel.assemble(%a : tensor<5x3x7xf32>) offsets [1, 2, 0] strides [1, 3, 3] fill -1.5 -> tensor<7x9x20xf32>
  kernel.return %r : tensor<7x9x20xf32>
}
kernel.program @pad_vector(%a: tensor<13xbf16>) -> tensor<40xbf16> {
  %r = kernel.assemble(%a : tensor<13xbf16>) offsets [2] strides [2] fill 0.5 -> tensor<40xbf16>
  kernel.return %r : tensor<40xbf16>
}
kernel.program @concat_i1(%a: tensor<4x3xi1>, %b: tensor<4x2xi1>) -> tensor<4x5xi1> {
  %r = kernel.assemble(%a, %b : tensor<4x3xi1>, tensor<4x2xi1>) offsets [0, 0, 0, 3] strides [1, 1, 1, 1] fill 0.0 -> tensor<4x5xi1>
  kernel.return %r : tensor<4x5xi1>
}

kernel.program @max_pool(%x: tensor<2x9x7x19xf32>) -> (tensor<2x5x4x19xf32>, tensor<2x5x4x19xi8>) {
  %r, %w = kernel.pool max %x window [3, 2] strides [2, 2] padding [1, 1, 1, 0] scale 1.0
    : tensor<2x9x7x19xf32> -> tensor<2x5x4x19xf32>, tensor<2x5x4x19xi8>
  kernel.return %r, %w : tensor<2x5x4x19xf32>, tensor<2x5x4x19xi8>
}
kernel.program @avg_pool(%x: tensor<2x9x7x19xf32>) -> tensor<2x9x6x19xf32> {
  %r = kernel.pool sum %x window [3, 2] strides [1, 1] padding [1, 1, 0, 0] scale 0.125
    : tensor<2x9x7x19xf32> -> tensor<2x9x6x19xf32>
  kernel.return %r : tensor<2x9x6x19xf32>
}
kernel.program @avg_pool_bf16(%x: tensor<2x6x6x3xbf16>) -> tensor<2x3x3x3xbf16> {
  %r = kernel.pool sum %x window [2, 2] strides [2, 2] padding [0, 0, 0, 0] scale 0.25 : tensor<2x6x6x3xbf16> -> tensor<2x3x3x3xbf16>
  kernel.return %r : tensor<2x3x3x3xbf16>
}
kernel.program @max_pool_grad(%g: tensor<2x5x4x19xf32>, %w: tensor<2x5x4x19xi8>) -> tensor<2x9x7x19xf32> {
  %r = kernel.pool_grad max(%g, %w : tensor<2x5x4x19xf32>, tensor<2x5x4x19xi8>) window [3, 2] strides [2, 2]
    padding [1, 1, 1, 0] scale 1.0 {test.limit = 6 : i64} -> tensor<2x9x7x19xf32>
  kernel.return %r : tensor<2x9x7x19xf32>
}
kernel.program @avg_pool_grad(%g: tensor<2x9x6x19xf64>) -> tensor<2x9x7x19xf64> {
  %r = kernel.pool_grad sum(%g : tensor<2x9x6x19xf64>) window [3, 2] strides [1, 1] padding [1, 1, 0, 0] scale 0.125
    -> tensor<2x9x7x19xf64>
  kernel.return %r : tensor<2x9x7x19xf64>
}
// Windows with gaps between the windows.
kernel.program @sparse_pool_grad(%g: tensor<1x2x2x5xf32>) -> tensor<1x7x7x5xf32> {
  %r = kernel.pool_grad sum(%g : tensor<1x2x2x5xf32>) window [2, 2] strides [4, 4] padding [0, 0, 0, 0] scale 1.0
    -> tensor<1x7x7x5xf32>
  kernel.return %r : tensor<1x7x7x5xf32>
}
