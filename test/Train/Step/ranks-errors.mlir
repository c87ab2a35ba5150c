// Models that several ranks cannot train yet.
// RUN: ampc-opt %s -split-input-file -verify-diagnostics --train-set-ranks=ranks=2 --phase-simplify --phase-autodiff --phase-optimize
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

train.model @statistics {
  train.param @w : tensor<5x3xf32> = #train.zeros
  train.buffer @last : tensor<3xf32> = #train.ones
  train.func @loss(%x: tensor<4x5xf32>, %y: tensor<4x3xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<5x3xf32>
    %0 = train.linear %x, %w : tensor<4x5xf32>, tensor<5x3xf32>
    %1 = train.mse %0, %y : tensor<4x3xf32>, tensor<4x3xf32>
    %2 = train.reduce_sum %0 over [0] : tensor<4x3xf32>
    %3 = train.read @last : tensor<3xf32>
    // expected-error @below {{expected updates of @last, which the rows of 2 ranks change, to draw no random numbers and to reach no other result, but got train.dropout}}
    %4 = train.dropout %3 rate 0.5 : tensor<3xf32>
    %5 = train.add %2, %4 : tensor<3xf32>, tensor<3xf32>
    train.write @last, %5 : tensor<3xf32>
    train.return %1 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
}

// -----

train.model @lazy {
  train.param @table : tensor<50x3xf32> = #train.zeros
  train.func @loss(%x: tensor<4xi32>, %y: tensor<4x3xf32>) -> tensor<f32> {
    %t = train.read @table : tensor<50x3xf32>
    %0 = train.gather %t at %x : tensor<50x3xf32>, tensor<4xi32>
    %1 = train.mse %0, %y : tensor<4x3xf32>, tensor<4x3xf32>
    train.return %1 : tensor<f32>
  }
  // expected-error @below {{expected rules that are not lazy with 2 ranks, but the rule of @table is lazy}}
  train.step @fit minimize @loss over [@table] with #train.adam<lr = 0.1, lazy = true>
}
