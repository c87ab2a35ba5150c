// Constraints of kernels without a body, of constants and of views.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --split-input-file --verify-diagnostics

kernel.program @gather_width(%t: tensor<9x4xf32>, %i: tensor<3xi32>) {
// constraint kernel.gather 1
// expected-error @below {{expected a table [m, width], i32 indices [n] and rows [n, width], but got 'tensor<9x4xf32>', 'tensor<3xi32>' and 'tensor<3x5xf32>'}}
  %y = kernel.gather %t, %i : tensor<9x4xf32>, tensor<3xi32> -> tensor<3x5xf32>
  kernel.return
}

// -----

kernel.program @gather_index(%t: tensor<9x4xf32>, %i: tensor<3xi64>) {
// constraint kernel.gather 1
// expected-error @below {{expected a table [m, width], i32 indices [n] and rows [n, width], but got 'tensor<9x4xf32>', 'tensor<3xi64>' and 'tensor<3x4xf32>'}}
  %y = kernel.gather %t, %i : tensor<9x4xf32>, tensor<3xi64> -> tensor<3x4xf32>
  kernel.return
}

// -----

kernel.program @gather_elements(%t: tensor<9x4xf32>, %i: tensor<3xi32>) {
// constraint kernel.gather 2
// expected-error @below {{expected elements of 'tensor<9x4xf32>', but got 'tensor<3x4xf16>'}}
  %y = kernel.gather %t, %i : tensor<9x4xf32>, tensor<3xi32> -> tensor<3x4xf16>
  kernel.return
}

// -----

kernel.program @scatter_count(%u: tensor<3x4xf32>, %i: tensor<2xi32>) {
// constraint kernel.scatter_add 1
// expected-error @below {{expected a table [m, width], i32 indices [n] and rows [n, width], but got 'tensor<9x4xf32>', 'tensor<2xi32>' and 'tensor<3x4xf32>'}}
  %y = kernel.scatter_add %u, %i : tensor<3x4xf32>, tensor<2xi32> -> tensor<9x4xf32>
  kernel.return
}

// -----

kernel.program @scatter_sum(%u: tensor<3x4xf16>, %i: tensor<3xi32>) {
// constraint kernel.scatter_add 2
// expected-error @below {{expected an accumulator of at least 'f32', but got 'f16'}}
  %y = kernel.scatter_add %u, %i : tensor<3x4xf16>, tensor<3xi32> -> tensor<9x4xf16>
  kernel.return
}

// -----

kernel.program @scatter_integers(%u: tensor<3x4xi32>, %i: tensor<3xi32>) {
// constraint kernel.scatter_add 2
// expected-error @below {{expected tensors of reals, but got 'tensor<3x4xi32>'}}
  %y = kernel.scatter_add %u, %i : tensor<3x4xi32>, tensor<3xi32> -> tensor<9x4xf32>
  kernel.return
}

// -----

kernel.program @group_starts(%i: tensor<4xi32>) {
// constraint kernel.sort_by_key 1
// expected-error @below {{expected i32 indices [n] of a table of m rows, and i32 results [min(n, m)], [n] and [min(n, m) + 1], but got 'tensor<4xi32>', 9 and 'tensor<4xi32>', 'tensor<4xi32>', 'tensor<4xi32>'}}
  %r, %o, %s = kernel.sort_by_key %i of 9 : tensor<4xi32> -> tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
  kernel.return
}

// -----

kernel.program @sum_starts(%u: tensor<3x4xf32>, %o: tensor<3xi32>) {
// constraint kernel.segment_sum 1
// expected-error @below {{expected updates [n, at least from + width], an order [n], starts [m + 1] and sums [m, width], but got 'tensor<3x4xf32>', 'tensor<3xi32>', 'tensor<3xi32>' and 'tensor<3x4xf32>' from 0}}
  %y = kernel.segment_sum %u, %o, %o : tensor<3x4xf32>, tensor<3xi32>, tensor<3xi32> -> tensor<3x4xf32>
  kernel.return
}

