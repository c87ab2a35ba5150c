// Texts that leave out too much, and formulas, modules and patterns that stand for nothing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --split-input-file --verify-diagnostics

train.model @m(batch = 4) {
  train.func @f(%x: f32[batch, 3]) {
    // expected-error @below {{expected the name of a size, but got bath; did you mean batch?}}
    %y = train.reshape %x to [bath * 3]
    train.return %y
  }
}

// -----

train.model @m(batch = 4) {
  train.func @f(%x: f32[batch, 3]) {
    // expected-error @below {{expected a division without a rest, but got 4 / 3}}
    %y = train.reshape %x to [batch / 3]
    train.return %y
  }
}

// -----

train.model @m(batch = 4) {
  // expected-error @below {{expected positive sizes, but got 0}}
  train.param @w : f32[batch - 4] = #train.zeros
}

// -----

train.model @m(batch = 4) {
  // expected-error @below {{expected the type of an element before [, but got 'tensor<4xf32>'}}
  train.param @w : tensor<4xf32>[batch] = #train.zeros
}

// -----

// expected-error @below {{expected a positive batch, but got 0}}
train.model @m(batch = 0) {
}

// -----

// expected-error @below {{expected every size once, by a name of letters, digits and _, but got batch}}
train.model @m(batch = 1, batch = 2) {
}

// -----

// expected-error @below {{expected a size of 64 bits}}
train.model @m(batch = 9223372036854775807, more = 2 * batch) {
}

// -----

train.model @m {
  train.func @f(%x: f32[3]) {
    %c = arith.constant dense<1.0> : tensor<3xf32>
    // expected-error @below {{expected the type of %c at the end of the op, as no earlier op defines the value}}
    %y = train.add %x, %c
    train.return %y
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[3]) {
    // expected-error @below {{expected the type of %y at the end of the op}}
    %z = train.add %x, %y
    %y = train.relu %x
    train.return %z
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[3]) {
    // expected-error @below {{expected matrices, but got}}
    %y = train.matmul %x, %x
    train.return %y
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[3]) {
    train.return %x
  }
  train.func @g(%x: f32[3]) {
    // expected-error @below {{expected the types of the call, or an earlier function, but @ff is none; did you mean f?}}
    %y = train.call @ff(%x)
    train.return %y
  }
}

// -----

train.model @m {
  train.param @weight : f32[3] = #train.zeros
  train.func @f(%x: f32[3]) {
    // expected-error @below {{expected a type, or an earlier parameter or buffer, but @wieght is none; did you mean weight?}}
    %y = train.read @wieght
    train.return %y
  }
}

// -----

train.model @m {
  // expected-error @below {{expected an earlier module, but @block is none; there is none}}
  train.use @block
}

// -----

train.model @m {
  train.model @block(width = 3) {
  }
  // expected-error @below {{expected a size of @block, but got with; did you mean width?}}
  train.use @block (with = 4)
}

// -----

train.model @m {
  train.model @block(width = 3) {
  }
  train.use @block
  // expected-error @below {{expected every name in use once, but got @block twice}}
  train.use @block
}

// -----

train.model @m(depth = 3) {
  train.model @block {
  }
  // expected-error @below {{expected 1 to 10000 of @block, but got 0}}
  train.use @block times depth - 3
}

// -----

train.model @m {
  train.model @block(width = 3) {
    train.func @apply(%x: f32[width]) {
      train.return %x
    }
  }
  train.use @block as @one
  train.func @f(%x: f32[3], %y: f32[4]) {
    // expected-error @below {{expected the name of an earlier train.use, but @on is none; did you mean one?}}
    %a = train.apply @on(%x)
    train.return %a
  }
}

// -----

train.model @m {
  train.model @block(width = 3) {
    train.func @apply(%x: f32[width]) {
      train.return %x
    }
  }
  train.use @block as @one
  train.func @f(%x: f32[3], %y: f32[4]) {
    // expected-error @below {{expected 'tensor<3xf32>' as operand 0 of @one, but got 'tensor<4xf32>'}}
    %a = train.apply @one(%y)
    train.return %a
  }
}

