// RUN: ampc-opt %s --split-input-file --verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of a program, of the arguments and of the results.

train.model @m {
  // constraint ProgramOpInterface 4
  // expected-error@+1 {{expected role, step, export_name, batch, short_batch, nonfinite, optimizer or groups, but got train.rolle}}
  train.func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {train.rolle = "export"} {
    train.return %x : tensor<4xf32>
  }
}

// -----

train.model @m {
  // expected-error@+1 {{attribute 'role' failed to satisfy constraint: the role of a program}}
  train.func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {role = "export"} {
    train.return %x : tensor<4xf32>
  }
}

// -----

train.model @m {
  // expected-error@+1 {{attribute 'nonfinite' failed to satisfy constraint: allow, skip or fail}}
  train.func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {nonfinite = "skip"} {
    train.return %x : tensor<4xf32>
  }
}

// -----

train.model @m {
  // constraint ProgramOpInterface 3
  // expected-error@+1 {{expected the role of a program beside its step}}
  train.func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {step = "fit"} {
    train.return %x : tensor<4xf32>
  }
}

// -----

train.model @m {
  // expected-error@+1 {{attribute 'batch' failed to satisfy constraint: 64-bit integer attribute whose value is positive}}
  train.func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {batch = 0 : i64} {
    train.return %x : tensor<4xf32>
  }
}

// -----

train.model @m {
  // constraint ProgramOpInterface 5
  // expected-error@+1 {{expected train.is of argument 0, but got train.slot}}
  train.func @f(%x: tensor<4xf32> {train.slot = "w"}) -> tensor<4xf32> {
    train.return %x : tensor<4xf32>
  }
}

// -----

train.model @m {
  // constraint ProgramOpInterface 6
  // expected-error@+1 {{expected #train.state, #train.input or #train.control as argument 0, but got #train.output<loss>}}
  train.func @f(%x: tensor<f32> {train.is = #train.output<loss>}) -> tensor<f32> {
    train.return %x : tensor<f32>
  }
}

// -----

train.model @m {
  // constraint ProgramOpInterface 7
  // expected-error@+1 {{expected #train.state, #train.output or #train.gradient as result 0, but got #train.control<valid>}}
  train.func @f(%x: tensor<f32>) -> (tensor<f32> {train.is = #train.control<valid>}) {
    train.return %x : tensor<f32>
  }
}

// -----

train.model @m {
  // constraint ProgramOpInterface 1
  // expected-error@+1 {{expected type 'tensor<i32>' of argument 0, which is valid, but got 'tensor<f32>'}}
  train.func @f(%x: tensor<f32> {train.is = #train.control<valid>}) -> tensor<f32> {
    train.return %x : tensor<f32>
  }
}

// -----

train.model @m {
  // constraint ProgramOpInterface 2
  // expected-error@+1 {{expected one argument for state @w, but got two}}
  train.func @f(%x: tensor<f32> {train.is = #train.state<@w>}, %y: tensor<f32> {train.is = #train.state<@w>}) -> tensor<f32> {
    train.return %x : tensor<f32>
  }
}

// -----

train.model @m {
  // expected-error@+1 {{expected the batch of input "x" to be a dimension below 1 of 'tensor<4xf32>', but got 1}}
  train.func @f(%x: tensor<4xf32> {train.is = #train.input<"x", batch = 1>}) -> tensor<4xf32> {
    train.return %x : tensor<4xf32>
  }
}

// -----

train.model @m {
  // expected-error@+1 {{expected a dimension as batch, or -1, but got -2}}
  train.func @f(%x: tensor<4xf32> {train.is = #train.input<"x", batch = -2>}) -> tensor<4xf32> {
    train.return %x : tensor<4xf32>
  }
}

// -----

// Programs that run have the batch first.
train.model @m {
  // expected-error@+1 {{expected the batch of input "x" to be a dimension below 1 of 'tensor<4x3xf32>', but got 1}}
  train.func @f(%x: tensor<4x3xf32> {train.is = #train.input<"x", batch = 1>}) -> tensor<4x3xf32> attributes {role = #train.role<export>, export_name = "f"} {
    train.return %x : tensor<4x3xf32>
  }
}

// -----

train.model @m {
  // expected-error@+1 {{expected part and limit of at least 0, but got -1 and 0}}
  train.func @f(%x: tensor<4xf32> {train.is = #train.input<"x", part = -1>}) -> tensor<4xf32> {
    train.return %x : tensor<4xf32>
  }
}

// -----

train.model @m {
  // expected-error@+1 {{expected no name of an output that is loss}}
  train.func @f(%x: tensor<f32>) -> (tensor<f32> {train.is = #train.output<loss, name = "l">}) {
    train.return %x : tensor<f32>
  }
}

// -----

train.model @m {
  // expected-error@+1 {{expected a name of an output that is named}}
  train.func @f(%x: tensor<f32>) -> (tensor<f32> {train.is = #train.output<named>}) {
    train.return %x : tensor<f32>
  }
}

// -----

train.model @m {
  // expected-error@+1 {{expected an input with a name}}
  train.func @f(%x: tensor<f32> {train.is = #train.input<"">}) -> tensor<f32> {
    train.return %x : tensor<f32>
  }
}

// -----

train.model @m {
  // constraint train.buffer 2
  // expected-error@+1 {{expected the parameter (of @NAME) of a working copy}}
  train.buffer @w.bf16 : tensor<4xbf16> = #train.zeros as working
}

// -----

train.model @m {
  // constraint ProgramOpInterface 8
  // expected-error@+1 {{expected runs of input "id" that fill a row of 4 elements some number of times, but the runs have 3}}
  train.func @f(%id: tensor<2x4xi32> {train.is = #train.input<"id", batch = 0, runs = [#train.limits<1, limit = 5>, #train.limits<2>]>}) -> tensor<2x4xi32> {
    train.return %id : tensor<2x4xi32>
  }
}

// -----

train.model @m {
  // expected-error@+1 {{expected runs of #train.limits without a limit, but got [#train.limits<1, limit = 5>] and 3}}
  train.func @f(%id: tensor<4xi32> {train.is = #train.input<"id", limit = 3, runs = [#train.limits<1, limit = 5>]>}) -> tensor<4xi32> {
    train.return %id : tensor<4xi32>
  }
}

// -----

train.model @m {
  // expected-error@+2 {{expected a count of 1 to 2^40, but got 0}}
  // expected-error@+1 {{failed to parse Train_InputAttr parameter 'runs'}}
  train.func @f(%id: tensor<4xi32> {train.is = #train.input<"id", runs = [#train.limits<0, limit = 5>]>}) -> tensor<4xi32> {
    train.return %id : tensor<4xi32>
  }
}

// -----

train.model @m {
  // expected-error@+2 {{expected a limit of at least 0 and a least element of at most 0, but got 5 and 1}}
  // expected-error@+1 {{failed to parse Train_InputAttr parameter 'runs'}}
  train.func @f(%id: tensor<4xi32> {train.is = #train.input<"id", runs = [#train.limits<1, limit = 5, least = 1>]>}) -> tensor<4xi32> {
    train.return %id : tensor<4xi32>
  }
}