// -----

kernel.program @sum_columns(%u: tensor<3x9xf32>, %o: tensor<3xi32>, %s: tensor<4xi32>) {
// expected-error @below {{expected updates [n, at least from + width], an order [n], starts [m + 1] and sums [m, width], but got 'tensor<3x9xf32>', 'tensor<3xi32>', 'tensor<4xi32>' and 'tensor<3x4xf32>' from 6}}
  %y = kernel.segment_sum %u, %o, %s from 6 : tensor<3x9xf32>, tensor<3xi32>, tensor<4xi32> -> tensor<3x4xf32>
  kernel.return
}

// -----

kernel.program @sum_accumulator(%u: tensor<3x4xf64>, %o: tensor<3xi32>, %s: tensor<4xi32>) {
// constraint kernel.segment_sum 2
// expected-error @below {{expected an accumulator of at least 'f64', but got 'f32'}}
  %y = kernel.segment_sum %u, %o, %s : tensor<3x4xf64>, tensor<3xi32>, tensor<4xi32> -> tensor<3x4xf32>
  kernel.return
}

// -----

kernel.program @put_width(%r: tensor<3x4xf32>, %i: tensor<3xi32>, %t: tensor<9x5xf32>) {
// constraint kernel.scatter_rows 1
// expected-error @below {{expected a table [m, width], i32 indices [n] and rows [n, width], but got 'tensor<9x5xf32>', 'tensor<3xi32>' and 'tensor<3x4xf32>'}}
  %y = kernel.scatter_rows %r, %i into %t : tensor<3x4xf32>, tensor<3xi32>, tensor<9x5xf32>
  kernel.return
}

// -----

kernel.program @put_elements(%r: tensor<3x4xf16>, %i: tensor<3xi32>, %t: tensor<9x4xf32>) {
// constraint kernel.scatter_rows 2
// expected-error @below {{expected elements of 'tensor<9x4xf32>', but got 'tensor<3x4xf16>'}}
  %y = kernel.scatter_rows %r, %i into %t : tensor<3x4xf16>, tensor<3xi32>, tensor<9x4xf32>
  kernel.return
}

// -----

kernel.program @assemble_offsets(%a: tensor<4x8xf32>, %b: tensor<4x3xf32>) {
// constraint kernel.assemble 1
// expected-error @below {{expected 4 offsets and strides, but got 3 and 4}}
  %y = kernel.assemble(%a, %b : tensor<4x8xf32>, tensor<4x3xf32>) offsets [0, 0, 0] strides [1, 1, 1, 1] fill 0.0 -> tensor<4x11xf32>
  kernel.return
}

// -----

kernel.program @assemble_elements(%a: tensor<4x8xf32>, %b: tensor<4x3xf16>) {
// constraint kernel.assemble 2
// expected-error @below {{expected parts of rank 2 and elements of 'tensor<4x11xf32>', but got 'tensor<4x3xf16>'}}
  %y = kernel.assemble(%a, %b : tensor<4x8xf32>, tensor<4x3xf16>) offsets [0, 0, 0, 8] strides [1, 1, 1, 1] fill 0.0 -> tensor<4x11xf32>
  kernel.return
}

// -----

kernel.program @assemble_outside(%a: tensor<4x8xf32>, %b: tensor<4x3xf32>) {
// constraint kernel.assemble 3
// expected-error @below {{expected part 1 inside 'tensor<4x10xf32>', but the last element in dimension 1 is 10}}
  %y = kernel.assemble(%a, %b : tensor<4x8xf32>, tensor<4x3xf32>) offsets [0, 0, 0, 8] strides [1, 1, 1, 1] fill 0.0 -> tensor<4x10xf32>
  kernel.return
}

// -----

