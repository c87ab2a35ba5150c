// Knobs that are refused.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --split-input-file --verify-diagnostics

train.model @m {
  // constraint train.knob 1
  // expected-error @below {{expected a scalar of f32 or f64, but got 'tensor<f16>'}}
  train.knob @t : f16[] = 1.0 in [0, 10]
}

// -----

train.model @m {
  // constraint train.knob 1
  // expected-error @below {{expected a scalar of f32 or f64, but got 'tensor<4xf32>'}}
  train.knob @t : f32[4] = 1.0 in [0, 10]
}

// -----

train.model @m {
  // constraint train.knob 2
  // expected-error @below {{expected a range [low, high] of finite numbers of 'f32' with low below high, but got [1.0, 1.0]}}
  train.knob @t = 1.0 in [1, 1]
}

// -----

train.model @m {
  // constraint train.knob 2
  // expected-error @below {{expected a range [low, high] of finite numbers of 'f32' with low below high, but got [0.0, 1e+39]}}
  train.knob @t = 1.0 in [0, 1.0e39]
}

// -----

train.model @m {
  // constraint train.knob 3
  // expected-error @below {{expected a first value in [0.0, 10.0], but got 10.5}}
  train.knob @t = 10.5 in [0, 10]
}

// -----

train.model @m {
  // constraint train.knob 3
  // expected-error @below {{expected a number as first value, but got #train.ones}}
  "train.knob"() {sym_name = "t", type = tensor<f32>, init = #train.ones, low = 0.0 : f64, high = 1.0 : f64} : () -> ()
}

// -----

train.model @m {
  train.knob @t = 1.0 in [0, 10]
  train.func @f(%x: f32[]) {
    // constraint train.write 2
    // expected-error @below {{expected a buffer, but @t is a knob, which callers change and steps do not}}
    train.write @t, %x
    train.return %x
  }
}

// -----

train.model @m {
  train.param @w : f32[] = #train.zeros
  train.func @f(%x: f32[4]) {
    // expected-error @below {{expected a value, a number or a knob, which train.knob declares before, but got @w}}
    %y = train.mul %x, @w
    train.return %y
  }
}

// -----

// A module sees its own knobs only.
train.model @m {
  train.knob @t = 1.0 in [0, 10]
  train.model @layer {
    train.func @apply(%x: f32[4]) {
      // expected-error @below {{expected a value, a number or a knob, which train.knob declares before, but got @t}}
      %y = train.mul %x, @t
      train.return %y
    }
  }
}

// -----

train.model @m {
  train.knob @t = 1.0 in [0, 10]
  train.func @f(%i: i32[4]) {
    // expected-error @below {{expected operands of one element type, but got 'tensor<4xi32>' and 'tensor<f32>'}}
    %y = train.mul %i, @t
    train.return %y
  }
}
