// RUN: ampc-opt %s --split-input-file --verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attributes by which passes hand on what a function, its arguments and its results are for.

train.model @m {
  // expected-error@+1 {{expected train.role, train.step, train.cname, train.batch, train.optimizer, train.groups, train.short_batch, train.nonfinite, but got train.rolle}}
  train.func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {train.rolle = "export"} {
    train.return %x : tensor<4xf32>
  }
}

// -----

train.model @m {
  // expected-error@+1 {{expected the role of a program, but got "exports"}}
  train.func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {train.role = "exports"} {
    train.return %x : tensor<4xf32>
  }
}

// -----

train.model @m {
  // expected-error@+1 {{expected a string as train.role, but got 3 : i64}}
  train.func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {train.role = 3} {
    train.return %x : tensor<4xf32>
  }
}

// -----

train.model @m {
  // expected-error@+1 {{expected allow, skip or fail as train.nonfinite, but got "stop"}}
  train.func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {train.nonfinite = "stop"} {
    train.return %x : tensor<4xf32>
  }
}

// -----

train.model @m {
  // expected-error@+1 {{expected train.role beside train.step}}
  train.func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {train.step = "fit"} {
    train.return %x : tensor<4xf32>
  }
}

// -----

train.model @m {
  // expected-error@+1 {{expected a positive number as train.batch, but got 0 : i64}}
  train.func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {train.batch = 0} {
    train.return %x : tensor<4xf32>
  }
}

// -----

train.model @m {
  // expected-error@+1 {{expected no value as train.batched of argument 0, but got 1 : i64}}
  train.func @f(%x: tensor<4xf32> {train.name = "x", train.batched = 1}) -> tensor<4xf32> {
    train.return %x : tensor<4xf32>
  }
}

// -----

train.model @m {
  // expected-error@+1 {{expected one of train.slot, train.name, train.control of argument 0, but got {train.name = "x", train.slot = "w"}}}
  train.func @f(%x: tensor<4xf32> {train.name = "x", train.slot = "w"}) -> tensor<4xf32> {
    train.return %x : tensor<4xf32>
  }
}

// -----

train.model @m {
  // expected-error@+1 {{expected valid or lr_factor as train.control of argument 0, but got "rate"}}
  train.func @f(%x: tensor<f32> {train.control = "rate"}) -> tensor<f32> {
    train.return %x : tensor<f32>
  }
}

// -----

train.model @m {
  // expected-error@+1 {{expected type 'tensor<i32>' of "valid" of argument 0, but got 'tensor<f32>'}}
  train.func @f(%x: tensor<f32> {train.control = "valid"}) -> tensor<f32> {
    train.return %x : tensor<f32>
  }
}

// -----

train.model @m {
  // expected-error@+1 {{expected one argument for state "w", but got two}}
  train.func @f(%x: tensor<f32> {train.slot = "w"}, %y: tensor<f32> {train.slot = "w"}) -> tensor<f32> {
    train.return %x : tensor<f32>
  }
}

// -----

train.model @m {
  // expected-error@+1 {{expected train.slot, train.name, train.gradient, train.rows, train.batched, train.observed of result 0, but got train.control}}
  train.func @f(%x: tensor<f32>) -> (tensor<f32> {train.control = "valid"}) {
    train.return %x : tensor<f32>
  }
}

// -----

train.model @m {
  // expected-error@+1 {{expected one of train.slot, train.name, train.gradient, train.rows of result 0}}
  train.func @f(%x: tensor<f32>) -> (tensor<f32> {train.name = "y", train.gradient = "w"}) {
    train.return %x : tensor<f32>
  }
}
