// RUN: ampc-opt %s -split-input-file -verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

kernel.program @f(%a: tensor<8xf32>) {
  // constraint kernel.multi_map 1
  // expected-error @below {{expected at least two members, with equally many inputs and at least one result each, but got 1 members of 1 inputs and 1 results}}
  %0 = kernel.multi_map shared() members 1 (%a : tensor<8xf32>) {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } : tensor<8xf32>
  kernel.return
}

// -----

kernel.program @f(%a: tensor<8xf32>) {
  // constraint kernel.multi_map 1
  // expected-error @below {{but got 2 members of 3 inputs and 2 results}}
  %0:2 = kernel.multi_map shared() members 2 (%a, %a, %a : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } : tensor<8xf32>, tensor<8xf32>
  kernel.return
}

// -----

kernel.program @f(%a: tensor<8xf32>, %s: tensor<2xf32>) {
  // constraint kernel.multi_map 2
  // expected-error @below {{expected shared tensors of one element, but got 'tensor<2xf32>'}}
  %0:2 = kernel.multi_map shared(%s : tensor<2xf32>) members 2 (%a, %a : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%f: f32, %x: f32):
    kernel.yield %x : f32
  } : tensor<8xf32>, tensor<8xf32>
  kernel.return
}

// -----

kernel.program @f(%a: tensor<8xf32>, %b: tensor<3x3xf32>) {
  // constraint kernel.multi_map 3
  // expected-error @below {{expected tensors of 8 elements in member 1, but got 'tensor<3x3xf32>'}}
  %0:2 = kernel.multi_map shared() members 2 (%a, %b : tensor<8xf32>, tensor<3x3xf32>) {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } : tensor<8xf32>, tensor<8xf32>
  kernel.return
}

// -----

kernel.program @f(%a: tensor<8xf32>) {
  // constraint kernel.multi_map 4
  // expected-error @below {{expected a body of 1 arguments, but got 2}}
  %0:2 = kernel.multi_map shared() members 2 (%a, %a : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32):
    kernel.yield %x : f32
  } : tensor<8xf32>, tensor<8xf32>
  kernel.return
}

// -----

kernel.program @f(%a: tensor<8xf32>, %b: tensor<9xbf16>) {
  // constraint kernel.multi_map 4
  // expected-error @below {{expected a body's argument of the elements' type for each shared tensor and each input of member 1, but got 'f32'}}
  %0:2 = kernel.multi_map shared() members 2 (%a, %b : tensor<8xf32>, tensor<9xbf16>) {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } : tensor<8xf32>, tensor<9xf32>
  kernel.return
}

// -----

kernel.program @f(%a: tensor<8xf32>) {
  // constraint kernel.multi_map 5
  // expected-error @below {{expected a body of ops of arith and math on scalars, but got kernel.constant}}
  %0:2 = kernel.multi_map shared() members 2 (%a, %a : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%x: f32):
    %c = kernel.constant dense<1.0> : tensor<f32>
    kernel.yield %x : f32
  } : tensor<8xf32>, tensor<8xf32>
  kernel.return
}

// -----

kernel.program @f(%a: tensor<8xf32>) {
  // constraint kernel.multi_map 6
  // expected-error @below {{expected a body that yields 1 values}}
  %0:2 = kernel.multi_map shared() members 2 (%a, %a : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%x: f32):
    kernel.yield %x, %x : f32, f32
  } : tensor<8xf32>, tensor<8xf32>
  kernel.return
}

// -----

kernel.program @f(%a: tensor<8xf32>) {
  // constraint kernel.multi_map 6
  // expected-error @below {{expected results of the yielded types in member 1, but got 'tensor<8xbf16>'}}
  %0:2 = kernel.multi_map shared() members 2 (%a, %a : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } : tensor<8xf32>, tensor<8xbf16>
  kernel.return
}
