// RUN: rm -rf %t && mkdir %t && ampc compile %s -o %t
// RUN: %cc -shared -o %t/round.so -Wl,--whole-archive %t/libround.a -Wl,--no-whole-archive -pthread -lm
// RUN: %python %S/Inputs/round_weight.py %t/round.so | FileCheck %s
// RUN: env AMPC_ISA=plain %python %S/Inputs/round_weight.py %t/round.so | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mean over many draws is the number, in both types; the neighbours are NumPy's.
// CHECK: 0 of {{[0-9]+}} checks failed
train.model @round {
  train.func @half(%x: tensor<65536xf32>) -> tensor<65536xf32> {
    %n = train.constant dense<5> : tensor<i64>
    %0 = train.round_weight %x count %n key 1 : tensor<65536xf32>, tensor<i64> to tensor<65536xf16>
    %1 = train.cast %0 : tensor<65536xf16> to tensor<65536xf32>
    train.return %1 : tensor<65536xf32>
  }
  train.func @half_next(%x: tensor<65536xf32>) -> tensor<65536xf32> {
    %n = train.constant dense<6> : tensor<i64>
    %0 = train.round_weight %x count %n key 1 : tensor<65536xf32>, tensor<i64> to tensor<65536xf16>
    %1 = train.cast %0 : tensor<65536xf16> to tensor<65536xf32>
    train.return %1 : tensor<65536xf32>
  }
  train.func @zero_key(%x: tensor<65536xf32>) -> tensor<65536xf32> {
    %n = train.constant dense<5> : tensor<i64>
    %0 = train.round_weight %x count %n key 0 : tensor<65536xf32>, tensor<i64> to tensor<65536xf16>
    %1 = train.cast %0 : tensor<65536xf16> to tensor<65536xf32>
    train.return %1 : tensor<65536xf32>
  }
  train.func @largest_key(%x: tensor<65536xf32>) -> tensor<65536xf32> {
    %n = train.constant dense<5> : tensor<i64>
    %0 = train.round_weight %x count %n key 2147483647 : tensor<65536xf32>, tensor<i64> to tensor<65536xf16>
    %1 = train.cast %0 : tensor<65536xf16> to tensor<65536xf32>
    train.return %1 : tensor<65536xf32>
  }
  train.func @brain(%x: tensor<65536xf32>) -> tensor<65536xf32> {
    %n = train.constant dense<5> : tensor<i64>
    %0 = train.round_weight %x count %n key -1 : tensor<65536xf32>, tensor<i64> to tensor<65536xbf16>
    %1 = train.cast %0 : tensor<65536xbf16> to tensor<65536xf32>
    train.return %1 : tensor<65536xf32>
  }
  train.func @moment(%x: tensor<65536xf32>) -> tensor<65536xf32> {
    %n = train.constant dense<5> : tensor<i64>
    %0 = train.stochastic_round %x count %n key -1 : tensor<65536xf32>, tensor<i64>
    %1 = train.cast %0 : tensor<65536xbf16> to tensor<65536xf32>
    train.return %1 : tensor<65536xf32>
  }
  train.export @half as "half"
  train.export @half_next as "half_next"
  train.export @zero_key as "zero_key"
  train.export @largest_key as "largest_key"
  train.export @brain as "brain"
  train.export @moment as "moment"
}
