// Loops as text: types, sizes and names of state.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s | FileCheck %s
// RUN: %ampc-opt %s | %ampc-opt | FileCheck %s
// RUN: %ampc-opt %s --mlir-print-op-generic | %ampc-opt | FileCheck %s
// RUN: %ampc-opt %s --train-expand-modules | FileCheck %s --check-prefix=EXPANDED

train.model @m(batch = 4, time = 3, width = 8) {
  train.param @wx : f32[width, width] = #train.xavier_uniform
  train.param @h0 : f32[batch, width] = #train.zeros
  train.param @c0 : f32[batch, width] = #train.zeros
  train.param @i : f32[width] = #train.zeros

  // State by its name on the right of =, in the body, and a bound name that is also one of state.
  // CHECK-LABEL: @state
  // CHECK-DAG: %[[WX:.*]] = train.read @wx
  // CHECK-DAG: %[[H0:.*]] = train.read @h0
  // CHECK-DAG: %[[C0:.*]] = train.read @c0
  // CHECK: %[[R:.*]]:3 = train.scan carry %[[H:.*]] = %[[H0]], %[[C:.*]] = %[[C0]] over %[[X:.*]] = %{{.*}} index %[[I:.*]] : tensor<4x8xf32>, tensor<4x8xf32>, tensor<3x4x8xf32> {
  // CHECK-NEXT: %[[P:.*]] = train.matmul %[[X]], %[[WX]]
  // CHECK: train.next %{{.*}}, %{{.*}} each %{{.*}} : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
  // CHECK: train.return %[[R]]#0, %[[R]]#2
  train.func @state(%xs: f32[time, batch, width]) {
    %h, %c, %all = train.scan carry %hi = %h0, %ci = %c0 over %x = %xs index %i {
      %p = train.matmul %x, %wx
      %q = train.add %p, %hi
      %f = train.cast %i to f32
      %n = train.mul %q, %f
      %d = train.add %ci, %n
      train.next %n, %d each %d
    }
    train.return %h, %all
  }

  // CHECK-LABEL: @words
  // CHECK: train.scan carry %{{.*}} = %{{.*}} times 6 reverse index %{{.*}} checkpoint every 3 : tensor<4x8xf32>
  // CHECK: train.scan carry %{{.*}} = %{{.*}} times 2 checkpoint every 1 : tensor<4x8xf32>
  train.func @words(%x: f32[batch, width]) {
    %a = train.scan carry %h = %x checkpoint every time index %k reverse times 2 * time {
      %f = train.cast %k to f32
      %n = train.mul %h, %f
      train.next %n
    }
    %b = train.scan carry %h = %a times 2 checkpoint {
      %n = train.tanh %h
      train.next %n
    }
    train.return %b
  }

  // Nothing carried, and a loop in a loop.
  // CHECK-LABEL: @map
  // CHECK: %[[R:.*]] = train.scan over %[[X:.*]] = %{{.*}} : tensor<3x4x8xf32> {
  // CHECK: train.scan over %{{.*}} = %[[X]] : tensor<4x8xf32> {
  // CHECK: train.next each %{{.*}} : tensor<f32>
  // CHECK: train.next each %{{.*}} : tensor<4xf32>
  // CHECK: train.return %[[R]] : tensor<3x4xf32>
  train.func @map(%xs: f32[time, batch, width]) {
    %r = train.scan over %x = %xs {
      %s = train.scan over %y = %x {
        %t = train.reduce_sum %y over [0]
        train.next each %t
      }
      train.next each %s
    }
    train.return %r
  }

  // The sizes of a use reach arguments, results and numbers of rounds.
  train.model @cell(rounds = 2, in = width) {
    train.param @b : f32[in] = #train.zeros
    train.func @apply(%x: f32[batch, in]) {
      %y, %all = train.scan carry %h = %x times rounds {
        %n = train.add %h, %b
        train.next %n each %n
      }
      %s = train.reduce_sum %all over [0]
      %z = train.add %s, %y
      train.return %z
    }
  }
  train.use @cell as @long (rounds = 5, in = 16)
  // EXPANDED-LABEL: @uses
  // EXPANDED: train.scan carry %{{.*}} = %{{.*}} times 5 : tensor<4x16xf32>
  // EXPANDED: train.reduce_sum %{{.*}} over [0] : tensor<5x4x16xf32>
  train.func @uses(%x: f32[batch, 16]) {
    %y = train.apply @long(%x)
    train.return %y
  }
}
