// Values that depend on the rows of one rank, where all ranks need the same.
// RUN: ampc-opt %s -split-input-file -verify-diagnostics --train-check-uniform
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

train.model @state attributes {train.ranks = 2 : i64} {
  train.buffer @mean : tensor<8xf32> = #train.zeros
  // expected-note @below {{from an input of the program}}
  train.func @fit.train(%old: tensor<8xf32> {train.is = #train.state<@mean>}, %x: tensor<4x8xf32> {train.is = #train.input<"x", batch = 0>})
      -> (tensor<8xf32> {train.is = #train.state<@mean>}) attributes {role = #train.role<train>} {
    // expected-note @below {{through train.reduce_sum}}
    %0 = train.reduce_sum %x over [0] : tensor<4x8xf32>
    // expected-error @below {{expected the new value of @mean to be equal on all 2 ranks, but the value depends on the rows of one rank}}
    %1 = train.add %0, %old : tensor<8xf32>, tensor<8xf32>
    train.return %1 : tensor<8xf32>
  }
}

// -----

train.model @loss attributes {train.ranks = 2 : i64} {
  train.func @fit.grad(%x: tensor<f32> {train.is = #train.input<"x">}) -> (tensor<f32> {train.is = #train.output<loss>})
      attributes {role = #train.role<grad>} {
    %0 = train.sum_ranks %x of 2 : tensor<f32>
    // expected-note @below {{through train.rank}}
    %1 = train.rank : tensor<i32>
    // expected-note @below {{through train.cast}}
    %2 = train.cast %1 : tensor<i32> to tensor<f32>
    // expected-error @below {{expected the output 'loss' to be equal on all 2 ranks}}
    %3 = train.mul %0, %2 : tensor<f32>, tensor<f32>
    train.return %3 : tensor<f32>
  }
}

// -----

// Sums over ranks are equal.
train.model @sum attributes {train.ranks = 2 : i64} {
  train.func @fit.grad(%x: tensor<f32> {train.is = #train.input<"x">}) -> (tensor<f32> {train.is = #train.output<loss>})
      attributes {role = #train.role<grad>} {
    %0 = train.sum_ranks %x of 2 : tensor<f32>
    train.return %0 : tensor<f32>
  }
}
