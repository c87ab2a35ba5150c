// Constraints of kernels with maps and a body.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --split-input-file --verify-diagnostics

#id = affine_map<(d0) -> (d0)>
kernel.program @no_points(%x: tensor<8xf32>) {
// constraint FusedKernelOpInterface 1
// expected-error @below {{expected a space of less than 32 dimensions with points that 64 bits count, but got [0]}}
  %y = kernel.map(%x : tensor<8xf32>) space [0] maps [#id] -> [#id] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<8xf32>
  kernel.return
}

// -----

kernel.program @too_many_points(%x: tensor<8xf32>) {
// constraint FusedKernelOpInterface 1
// expected-error @below {{expected a space of less than 32 dimensions with points that 64 bits count, but got [4294967296, 4294967296]}}
  %y = kernel.map(%x : tensor<8xf32>) space [4294967296, 4294967296] maps [affine_map<(d0, d1) -> (0)>] -> [affine_map<(d0, d1) -> (0)>] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<8xf32>
  kernel.return
}

// -----

#id = affine_map<(d0) -> (d0)>
kernel.program @map_missing(%x: tensor<8xf32>) {
// constraint FusedKernelOpInterface 2
// expected-error @below {{expected one map per input and one per result}}
  %y = kernel.map(%x : tensor<8xf32>) space [8] maps [] -> [#id] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<8xf32>
  kernel.return
}

// -----

#id = affine_map<(d0) -> (d0)>
kernel.program @other_space(%x: tensor<8xf32>) {
// constraint FusedKernelOpInterface 3
// expected-error @below {{expected a map from the space to 'tensor<8xf32>', but got affine_map<(d0, d1) -> (d0)>}}
  %y = kernel.map(%x : tensor<8xf32>) space [8] maps [affine_map<(d0, d1) -> (d0)>] -> [#id] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<8xf32>
  kernel.return
}

// -----

#id = affine_map<(d0) -> (d0)>
kernel.program @symbol(%x: tensor<8xf32>) {
// constraint FusedKernelOpInterface 3
// expected-error @below {{expected a map from the space to 'tensor<8xf32>', but got affine_map<(d0)[s0] -> (d0 + s0)>}}
  %y = kernel.map(%x : tensor<8xf32>) space [8] maps [affine_map<(d0)[s0] -> (d0 + s0)>] -> [#id] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<8xf32>
  kernel.return
}

// -----

#id = affine_map<(d0) -> (d0)>
kernel.program @past_the_end(%x: tensor<8xf32>) {
// constraint FusedKernelOpInterface 4
// expected-error @below {{expected a map that stays inside 'tensor<8xf32>' over the space [8], but got affine_map<(d0) -> (d0 + 1)>}}
  %y = kernel.map(%x : tensor<8xf32>) space [8] maps [affine_map<(d0) -> (d0 + 1)>] -> [#id] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<8xf32>
  kernel.return
}

// -----

#id = affine_map<(d0) -> (d0)>
kernel.program @before_the_start(%x: tensor<8xf32>) {
// constraint FusedKernelOpInterface 4
// expected-error @below {{expected a map that stays inside 'tensor<8xf32>' over the space [9], but got affine_map<(d0) -> (-d0 + 7)>}}
  %y = kernel.map(%x : tensor<8xf32>) space [9] maps [affine_map<(d0) -> (7 - d0)>] -> [#id] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<8xf32>
  kernel.return
}

// -----

#id = affine_map<(d0) -> (d0)>
kernel.program @written_past_the_end(%x: tensor<8xf32>) {
// constraint FusedKernelOpInterface 4
// expected-error @below {{expected a map that stays inside 'tensor<8xf32>' over the space [9], but got affine_map<(d0) -> (d0)>}}
  %y = kernel.map(%x : tensor<8xf32>) space [9] maps [affine_map<(d0) -> (0)>] -> [#id] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<8xf32>
  kernel.return
}

// -----

#id = affine_map<(d0) -> (d0)>
kernel.program @argument(%x: tensor<8xf32>) {
// constraint FusedKernelOpInterface 5
// expected-error @below {{expected 1 arguments of the body, but got 2}}
  %y = kernel.map(%x : tensor<8xf32>) space [8] maps [#id] -> [#id] {
  ^bb0(%a: f32, %b: f32):
    kernel.yield %a : f32
  } : tensor<8xf32>
  kernel.return
}

// -----

#id = affine_map<(d0) -> (d0)>
kernel.program @widened(%x: tensor<8xf32>) {
// constraint FusedKernelOpInterface 6
// expected-error @below {{expected argument 0 of the body to be an element of 'tensor<8xf32>'}}
  %y = kernel.map(%x : tensor<8xf32>) space [8] maps [#id] -> [#id] {
  ^bb0(%a: f64):
    %0 = arith.truncf %a : f64 to f32
    kernel.yield %0 : f32
  } : tensor<8xf32>
  kernel.return
}

// -----

#id = affine_map<(d0) -> (d0)>
kernel.program @no_scalar(%x: tensor<8xf32>) {
// constraint FusedKernelOpInterface 7
// expected-error @below {{expected a body of ops of arith and math on scalars, but got ub.poison}}
  %y = kernel.map(%x : tensor<8xf32>) space [8] maps [#id] -> [#id] {
  ^bb0(%a: f32):
    %0 = ub.poison : f32
    kernel.yield %a : f32
  } : tensor<8xf32>
  kernel.return
}

// -----

#id = affine_map<(d0) -> (d0)>
kernel.program @vector(%x: tensor<8xf32>) {
// constraint FusedKernelOpInterface 7
// expected-error @below {{expected a body of ops of arith and math on scalars, but got arith.constant}}
  %y = kernel.map(%x : tensor<8xf32>) space [8] maps [#id] -> [#id] {
  ^bb0(%a: f32):
    %0 = arith.constant dense<0.0> : vector<4xf32>
    kernel.yield %a : f32
  } : tensor<8xf32>
  kernel.return
}

// -----

#id = affine_map<(d0) -> (d0)>
kernel.program @yields_two(%x: tensor<8xf32>) {
// constraint FusedKernelOpInterface 8
// expected-error @below {{expected a body that yields 1 values}}
  %y = kernel.map(%x : tensor<8xf32>) space [8] maps [#id] -> [#id] {
  ^bb0(%a: f32):
    kernel.yield %a, %a : f32, f32
  } : tensor<8xf32>
  kernel.return
}

// -----

#id = affine_map<(d0) -> (d0)>
kernel.program @not_rounded(%x: tensor<8xf32>) {
// constraint FusedKernelOpInterface 9
// expected-error @below {{expected an element of 'tensor<8xf16>', but the body yields 'f32'}}
  %y = kernel.map(%x : tensor<8xf32>) space [8] maps [#id] -> [#id] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<8xf16>
  kernel.return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @not_uniform(%x: tensor<4x8xf32>) {
// constraint FusedKernelOpInterface 10
// expected-error @below {{expected result 0 to be the same along d1, which the map of the result leaves out, but got a body that depends on this dimension}}
  %y = kernel.map(%x : tensor<4x8xf32>) space [4, 8] maps [#id] -> [affine_map<(d0, d1) -> (d0)>] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<4xf32>
  kernel.return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @sum_of_one_row(%x: tensor<4x8xf32>) {
// constraint FusedKernelOpInterface 10
// expected-error @below {{expected result 0 to be the same along d0, which the map of the result leaves out, but got a body that depends on this dimension}}
  %y = kernel.map(%x : tensor<4x8xf32>) space [4, 8] maps [#id] -> [affine_map<(d0, d1) -> (d1)>] {
  ^bb0(%a: f32):
    %0 = kernel.row_reduce sum %a : f32
    kernel.yield %0 : f32
  } : tensor<8xf32>
  kernel.return
}

// -----

kernel.program @columns_of_all(%x: tensor<2x4x8xf32>) {
// constraint FusedKernelOpInterface 10
// expected-error @below {{expected result 0 to be the same along d0, which the map of the result leaves out, but got a body that depends on this dimension}}
  %y = kernel.reduce sum(%x : tensor<2x4x8xf32>) space [2, 4, 8] maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] -> [affine_map<(d0, d1, d2) -> (d2)>] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<8xf32>
  kernel.return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @overlap(%x: tensor<4x5xf32>) {
// constraint FusedKernelOpInterface 11
// expected-error @below {{expected an injective map of result 0, but got affine_map<(d0, d1) -> (d0 + d1)>}}
  %y = kernel.map(%x : tensor<4x5xf32>) space [4, 5] maps [#id] -> [affine_map<(d0, d1) -> (d0 + d1)>] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<8xf32>
  kernel.return
}

// -----

kernel.program @dynamic(%x: tensor<1xf32>) {
// constraint KernelOpInterface 1
// expected-error @below {{expected static shapes, but got 'tensor<?xf32>'}}
  %y = kernel.map(%x : tensor<1xf32>) space [8] maps [affine_map<(d0) -> (0)>] -> [affine_map<(d0) -> (d0)>] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<?xf32>
  kernel.return
}

// -----

#id = affine_map<(d0) -> (d0)>
kernel.program @narrow(%x: tensor<8xi32>) {
// constraint KernelOpInterface 1
// expected-error @below {{expected elements of f64, f32, bf16, f16 or an integer of 1, 8, 16, 32 or 64 bits, but got 'tensor<8xi4>'}}
  %y = kernel.map(%x : tensor<8xi32>) space [8] maps [#id] -> [#id] {
  ^bb0(%a: i32):
    %0 = arith.trunci %a : i32 to i4
    kernel.yield %0 : i4
  } : tensor<8xi4>
  kernel.return
}

// -----

kernel.program @no_row(%x: tensor<f32>) {
// constraint kernel.map 2
// expected-error @below {{expected a space with a last dimension, along which the body works, but got []}}
  %y = kernel.map(%x : tensor<f32>) space [] maps [affine_map<() -> ()>] -> [affine_map<() -> ()>] {
  ^bb0(%a: f32):
    %0 = kernel.row_reduce sum %a : f32
    kernel.yield %0 : f32
  } : tensor<f32>
  kernel.return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @narrow_row(%x: tensor<4x8xf16>) {
  %y = kernel.map(%x : tensor<4x8xf16>) space [4, 8] maps [#id] -> [affine_map<(d0, d1) -> (d0)>] {
  ^bb0(%a: f16):
    // constraint kernel.row_reduce 1
    // expected-error @below {{expected an accumulator of at least f32, but got 'f16'}}
    %0 = kernel.row_reduce sum %a : f16
    kernel.yield %0 : f16
  } : tensor<4xf16>
  kernel.return
}

// -----

kernel.program @two_dimensions(%x: tensor<16x8xf32>) {
// constraint kernel.reduce 1
// expected-error @below {{expected a space [outer, reduced, inner], but got [16, 8]}}
  %y = kernel.reduce sum(%x : tensor<16x8xf32>) space [16, 8] maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<16x8xf32>
  kernel.return
}

// -----

kernel.program @narrow_sum(%x: tensor<16x8xf16>) {
// constraint kernel.reduce 2
// expected-error @below {{expected an accumulator of at least 'f32', but got 'f16'}}
  %y = kernel.reduce sum(%x : tensor<16x8xf16>) space [1, 16, 8] maps [affine_map<(d0, d1, d2) -> (d1, d2)>] -> [affine_map<(d0, d1, d2) -> (d2)>] {
  ^bb0(%a: f16):
    kernel.yield %a : f16
  } : tensor<8xf16>
  kernel.return
}

// -----

kernel.program @keeps_all(%x: tensor<16x8xf32>) {
// constraint kernel.reduce 3
// expected-error @below {{expected maps of results that leave out d1, which is reduced, but got affine_map<(d0, d1, d2) -> (d1, d2)>}}
  %y = kernel.reduce sum(%x : tensor<16x8xf32>) space [1, 16, 8] maps [affine_map<(d0, d1, d2) -> (d1, d2)>] -> [affine_map<(d0, d1, d2) -> (d1, d2)>] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<16x8xf32>
  kernel.return
}
