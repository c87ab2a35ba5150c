// RUN: ampc-opt %s -split-input-file -verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

kernel.program @no_kernel(%x: tensor<4xf32>) {
  // constraint kernel.fused_reduction 1
  // expected-error @below {{expected one kernel without overwritten operands, whose results are yielded}}
  %0:2 = kernel.fused_reduction(%x : tensor<4xf32>) of {
  ^bb0(%a: tensor<4xf32>):
    kernel.yield %a : tensor<4xf32>
  } sum {
  ^bb0(%e: f32):
    kernel.yield %e : f32
  } : tensor<4xf32>, tensor<f32>
  kernel.return
}

// -----

kernel.program @arguments(%u: tensor<4x3xf32>, %i: tensor<4xi32>) {
  // constraint kernel.fused_reduction 2
  // expected-error @below {{expected the kernel's arguments to be the first inputs}}
  %0:2 = kernel.fused_reduction(%i, %u : tensor<4xi32>, tensor<4x3xf32>) of {
  ^bb0(%a: tensor<4x3xf32>, %b: tensor<4xi32>):
    %y = kernel.scatter_add %a, %b : tensor<4x3xf32>, tensor<4xi32> -> tensor<5x3xf32>
    kernel.yield %y : tensor<5x3xf32>
  } sum {
  ^bb0(%e: f32):
    kernel.yield %e : f32
  } : tensor<5x3xf32>, tensor<f32>
  kernel.return
}

// -----

kernel.program @results(%u: tensor<4x3xf32>, %i: tensor<4xi32>) {
  // constraint kernel.fused_reduction 3
  // expected-error @below {{expected the kernel's results to be the first results}}
  %0:2 = kernel.fused_reduction(%u, %i : tensor<4x3xf32>, tensor<4xi32>) of {
  ^bb0(%a: tensor<4x3xf32>, %b: tensor<4xi32>):
    %y = kernel.scatter_add %a, %b : tensor<4x3xf32>, tensor<4xi32> -> tensor<5x3xf32>
    kernel.yield %y : tensor<5x3xf32>
  } sum {
  ^bb0(%e: f32):
    kernel.yield %e : f32
  } : tensor<6x3xf32>, tensor<f32>
  kernel.return
}

// -----

kernel.program @scalar(%u: tensor<4x3xf32>, %i: tensor<4xi32>) {
  // constraint kernel.fused_reduction 4
  // expected-error @below {{expected a scalar beside the kernel's inputs, but got 'tensor<4x3xf32>'}}
  %0:2 = kernel.fused_reduction(%u, %i, %u : tensor<4x3xf32>, tensor<4xi32>, tensor<4x3xf32>) of {
  ^bb0(%a: tensor<4x3xf32>, %b: tensor<4xi32>):
    %y = kernel.scatter_add %a, %b : tensor<4x3xf32>, tensor<4xi32> -> tensor<5x3xf32>
    kernel.yield %y : tensor<5x3xf32>
  } sum {
  ^bb0(%e: f32, %f: f32):
    kernel.yield %e : f32
  } : tensor<5x3xf32>, tensor<f32>
  kernel.return
}

// -----

kernel.program @body(%u: tensor<4x3xf32>, %i: tensor<4xi32>) {
  // constraint kernel.fused_reduction 5
  // expected-error @below {{expected a body on one element of every result, then of every scalar}}
  %0:2 = kernel.fused_reduction(%u, %i : tensor<4x3xf32>, tensor<4xi32>) of {
  ^bb0(%a: tensor<4x3xf32>, %b: tensor<4xi32>):
    %y = kernel.scatter_add %a, %b : tensor<4x3xf32>, tensor<4xi32> -> tensor<5x3xf32>
    kernel.yield %y : tensor<5x3xf32>
  } sum {
  ^bb0(%e: f64):
    kernel.yield %e : f64
  } : tensor<5x3xf32>, tensor<f64>
  kernel.return
}

// -----