kernel.program @assemble_overlap(%a: tensor<4x8xf32>, %b: tensor<4x3xf32>) {
// constraint kernel.assemble 4
// expected-error @below {{expected parts that do not overlap, but parts 0 and 1 do}}
  %y = kernel.assemble(%a, %b : tensor<4x8xf32>, tensor<4x3xf32>) offsets [0, 0, 0, 7] strides [1, 1, 1, 1] fill 0.0 -> tensor<4x11xf32>
  kernel.return
}

// -----

kernel.program @assemble_strided(%a: tensor<4xf32>, %b: tensor<3xf32>) {
// constraint kernel.assemble 4
// expected-error @below {{expected parts that do not overlap, but parts 0 and 1 do}}
  %y = kernel.assemble(%a, %b : tensor<4xf32>, tensor<3xf32>) offsets [0, 1] strides [3, 4] fill 0.0 -> tensor<12xf32>
  kernel.return
}

// -----

kernel.program @not_packed(%x: tensor<8x16xf32>) {
// constraint kernel.pack 1
// expected-error @below {{expected 'tensor<8x16xf32>' with a packed encoding, but got 'tensor<8x16xf32>'}}
  %y = kernel.pack %x : tensor<8x16xf32> to tensor<8x16xf32>
  kernel.return
}

// -----

kernel.program @pool_rank(%x: tensor<4x6x3xf32>) {
// constraint kernel.pool 1
// expected-error @below {{expected images NHWC, but got 'tensor<4x6x3xf32>' and 'tensor<2x3x3xf32>'}}
  %y, %w = kernel.pool max %x window [2, 2] strides [2, 2] padding [0, 0, 0, 0] scale 1.0 : tensor<4x6x3xf32> -> tensor<2x3x3xf32>, tensor<2x3x3xi8>
  kernel.return
}

// -----

kernel.program @pool_grad_rank(%g: tensor<2x3x3xf32>, %w: tensor<2x3x3xi8>) {
// constraint kernel.pool_grad 1
// expected-error @below {{expected images NHWC, but got 'tensor<4x6x3xf32>' and 'tensor<2x3x3xf32>'}}
  %y = kernel.pool_grad max(%g, %w : tensor<2x3x3xf32>, tensor<2x3x3xi8>) window [2, 2] strides [2, 2] padding [0, 0, 0, 0] scale 1.0 -> tensor<4x6x3xf32>
  kernel.return
}

// -----

kernel.program @pool_stride(%x: tensor<2x4x6x3xf32>) {
// constraint kernel.pool 2
// expected-error @below {{expected a window of 2 sizes, 2 strides and 4 paddings, each below 2^31, but got [2, 2], [0, 2] and [0, 0, 0, 0]}}
  %y, %w = kernel.pool max %x window [2, 2] strides [0, 2] padding [0, 0, 0, 0] scale 1.0 : tensor<2x4x6x3xf32> -> tensor<2x2x3x3xf32>, tensor<2x2x3x3xi8>
  kernel.return
}

// -----

kernel.program @pool_grad_stride(%g: tensor<2x2x3x3xf32>, %w: tensor<2x2x3x3xi8>) {
// constraint kernel.pool_grad 2
// expected-error @below {{expected a window of 2 sizes, 2 strides and 4 paddings, each below 2^31, but got [2, 2], [0, 2] and [0, 0, 0, 0]}}
  %y = kernel.pool_grad max(%g, %w : tensor<2x2x3x3xf32>, tensor<2x2x3x3xi8>) window [2, 2] strides [0, 2] padding [0, 0, 0, 0] scale 1.0 -> tensor<2x4x6x3xf32>
  kernel.return
}

// -----

kernel.program @pool_shape(%x: tensor<2x4x6x3xf32>) {
// constraint kernel.pool 3
// expected-error @below {{expected windows of shape [2, 2, 3, 3], but got 'tensor<2x2x2x3xf32>'}}
  %y, %w = kernel.pool max %x window [2, 2] strides [2, 2] padding [0, 0, 0, 0] scale 1.0 : tensor<2x4x6x3xf32> -> tensor<2x2x2x3xf32>, tensor<2x2x2x3xi8>
  kernel.return
}