// -----

train.model @m {
  train.model @block(width = 3) {
    train.func @apply(%x: f32[width]) {
      train.return %x
    }
  }
  train.use @block as @one
  train.func @f(%x: f32[3], %y: f32[4]) {
    // expected-error @below {{expected a function of @block, but @aply is none; did you mean apply?}}
    %a = train.apply @one::@aply(%x)
    train.return %a
  }
}

// -----

train.model @m {
  train.model @half {
    train.func @apply(%x: f32[4]) {
      %y, %z = train.split %x into [2, 2] along 0
      train.return %y
    }
  }
  train.use @half times 2
  train.func @f(%x: f32[4]) {
    // expected-error @below {{of the operands, as @half stands for 2 modules, but got}}
    %a = train.apply @half(%x)
    train.return %a
  }
}

// -----

train.model @m {
  train.model @parts(width = 4) {
    train.func @apply(%x: f32[width]) {
      // expected-error @below {{expected positive sizes with sum 6}}
      %y, %z = train.split %x into [2, 2] along 0
      train.return %y
    }
  }
  train.use @parts (width = 6)
  train.func @f(%x: f32[6]) {
    // expected-note @below {{in @parts used here}}
    %a = train.apply @parts(%x)
    train.return %a
  }
}

// -----

train.model @m {
  // expected-error @below {{expected a model with a size of the name batch}}
  train.export @f as "f" batch 1
}

// -----

train.model @m(batch = 2) {
  // expected-error @below {{a formula per number of an attribute or of the result's shape, but got}}
  train.param @w : tensor<2xf32> = #train.zeros {train.sizes = {type = "batch, 3"}}
}

// -----

train.model @m(batch = 2) {
  train.func @f(%x: f32[batch]) {
    train.return %x
  }
  "train.func"() ({
  ^bb0(%x: tensor<2xf32>):
    // constraint train.use 1
    // expected-error @below {{expected a train.model around the op}}
    "train.use"() {module = @a, instance = "a"} : () -> ()
    "train.return"(%x) : (tensor<2xf32>) -> ()
  }) {sym_name = "g", function_type = (tensor<2xf32>) -> tensor<2xf32>} : () -> ()
}

// -----

train.model @m {
  train.model @a(width = 2) {
  }
  // constraint train.use 2
  // expected-error @below {{expected formulas of sizes, but got 2}}
  "train.use"() {module = @a, instance = "a", given = {width = 2}} : () -> ()
}

// -----

// The parts of a module are verified before the module is used.
train.model @m {
  train.model @a {
    // expected-error @below {{a formula per number of an attribute or of the result's shape, but got {foo = "3"}}}
    train.param @w : tensor<2xf32> = #train.zeros {train.sizes = {foo = "3"}}
  }
  train.use @a
}

// -----

train.model @m {
  train.model @a {
    // expected-error @below {{expect at least a terminator}}
    train.func @apply(%x: f32[3]) {
    }
  }
  train.use @a
}

// -----

train.model @m {
  train.model @a {
    train.param @w : f32[] = #train.zeros
    train.func @loss() {
      train.return %w
    }
    // constraint train.model 2
    // expected-error @below {{expected outside of modules}}
    train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
  }
  train.use @a
}

// -----

train.model @m {
  train.func @f(%x: f32[4]) {
    // expected-error @below {{expected a name that no other result has, but got "y"}}
    train.return %x as "y", %x as "y"
  }
}

// -----

train.model @m {
  // expected-error @below {{expected one name of a result, but got "y" beside #train.output<named, name = "z">}}
  train.func @f(%x: f32[4]) -> (f32[4] {train.is = #train.output<named, name = "z">}) {
    train.return %x as "y"
  }
}
