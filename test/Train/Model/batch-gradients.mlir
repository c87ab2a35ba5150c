// Functions with gradients that give the rows of a short batch the results of a batch of that size.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --train-expand-modules --train-name-ops --train-instantiate --train-expand-gradients | FileCheck %s

train.model @rows(batch = 4) {
  train.param @w : f32[3, 3] = #train.kaiming_uniform {frozen}
  train.param @gamma : f32[3] = #train.ones {frozen}
  train.param @beta : f32[3] = #train.zeros {frozen}
  train.buffer @mean : f32[3] = #train.zeros
  train.buffer @variance : f32[3] = #train.ones

  // A row's derivative of the sum over rows has no part of other rows, nor has the derivative of the row's sum.
  // CHECK: train.func @export.slopes({{.*}}short_batch
  train.func @slopes(%x: f32[batch, 3]) {
    %y = train.linear %x, %w
    %z = train.tanh %y
    %sum = train.reduce_sum %z over [0, 1]
    %g = train.grad %sum wrt %x
    %again = train.reduce_sum %g over [0, 1]
    %h = train.grad %again wrt %x
    train.return %g, %h
  }
  train.export @slopes as "slopes"

  // A mean over the rows that count.
  // CHECK: train.func @export.loss({{.*}}short_batch
  train.func @loss(%x: f32[batch, 3], %y: f32[batch, 3]) {
    %z = train.linear %x, %w
    %l = train.mse %z, %y
    %g = train.grad %l wrt %x
    train.return %g
  }
  train.export @loss as "loss"

  // The gradient of a mean over all rows is divided by the number of rows.
  // CHECK-NOT: short_batch
  // CHECK: train.func @export.average(
  // CHECK-NOT: short_batch
  train.func @average(%x: f32[batch, 3]) {
    %y = train.square %x
    %m = train.reduce_mean %y over [0, 1]
    %g = train.grad %m wrt %x
    train.return %g
  }
  train.export @average as "average"

  // With respect to a parameter all rows add up.
  // CHECK: train.func @export.weights(
  // CHECK-NOT: short_batch
  train.func @weights(%x: f32[batch, 3]) {
    %y = train.linear %x, %w
    %sum = train.reduce_sum %y over [0, 1]
    %g = train.grad %sum wrt %w
    train.return %g
  }
  train.export @weights as "weights"

  // A sum that something else reads, too.
  // CHECK: train.func @export.both(
  // CHECK-NOT: short_batch
  train.func @both(%x: f32[batch, 3]) {
    %y = train.square %x
    %sum = train.reduce_sum %y over [0, 1]
    %g = train.grad %sum wrt %x
    train.return %g, %sum
  }
  train.export @both as "both"

  // A square of a sum has a part of every row in the gradient of each.
  // CHECK: train.func @export.mixed(
  // CHECK-NOT: short_batch
  train.func @mixed(%x: f32[batch, 3]) {
    %sum = train.reduce_sum %x over [0, 1]
    %y = train.square %sum
    %g = train.grad %y wrt %x
    train.return %g
  }
  train.export @mixed as "mixed"

  // Rows that do not count have no part in the statistics of batch norm, but a part in the sum behind batch norm.
  // CHECK: train.func @export.normalized(
  // CHECK-NOT: short_batch
  train.func @normalized(%x: f32[batch, 3]) {
    %n = train.batch_norm %x, %gamma, %beta running @mean, @variance momentum 0.1 eps 1.0e-5
    %sq = train.square %n
    %sum = train.reduce_sum %sq over [0, 1]
    %g = train.grad %sum wrt %x
    train.return %g
  }
  train.export @normalized as "normalized"

  // A loss behind batch norm leaves out rows that do not count.
  // CHECK: train.func @export.normalized_loss({{.*}}short_batch
  train.func @normalized_loss(%x: f32[batch, 3], %y: f32[batch, 3]) {
    %n = train.batch_norm %x, %gamma, %beta running @mean, @variance momentum 0.1 eps 1.0e-5
    %l = train.mse %n, %y
    %g = train.grad %l wrt %x
    train.return %g
  }
  train.export @normalized_loss as "normalized_loss"
}
