// Loops become their rounds: names, checkpoints and random numbers by row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --train-expand-modules --train-name-ops --train-unroll-scans --mlir-print-local-scope --split-input-file --verify-diagnostics | FileCheck %s
// RUN: %ampc-opt %s --train-expand-modules --train-name-ops --train-unroll-scans --split-input-file --verify-diagnostics | not grep train.scan

train.model @order(batch = 4, width = 8) {
  // Functions that only others call, with a loop: gone. Without one: called as before.
  // CHECK-NOT: @looped
  // CHECK: train.func @plain
  train.func @plain(%x: f32[batch, width]) {
    %y = train.tanh %x
    train.return %y
  }
  train.func @looped(%x: f32[batch, width]) {
    %y = train.scan carry %h = %x times 2 {
      %a = train.call @plain(%h)
      train.next %a
    }
    train.return %y
  }
  // CHECK-LABEL: train.func @forward(
  // CHECK-SAME: %[[XS:.*]]: tensor<2x4x8xf32>
  // CHECK-SAME: %[[H0:.*]]: tensor<4x8xf32>
  // CHECK: %[[S0:.*]] = train.slice %[[XS]] from [0, 0, 0] sizes [1, 4, 8] strides [1, 1, 1] {train.origin = #train.origin<"forward/scan#0@0">}
  // CHECK-NEXT: %[[R0:.*]] = train.reshape %[[S0]] {{.*}} : tensor<1x4x8xf32> to tensor<4x8xf32>
  // CHECK-NEXT: %[[A0:.*]] = train.add %[[H0]], %[[R0]] {train.origin = #train.origin<"forward/add#0@0">}
  // CHECK-NEXT: %[[S1:.*]] = train.slice %[[XS]] from [1, 0, 0]
  // CHECK-NEXT: %[[R1:.*]] = train.reshape %[[S1]]
  // CHECK-NEXT: %[[A1:.*]] = train.add %[[A0]], %[[R1]] {train.origin = #train.origin<"forward/add#0@1">}
  // CHECK-NEXT: %[[E0:.*]] = train.reshape %[[A0]] {{.*}} to tensor<1x4x8xf32>
  // CHECK-NEXT: %[[E1:.*]] = train.reshape %[[A1]]
  // CHECK-NEXT: %[[ALL:.*]] = train.concat %[[E0]], %[[E1]] along 0 {train.origin = #train.origin<"forward/scan#0">}
  // CHECK-NEXT: train.return %[[A1]], %[[ALL]]
  train.func @forward(%xs: f32[2, batch, width], %h0: f32[batch, width]) {
    %h, %all = train.scan carry %h = %h0 over %x = %xs {
      %a = train.add %h, %x
      train.next %a each %a
    }
    train.return %h, %all
  }
  // The last row first; what is kept lies by row.
  // CHECK-LABEL: train.func @backward(
  // CHECK: train.slice %{{.*}} from [1, 0, 0]
  // CHECK: %[[A1:.*]] = train.add {{.*}}"backward/add#0@1"
  // CHECK: train.slice %{{.*}} from [0, 0, 0]
  // CHECK: %[[A0:.*]] = train.add {{.*}}"backward/add#0@0"
  // CHECK: %[[E0:.*]] = train.reshape %[[A0]]
  // CHECK: %[[E1:.*]] = train.reshape %[[A1]]
  // CHECK: train.concat %[[E0]], %[[E1]] along 0
  // CHECK: train.return %[[A0]]
  train.func @backward(%xs: f32[2, batch, width], %h0: f32[batch, width]) {
    %h, %all = train.scan carry %h = %h0 over %x = %xs reverse {
      %a = train.add %h, %x
      train.next %a each %a
    }
    train.return %h, %all
  }
  // A loop in a called function and one around the call; the inner row behind the outer.
  // CHECK-LABEL: train.func @calls(
  // CHECK-NOT: train.call
  // CHECK: train.tanh {{.*}}"calls/call#0/looped/call#0/plain/tanh#0@0@0"
  // CHECK: train.tanh {{.*}}"calls/call#0/looped/call#0/plain/tanh#0@0@1"
  // CHECK: train.tanh {{.*}}"calls/call#0/looped/call#0/plain/tanh#0@1@0"
  // CHECK: train.tanh {{.*}}"calls/call#0/looped/call#0/plain/tanh#0@1@1"
  // CHECK-NOT: train.tanh
  // CHECK: train.return
  train.func @calls(%x: f32[batch, width]) {
    %y = train.scan carry %h = %x times 2 {
      %a = train.call @looped(%h)
      train.next %a
    }
    train.return %y
  }
  // Three rounds in checkpoints of two. A checkpoint inside a loop without one is separate in each round.
  // CHECK-LABEL: train.func @checkpoints(
  // CHECK: train.tanh {{.*}}"checkpoints/tanh#0@0", segment = "checkpoints/scan#0@0">
  // CHECK: train.tanh {{.*}}"checkpoints/tanh#0@1", segment = "checkpoints/scan#0@0">
  // CHECK: train.tanh {{.*}}"checkpoints/tanh#0@2", segment = "checkpoints/scan#0@1">
  // CHECK: train.tanh {{.*}}segment = "checkpoints/call#0@0">
  // CHECK: train.tanh {{.*}}segment = "checkpoints/call#0@1">
  train.func @checkpoints(%x: f32[batch, width]) {
    %y = train.scan carry %h = %x times 3 checkpoint every 2 {
      %a = train.tanh %h
      train.next %a
    }
    %z = train.scan carry %h = %y times 2 {
      %a = train.call @plain(%h) checkpoint
      train.next %a
    }
    train.return %z
  }
  // One key for all rounds, and a state of the round: the counter grows by an odd number per row, by another one in a loop inside.
  // A loop of more rounds begins with the same numbers, as its ops are the same.
  // CHECK-LABEL: train.func @random(
  // CHECK: %[[STATE:.*]] = train.read @random.state
  // CHECK: %[[I0:.*]] = train.constant dense<0> : tensor<i32>
  // CHECK: %[[STEP:.*]] = train.constant dense<[0, -7046029254386353131]> : tensor<2xi64>
  // CHECK: %[[W0:.*]] = train.cast %[[I0]]
  // CHECK: %[[M0:.*]] = train.mul %[[STEP]], %[[W0]]
  // CHECK: %[[STATE0:.*]] = train.add %[[STATE]], %[[M0]]
  // CHECK: train.dropout %{{.*}} rate 5.000000e-01 state(%[[STATE0]], %[[STATE0]]) key [[KEY:-?[0-9]+]]
  // CHECK: train.random_uniform
  // CHECK: train.random_uniform
  // CHECK: %[[I1:.*]] = train.constant dense<1> : tensor<i32>
  // CHECK: %[[W1:.*]] = train.cast %[[I1]]
  // CHECK: %[[M1:.*]] = train.mul %{{.*}}, %[[W1]]
  // CHECK: %[[STATE1:.*]] = train.add %[[STATE]], %[[M1]]
  // CHECK: train.dropout %{{.*}} rate 5.000000e-01 state(%[[STATE1]], %[[STATE1]]) key [[KEY]]
  // CHECK: %[[J0:.*]] = train.constant dense<0> : tensor<i32>
  // CHECK: %[[INNER:.*]] = train.constant dense<[0, -2358710677322311239]> : tensor<2xi64>
  // CHECK: %[[N0:.*]] = train.mul %[[INNER]]
  // CHECK: %[[STATE10:.*]] = train.add %[[STATE1]], %[[N0]]
  // CHECK: train.random_uniform from {{.*}} state(%[[STATE10]], %[[STATE10]])
  train.func @random(%x: f32[batch, width]) {
    %y = train.scan carry %h = %x times 2 {
      %a = train.dropout %h rate 0.5
      %b = train.scan carry %k = %a times 2 {
        %u = train.random_uniform from 0.0 to 1.0 : f32[batch, width]
        %c = train.add %k, %u
        train.next %c
      }
      train.next %b
    }
    train.return %y
  }
  train.export @forward as "forward"
  train.export @backward as "backward"
  train.export @calls as "calls"
  train.export @checkpoints as "checkpoints"
  train.export @random as "random"
}

// -----

train.model @large(batch = 4) {
  train.func @f(%x: f32[batch]) {
    // expected-error @below {{expected at most 400000 ops in the unrolled rounds of a function's loops, but 16777216 rounds make more}}
    %y = train.scan carry %h = %x times 16777216 {
      %a = train.tanh %h
      train.next %a
    }
    train.return %y
  }
  train.export @f as "f"
}

// -----

train.model @nests(batch = 4) {
  train.func @f(%x: f32[batch]) {
    // expected-error @below {{expected at most 400000 ops in the unrolled rounds of a function's loops, but 1000 rounds make more}}
    %y = train.scan carry %h = %x times 1000 {
      %z = train.scan carry %k = %h times 1000 {
        %a = train.tanh %k
        train.next %a
      }
      train.next %z
    }
    train.return %y
  }
  train.export @f as "f"
}
