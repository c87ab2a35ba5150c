// Composite ops are expanded into parts; adjoints of the entries are used, and adjoints of the adjoints, too.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt --load=%toy %S/Inputs/net.mlir --phase-import --phase-simplify --phase-autodiff | FileCheck %s --check-prefix=NET
// RUN: %ampc-opt --load=%toy %s --train-autodiff="of=f" --canonicalize --cse --train-autodiff="of=f.grad result=1" --canonicalize --cse | FileCheck %s
// RUN: ampc check --load=%toy %S/Inputs/net.mlir --also=bf16,f16
// RUN: ampc check --load=%toy %S/Inputs/twice.mlir --also=bf16,f16

// NET-NOT:   toy.gated_unit
// NET-LABEL: train.func @fit.grad
// NET:       %[[GATE:.*]] = toy.squareplus
// NET:       %[[CENTER:.*]] = toy.center
// NET:       toy.snake %[[CENTER]]
// NET:       train.seed
// NET:       %[[DS:.*]] = toy.snake_grad %[[CENTER]]
// NET:       toy.center %[[DS]]

// CHECK-LABEL: train.func @f.grad.grad
// CHECK:       toy.snake_grad
// CHECK:       train.cos
train.model @again {
  train.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = toy.snake %x a 2.0 : tensor<4xf32>
    train.return %y : tensor<4xf32>
  }
}
