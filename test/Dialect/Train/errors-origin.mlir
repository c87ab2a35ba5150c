// Facts that passes leave on ops.
// RUN: ampc-opt %s --split-input-file --verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @kind {
  train.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{expected train.origin = #train.origin<...>, but got "relu"}}
    %0 = train.relu %x {train.origin = "relu"} : tensor<4xf32>
    train.return %0 : tensor<4xf32>
  }
}

// -----

train.model @list {
  train.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{expected train.origins = [#train.origin<...>, ...], but got []}}
    %0 = train.relu %x {train.origins = []} : tensor<4xf32>
    train.return %0 : tensor<4xf32>
  }
}

// -----

// expected-error @below {{expected the name of an op, but got ""}}
#nameless = #train.origin<"">

// -----

// expected-error @below {{expected an order and a part of at least 0, but got -1 and 0}}
#order = #train.origin<"f/relu#0", order = -1>

// -----

// expected-error @below {{expected a type or unit as region, but got "bf16"}}
#region = #train.origin<"f/relu#0", region = "bf16">

// -----

// expected-error @below {{expected a real type to compute in, but got 'i32'}}
#compute = #train.origin<"f/relu#0", compute = i32>

// -----

train.model @values {
  train.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{expected train.values = a table of key and kind per result, but got [{}, {}]}}
    %0 = train.relu %x {train.values = [{}, {}]} : tensor<4xf32>
    train.return %0 : tensor<4xf32>
  }
}

// -----

train.model @unknown {
  train.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{expected train.orign = one of the facts that the dialect lists, but got "x"}}
    %0 = train.relu %x {train.orign = "x"} : tensor<4xf32>
    train.return %0 : tensor<4xf32>
  }
}

// -----

train.model @decision {
  train.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{expected amp.decision = #amp.decision<...>, but got "cut"}}
    %0 = train.relu %x {amp.decision = "cut"} : tensor<4xf32>
    train.return %0 : tensor<4xf32>
  }
}

// -----

train.model @place {
  train.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{expected amp.saved_bytes = a number on a program, but got 4 : i64}}
    %0 = train.relu %x {amp.saved_bytes = 4 : i64} : tensor<4xf32>
    train.return %0 : tensor<4xf32>
  }
}

// -----

train.model @mark {
  train.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{expected train.values = a table of key and kind per result, but got [{key = "y"}]}}
    %0 = train.relu %x {train.values = [{key = "y"}]} : tensor<4xf32>
    train.return %0 : tensor<4xf32>
  }
}

// -----

train.model @fan_in {
  train.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{expected train.fan_in = no value, on an op that adds up its operands, but got unit}}
    %0 = train.relu %x {train.fan_in} : tensor<4xf32>
    train.return %0 : tensor<4xf32>
  }
}

// -----

// expected-error @below {{expected the name of a segment, but got ""}}
#segment = #train.origin<"f/relu#0", segment = "">

// -----

train.model @segment {
  train.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{expected train.segment = the name of a checkpoint, but got 1 : i64}}
    %0 = train.relu %x {train.segment = 1} : tensor<4xf32>
    train.return %0 : tensor<4xf32>
  }
}
