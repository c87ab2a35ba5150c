// Numbers in place of operands that the type does not hold, or whose type nothing gives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --split-input-file --verify-diagnostics --train-expand-modules

train.model @m {
  train.func @f(%i: i32[4]) {
    // expected-error @below {{expected a number that i32 holds, but got 0.5}}
    %y = train.mul %i, 0.5
    train.return %y
  }
}

// -----

train.model @m(beta = 0.5) {
  train.func @f(%i: i8[4]) {
    // expected-error @below {{expected a number that i8 holds, but 256 * beta is 128.0}}
    %y = train.mul %i, 256 * beta
    train.return %y
  }
}

// -----

train.model @m {
  train.func @f(%h: f16[4]) {
    // expected-error @below {{expected a number that f16 holds, but got 65520}}
    %y = train.mul %h, 65520
    train.return %y
  }
}

// -----

train.model @m {
  train.func @f(%h: f16[4]) {
    // expected-error @below {{expected a number that f16 holds, but got 1e-9}}
    %y = train.add %h, 1e-9
    train.return %y
  }
}

// -----

train.model @m {
  train.func @f(%m: i1[4]) {
    // expected-error @below {{expected a number that i1 holds, but got 2}}
    %y = train.logical_and %m, 2
    train.return %y
  }
}

// -----

train.model @m {
  train.func @f(%m: i1[4]) {
    // expected-error @below {{expected at least one value, as in %x, for the element type of the numbers}}
    %y = train.select %m, 1.0, 2.0
    train.return %y
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[4], %y: f32[4]) {
    // expected-error @below {{expected a value, a number or the name of a size, but got y; did you mean %y?}}
    %z = train.mul %x, y
    train.return %z
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[4]) {
    // expected-error @below {{expected the name of a size, but got y; there is none}}
    %z = train.mul %x, y
    train.return %z
  }
}

// -----

train.model @m {
  train.func @f() {
    // expected-error @below {{expected lists of the shape [3], but got [2]}}
    %z = train.constant [1.0, 2.0] : f32[3]
    train.return %z
  }
}

// -----

train.model @m {
  train.func @f() {
    // expected-error @below {{expected 2 elements, as in the list before, but got 1}}
    %z = train.constant [[1.0, 2.0], [3.0]] : f32[2, 2]
    train.return %z
  }
}

// -----

train.model @m {
  train.func @f() {
    // expected-error @below {{expected lists of the same depth}}
    %z = train.constant [[1.0, 2.0], 3.0] : f32[2, 2]
    train.return %z
  }
}

// -----

// Right as the module stands, and wrong with the sizes of a use.
train.model @m {
  train.model @scaled(by = 1.0) {
    train.func @apply(%i: i32[4]) {
      // expected-error @below {{expected a number that i32 holds, but by is 0.5}}
      %y = train.mul %i, by
      train.return %y
    }
  }
  train.use @scaled as @half (by = 0.5)
  train.func @f(%i: i32[4]) {
    // expected-note @below {{in @scaled used here}}
    %y = train.apply @half(%i)
    train.return %y
  }
}