// -----

kernel.program @pool_grad_shape(%g: tensor<2x2x2x3xf32>, %w: tensor<2x2x2x3xi8>) {
// constraint kernel.pool_grad 3
// expected-error @below {{expected windows of shape [2, 2, 3, 3], but got 'tensor<2x2x2x3xf32>'}}
  %y = kernel.pool_grad max(%g, %w : tensor<2x2x2x3xf32>, tensor<2x2x2x3xi8>) window [2, 2] strides [2, 2] padding [0, 0, 0, 0] scale 1.0 -> tensor<2x4x6x3xf32>
  kernel.return
}

// -----

kernel.program @pool_elements(%x: tensor<2x4x6x3xf32>) {
// constraint kernel.pool 4
// expected-error @below {{expected an image and windows of one type of reals, but got 'tensor<2x4x6x3xf32>' and 'tensor<2x2x3x3xf16>'}}
  %y, %w = kernel.pool max %x window [2, 2] strides [2, 2] padding [0, 0, 0, 0] scale 1.0 : tensor<2x4x6x3xf32> -> tensor<2x2x3x3xf16>, tensor<2x2x3x3xi8>
  kernel.return
}

// -----

kernel.program @pool_grad_elements(%g: tensor<2x2x3x3xf16>, %w: tensor<2x2x3x3xi8>) {
// constraint kernel.pool_grad 4
// expected-error @below {{expected an image and windows of one type of reals, but got 'tensor<2x4x6x3xf32>' and 'tensor<2x2x3x3xf16>'}}
  %y = kernel.pool_grad max(%g, %w : tensor<2x2x3x3xf16>, tensor<2x2x3x3xi8>) window [2, 2] strides [2, 2] padding [0, 0, 0, 0] scale 1.0 -> tensor<2x4x6x3xf32>
  kernel.return
}

// -----

kernel.program @pool_kind(%x: tensor<2x4x6x3xf32>) {
// constraint kernel.pool 5
// expected-error @below {{expected a maximum with the places of maxima, or a sum without}}
  %y, %w = kernel.pool min %x window [2, 2] strides [2, 2] padding [0, 0, 0, 0] scale 1.0 : tensor<2x4x6x3xf32> -> tensor<2x2x3x3xf32>, tensor<2x2x3x3xi8>
  kernel.return
}

// -----

kernel.program @pool_grad_kind(%g: tensor<2x2x3x3xf32>, %w: tensor<2x2x3x3xi8>) {
// constraint kernel.pool_grad 5
// expected-error @below {{expected a maximum with the places of maxima, or a sum without}}
  %y = kernel.pool_grad min(%g, %w : tensor<2x2x3x3xf32>, tensor<2x2x3x3xi8>) window [2, 2] strides [2, 2] padding [0, 0, 0, 0] scale 1.0 -> tensor<2x4x6x3xf32>
  kernel.return
}

// -----

kernel.program @pool_places(%x: tensor<2x4x6x3xf32>) {
// constraint kernel.pool 5
// expected-error @below {{expected a maximum with the places of maxima, or a sum without}}
  %y = kernel.pool max %x window [2, 2] strides [2, 2] padding [0, 0, 0, 0] scale 1.0 : tensor<2x4x6x3xf32> -> tensor<2x2x3x3xf32>
  kernel.return
}

// -----

kernel.program @pool_grad_places(%g: tensor<2x2x3x3xf32>) {
// constraint kernel.pool_grad 5
// expected-error @below {{expected a maximum with the places of maxima, or a sum without}}
  %y = kernel.pool_grad max(%g : tensor<2x2x3x3xf32>) window [2, 2] strides [2, 2] padding [0, 0, 0, 0] scale 1.0 -> tensor<2x4x6x3xf32>
  kernel.return
}

// -----

