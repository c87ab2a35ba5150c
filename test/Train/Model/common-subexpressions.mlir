// Common subexpression elimination of a program gives the module of MLIR's CSE: chains of equal ops, commuted operands, attributes that
// differ, dead ops, loops that repeat ops from around the loop, and ops behind a loop that repeat ops of the loop.
// RUN: ampc-opt %s --train-simplify=canonical=false --mlir-print-local-scope > %t.simplified
// RUN: ampc-opt %s --cse --mlir-print-local-scope > %t.cse
// RUN: diff %t.simplified %t.cse
// RUN: FileCheck %s < %t.simplified
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @m {
  // CHECK-LABEL: train.func @chains
  // CHECK: %[[A:.*]] = train.exp %[[X:.*]] :
  // CHECK-NEXT: %[[B:.*]] = train.add %[[A]], %[[X]] :
  // CHECK-NEXT: %[[C:.*]] = train.clamp %[[B]] from 0.0{{.*}} to 1.0
  // CHECK-NEXT: %[[D:.*]] = train.clamp %[[B]] from 0.0{{.*}} to 2.0
  // CHECK-NEXT: train.return %[[B]], %[[B]], %[[C]], %[[D]], %[[C]]
  train.func @chains(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %a0 = train.exp %x : tensor<4xf32>
    %a1 = train.exp %x : tensor<4xf32>
    %b0 = train.add %a0, %x : tensor<4xf32>, tensor<4xf32>
    %b1 = train.add %x, %a1 : tensor<4xf32>, tensor<4xf32>
    %c0 = train.clamp %b0 from 0.0 to 1.0 : tensor<4xf32>
    %d0 = train.clamp %b1 from 0.0 to 2.0 : tensor<4xf32>
    %c1 = train.clamp %b1 from 0.0 to 1.0 : tensor<4xf32>
    %dead = train.sin %c1 : tensor<4xf32>
    train.return %b0, %b1, %c0, %d0, %c1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  // CHECK-LABEL: train.func @loop
  // CHECK: %[[E:.*]] = train.exp %[[X:.*]] :
  // CHECK-NEXT: train.scan carry %[[H:.*]] = %
  // CHECK-NEXT: %[[S:.*]] = train.sin %[[X]] :
  // CHECK-NEXT: %[[T:.*]] = train.mul %[[H]], %[[E]] :
  // CHECK-NEXT: %[[U:.*]] = train.add %[[T]], %[[S]] :
  // CHECK-NEXT: %[[V:.*]] = train.add %[[U]], %[[S]] :
  // CHECK-NEXT: train.next %[[V]]
  // CHECK: train.sin %[[X]] :
  train.func @loop(%x: tensor<4xf32>, %h0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %e = train.exp %x : tensor<4xf32>
    %h1 = train.scan carry %h = %h0 times 5 : tensor<4xf32> {
      %s0 = train.sin %x : tensor<4xf32>
      %e1 = train.exp %x : tensor<4xf32>
      %t = train.mul %h, %e1 : tensor<4xf32>, tensor<4xf32>
      %u = train.add %t, %s0 : tensor<4xf32>, tensor<4xf32>
      %s1 = train.sin %x : tensor<4xf32>
      %v = train.add %u, %s1 : tensor<4xf32>, tensor<4xf32>
      train.next %v : tensor<4xf32>
    }
    %s2 = train.sin %x : tensor<4xf32>
    train.return %h1, %s2, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
