// Printing and parsing, and errors of the verifiers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt --load=%toy %s --split-input-file --verify-diagnostics -o %t
// RUN: %ampc-opt --load=%toy %S/Inputs/net.mlir | %ampc-opt --load=%toy | FileCheck %s
// CHECK: toy.gated_unit %{{.*}}, %{{.*}}, %{{.*}} : tensor<6x5xf32>, tensor<5x7xf32>, tensor<5x7xf32>
// CHECK-NEXT: toy.center %{{.*}} : tensor<6x7xf32>
// CHECK-NEXT: toy.snake %{{.*}} a 2.000000e+00 : tensor<6x7xf32>
// CHECK: toy.squareplus %{{.*}} : tensor<6x3xf32>

train.model @still {
  train.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{expected a positive a, but got 0}}
    %y = toy.snake %x a 0.0 : tensor<4xf32>
    train.return %y : tensor<4xf32>
  }
}

// -----

train.model @narrow {
  train.func @f(%x: tensor<4x5xf32>, %g: tensor<5x3xf32>, %u: tensor<5x2xf32>) -> tensor<4x3xf32> {
    // expected-error @+1 {{expected two weights of one type for 'tensor<4x5xf32>', but got 'tensor<5x3xf32>' and 'tensor<5x2xf32>'}}
    %y = toy.gated_unit %x, %g, %u : tensor<4x5xf32>, tensor<5x3xf32>, tensor<5x2xf32>
    train.return %y : tensor<4x3xf32>
  }
}