kernel.program @pool_type(%x: tensor<2x4x6x3xf32>) {
// constraint kernel.pool 6
// expected-error @below {{expected places in i8, but got 'tensor<2x2x3x3xi32>'}}
  %y, %w = kernel.pool max %x window [2, 2] strides [2, 2] padding [0, 0, 0, 0] scale 1.0 : tensor<2x4x6x3xf32> -> tensor<2x2x3x3xf32>, tensor<2x2x3x3xi32>
  kernel.return
}

// -----

kernel.program @pool_grad_type(%g: tensor<2x2x3x3xf32>, %w: tensor<2x2x3x3xi32>) {
// constraint kernel.pool_grad 6
// expected-error @below {{expected places in i8, but got 'tensor<2x2x3x3xi32>'}}
  %y = kernel.pool_grad max(%g, %w : tensor<2x2x3x3xf32>, tensor<2x2x3x3xi32>) window [2, 2] strides [2, 2] padding [0, 0, 0, 0] scale 1.0 -> tensor<2x4x6x3xf32>
  kernel.return
}

// -----

kernel.program @pool_window(%x: tensor<2x16x8x3xf32>) {
// constraint kernel.pool 7
// expected-error @below {{expected a window of at most 127 elements, whose number i8 holds, but got [16, 8]}}
  %y, %w = kernel.pool max %x window [16, 8] strides [2, 2] padding [0, 0, 0, 0] scale 1.0 : tensor<2x16x8x3xf32> -> tensor<2x1x1x3xf32>, tensor<2x1x1x3xi8>
  kernel.return
}

// -----

kernel.program @pool_grad_window(%g: tensor<2x1x1x3xf32>, %w: tensor<2x1x1x3xi8>) {
// constraint kernel.pool_grad 7
// expected-error @below {{expected a window of at most 127 elements, whose number i8 holds, but got [16, 8]}}
  %y = kernel.pool_grad max(%g, %w : tensor<2x1x1x3xf32>, tensor<2x1x1x3xi8>) window [16, 8] strides [2, 2] padding [0, 0, 0, 0] scale 1.0 -> tensor<2x16x8x3xf32>
  kernel.return
}

// -----

kernel.program @constant_elements() {
// constraint kernel.constant 1
// expected-error @below {{expected elements of f64, f32, bf16, f16 or an integer of 1, 8, 16, 32 or 64 bits, but got 'tensor<2xi4>'}}
  %y = kernel.constant dense<1> : tensor<2xi4>
  kernel.return
}

// -----

kernel.program @constant_packed() {
// constraint kernel.constant 2
// expected-error @below {{expected a tensor that is not packed, but got 'tensor<8x8xf32, #kernel.packed<rhs, depth = 0, bytes = 256>>'}}
  %y = kernel.constant dense<1.0> : tensor<8x8xf32, #kernel.packed<rhs, depth = 0, bytes = 256>>
  kernel.return
}

// -----

kernel.program @view_dynamic(%x: tensor<4x8xf32>) {
// constraint kernel.view 1
// expected-error @below {{expected static shapes, but got 'tensor<?xf32>'}}
  %y = kernel.view %x : tensor<4x8xf32> to tensor<?xf32>
  kernel.return
}

// -----

kernel.program @view_elements(%x: tensor<4x8xf32>) {
// constraint kernel.view 3
// expected-error @below {{expected the elements of 'tensor<4x8xf32>', but got 'tensor<31xf32>'}}
  %y = kernel.view %x : tensor<4x8xf32> to tensor<31xf32>
  kernel.return
}

// -----

kernel.program @packed_result(%x: tensor<8x16xf32>, %i: tensor<8xi32>) {
  // constraint KernelOpInterface 3
  // expected-error @below {{expected results that are not packed, but got 'tensor<8x16xf32, #kernel.packed<rhs, depth = 0, bytes = 512>>'}}
  %y = kernel.gather %x, %i : tensor<8x16xf32>, tensor<8xi32> -> tensor<8x16xf32, #kernel.packed<rhs, depth = 0, bytes = 512>>
  kernel.return
}