kernel.program @count(%u: tensor<4x3xf32>, %i: tensor<4xi32>) {
  // constraint kernel.fused_reduction 7
  // expected-error @below {{expected a body that yields 2 values}}
  %0:3 = kernel.fused_reduction(%u, %i : tensor<4x3xf32>, tensor<4xi32>) of {
  ^bb0(%a: tensor<4x3xf32>, %b: tensor<4xi32>):
    %y = kernel.scatter_add %a, %b : tensor<4x3xf32>, tensor<4xi32> -> tensor<5x3xf32>
    kernel.yield %y : tensor<5x3xf32>
  } sum {
  ^bb0(%e: f32):
    kernel.yield %e : f32
  } : tensor<5x3xf32>, tensor<f32>, tensor<f32>
  kernel.return
}

// -----

kernel.program @type(%u: tensor<4x3xf32>, %i: tensor<4xi32>) {
  // constraint kernel.fused_reduction 8
  // expected-error @below {{expected a reduction of one 'f32', but got 'tensor<2xf32>'}}
  %0:2 = kernel.fused_reduction(%u, %i : tensor<4x3xf32>, tensor<4xi32>) of {
  ^bb0(%a: tensor<4x3xf32>, %b: tensor<4xi32>):
    %y = kernel.scatter_add %a, %b : tensor<4x3xf32>, tensor<4xi32> -> tensor<5x3xf32>
    kernel.yield %y : tensor<5x3xf32>
  } sum {
  ^bb0(%e: f32):
    kernel.yield %e : f32
  } : tensor<5x3xf32>, tensor<2xf32>
  kernel.return
}

// -----

#id = affine_map<(d0) -> (d0)>
kernel.program @accumulator(%x: tensor<4xf16>) {
  // constraint kernel.fused_reduction 9
  // expected-error @below {{expected an accumulator of at least 'f32', but got 'f16'}}
  %0:2 = kernel.fused_reduction(%x : tensor<4xf16>) of {
  ^bb0(%a: tensor<4xf16>):
    %y = kernel.map(%a : tensor<4xf16>) space [4] maps [#id] -> [#id] {
    ^bb0(%e: f16):
      kernel.yield %e : f16
    } : tensor<4xf16>
    kernel.yield %y : tensor<4xf16>
  } sum {
  ^bb0(%e: f16):
    kernel.yield %e : f16
  } : tensor<4xf16>, tensor<f16>
  kernel.return
}

// -----

kernel.program @twice(%t: tensor<5x3xf32>, %i: tensor<4xi32>) {
  // constraint kernel.fused_reduction 10
  // expected-error @below {{expected every reduction to depend on one result that kernel.gather writes once}}
  %0:2 = kernel.fused_reduction(%t, %i : tensor<5x3xf32>, tensor<4xi32>) of {
  ^bb0(%a: tensor<5x3xf32>, %b: tensor<4xi32>):
    %y = kernel.gather %a, %b : tensor<5x3xf32>, tensor<4xi32> -> tensor<4x3xf32>
    kernel.yield %y : tensor<4x3xf32>
  } sum {
  ^bb0(%e: f32):
    kernel.yield %e : f32
  } : tensor<4x3xf32>, tensor<f32>
  kernel.return
}

// -----

kernel.program @scalar_code(%u: tensor<4x3xf32>, %i: tensor<4xi32>) {
  // constraint kernel.fused_reduction 6
  // expected-error @below {{expected a body of ops of arith and math on scalars, but got ub.poison}}
  %0:2 = kernel.fused_reduction(%u, %i : tensor<4x3xf32>, tensor<4xi32>) of {
  ^bb0(%a: tensor<4x3xf32>, %b: tensor<4xi32>):
    %y = kernel.scatter_add %a, %b : tensor<4x3xf32>, tensor<4xi32> -> tensor<5x3xf32>
    kernel.yield %y : tensor<5x3xf32>
  } sum {
  ^bb0(%e: f32):
    %t = ub.poison : f32
    kernel.yield %e : f32
  } : tensor<5x3xf32>, tensor<f32>
  kernel.return
}
