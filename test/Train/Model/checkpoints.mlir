// Segments of ops: one per checkpoint and per module of `times`, the outermost of several, one per call of a function.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --train-expand-modules | FileCheck %s --check-prefix=MARK
// RUN: %ampc-opt %s --train-expand-modules --train-name-ops --train-instantiate --mlir-print-local-scope | FileCheck %s

train.model @net(batch = 8, width = 4, depth = 2) {
  train.model @inner {
    train.func @apply(%x: f32[batch, width]) {
      %y = train.tanh %x
      train.return %y
    }
  }
  train.model @layer {
    train.param @weight : f32[width, width] = #train.zeros
    train.use @inner
    train.func @apply(%x: f32[batch, width]) {
      %p = train.matmul %x, %weight
      %y = train.apply @inner(%p) checkpoint
      train.return %y
    }
    train.func @open(%x: f32[batch, width]) {
      %p = train.abs %x
      %y = train.apply @inner(%p) checkpoint
      train.return %y
    }
  }
  train.use @layer times depth
  train.use @inner as @last
  train.func @twice(%x: f32[batch, width]) {
    %y = train.apply @layer(%x) checkpoint
    train.return %y
  }
  train.func @sum(%x: f32[batch, width]) {
    %a = train.apply @last::@apply(%x) checkpoint
    %y = train.reduce_sum %a over [0, 1]
    train.return %y
  }
  // MARK-LABEL: train.func @twice
  // MARK: train.matmul {{.*}} {train.segment = "layer.0"}
  // MARK: train.tanh {{.*}} {train.segment = "layer.0"}
  // MARK: train.matmul {{.*}} {train.segment = "layer.1"}
  // MARK: train.tanh {{.*}} {train.segment = "layer.1"}
  // CHECK-LABEL: train.func @fit.loss
  // CHECK: train.matmul {{.*}} #train.origin<"loss/call#0/layer.0/matmul#0", segment = "loss/call#0/layer.0">
  // CHECK: train.tanh {{.*}} segment = "loss/call#0/layer.0">
  // CHECK: train.matmul {{.*}} segment = "loss/call#0/layer.1">
  // CHECK: train.matmul {{.*}} segment = "loss/call#1/layer.0">
  // CHECK: train.matmul {{.*}} segment = "loss/call#1/layer.1">
  // A module of which only a part is a checkpoint, twice.
  // CHECK: train.abs {{.*}} #train.origin<"layer.0/open/abs#0">
  // CHECK: train.tanh {{.*}} #train.origin<"layer.0.inner/tanh#0", segment = "layer.0.inner#1">
  // CHECK: train.tanh {{.*}} segment = "layer.1.inner#1">
  // CHECK: train.tanh {{.*}} segment = "layer.0.inner#2">
  // CHECK: train.tanh {{.*}} segment = "layer.1.inner#2">
  // A function that is a checkpoint as a whole.
  // CHECK: train.tanh {{.*}} segment = "loss/call#2">
  // CHECK: train.reduce_sum {{.*}} segment = "loss/call#2">
  train.func @loss(%x: f32[batch, width]) {
    %a = train.call @twice(%x)
    %b = train.call @twice(%a)
    %c = train.apply @layer::@open(%b)
    %d = train.apply @layer::@open(%c)
    %e = train.call @sum(%d) checkpoint
    train.return %e
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}
