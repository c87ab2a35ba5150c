// Constraints of models, and of the functions and steps of models.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --split-input-file --verify-diagnostics

train.model @m {
  // constraint train.model 1
  // expected-error @below {{expected a symbol or an export in a model}}
  %0 = arith.constant 1.0 : f32
}

// -----

train.model @m {
  // constraint train.param 1
  // expected-error @below {{expected tensors of at least one element, but got 'tensor<0xf32>'}}
  train.param @w : tensor<0xf32> = #train.zeros
}

// -----

train.model @m {
  // constraint train.buffer 1
  // expected-error @below {{expected static shapes, but got 'tensor<?xf32>'}}
  train.buffer @w : tensor<?xf32> = #train.zeros
}

// -----

train.model @m {
  // constraint train.func 1
  // expected-error @below {{expected one block, but got several}}
  train.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    train.return %x : tensor<4xf32>
  ^bb1:
    train.return %x : tensor<4xf32>
  }
}

// -----

train.model @m {
  // constraint train.func 2
  // expected-error @below {{expected arguments that are ranked tensors, but got 'f32'}}
  train.func @f(%x: f32) {
    train.return
  }
}

// -----

train.model @m {
  // constraint train.func 3
  // expected-error @below {{expected tensors of at least one element, but got 'tensor<0x4xf32>'}}
  train.func @f(%x: tensor<0x4xf32>) {
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<5xf32>) -> tensor<4xf32> {
    // constraint train.return 1
    // expected-error @below {{expected values of types ('tensor<4xf32>'), but got ('tensor<5xf32>')}}
    train.return %x : tensor<5xf32>
  }
}

// -----

train.model @m {
  train.param @w : tensor<4xf32> = #train.zeros
  train.buffer @b : tensor<4xf32> = #train.zeros
  train.func @g(%x: tensor<4xf32>) {
    train.return
  }
  train.func @f(%x: tensor<5xf32>) {
    // constraint train.call 1
    // expected-error @below {{expected a function, but @h is none}}
    train.call @h(%x) : (tensor<5xf32>) -> ()
    train.return
  }
}

// -----

train.model @m {
  train.param @w : tensor<4xf32> = #train.zeros
  train.buffer @b : tensor<4xf32> = #train.zeros
  train.func @g(%x: tensor<4xf32>) {
    train.return
  }
  train.func @f(%x: tensor<5xf32>) {
    // constraint train.call 2
    // expected-error @below {{expected 'tensor<4xf32>' as operand 0 of @g, but got 'tensor<5xf32>': 5 in dimension 0, not 4}}
    train.call @g(%x) : (tensor<5xf32>) -> ()
    train.return
  }
}

// -----

train.model @m {
  train.param @w : tensor<4xf32> = #train.zeros
  train.buffer @b : tensor<4xf32> = #train.zeros
  train.func @g(%x: tensor<4xf32>) {
    train.return
  }
  train.func @f(%x: tensor<5xf32>) {
    // constraint train.read 1
    // expected-error @below {{expected a parameter or buffer, but @g is none}}
    %y = train.read @g : tensor<4xf32>
    train.return
  }
}

// -----

train.model @m {
  train.param @w : tensor<4xf32> = #train.zeros
  train.buffer @b : tensor<4xf32> = #train.zeros
  train.func @g(%x: tensor<4xf32>) {
    train.return
  }
  train.func @f(%x: tensor<5xf32>) {
    // constraint train.read 2
    // expected-error @below {{expected type 'tensor<4xf32>', but got 'tensor<5xf32>'}}
    %y = train.read @w : tensor<5xf32>
    train.return
  }
}

// -----

train.model @m {
  train.param @w : tensor<4xf32> = #train.zeros
  train.buffer @b : tensor<4xf32> = #train.zeros
  train.func @g(%x: tensor<4xf32>) {
    train.return
  }
  train.func @f(%x: tensor<5xf32>) {
    // constraint train.write 1
    // expected-error @below {{expected a buffer, but @w is a parameter, which steps change}}
    train.write @w, %x : tensor<5xf32>
    train.return
  }
}

// -----

train.model @m {
  train.param @w : tensor<4xf32> = #train.zeros
  train.buffer @b : tensor<4xf32> = #train.zeros
  train.func @g(%x: tensor<4xf32>) {
    train.return
  }
  train.func @f(%x: tensor<5xf32>) {
    // constraint train.write 2
    // expected-error @below {{expected a buffer, but @g is none}}
    train.write @g, %x : tensor<5xf32>
    train.return
  }
}

// -----

train.model @m {
  train.param @w : tensor<4xf32> = #train.zeros
  train.buffer @b : tensor<4xf32> = #train.zeros
  train.func @g(%x: tensor<4xf32>) {
    train.return
  }
  train.func @f(%x: tensor<5xf32>) {
    // constraint train.write 3
    // expected-error @below {{expected type 'tensor<4xf32>', but got 'tensor<5xf32>'}}
    train.write @b, %x : tensor<5xf32>
    train.return
  }
}

// -----

train.model @m {
  train.param @w : tensor<4xf32> = #train.zeros
  train.func @loss(%x: tensor<4xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<4xf32>
    %0 = train.mul %x, %w : tensor<4xf32>, tensor<4xf32>
    %1 = train.reduce_sum %0 over [0] : tensor<4xf32>
    train.return %1 : tensor<f32>
  }
  // constraint train.export 1
  // expected-error @below {{expected a function, but @f is none}}
  train.export @f as "f"
}

// -----

train.model @m {
  train.param @w : tensor<4xf32> = #train.zeros
  train.func @loss(%x: tensor<4xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<4xf32>
    %0 = train.mul %x, %w : tensor<4xf32>, tensor<4xf32>
    %1 = train.reduce_sum %0 over [0] : tensor<4xf32>
    train.return %1 : tensor<f32>
  }
  // constraint train.step 1
  // expected-error @below {{expected a function, but @lost is none}}
  train.step @fit minimize @lost over [@w] with #train.sgd<lr = 0.1>
}

// -----

train.model @m {
  train.param @w : tensor<4xf32> = #train.zeros
  train.func @loss(%x: tensor<4xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<4xf32>
    %0 = train.mul %x, %w : tensor<4xf32>, tensor<4xf32>
    %1 = train.reduce_sum %0 over [0] : tensor<4xf32>
    train.return %1 : tensor<f32>
  }
  train.func @same(%x: tensor<4xf32>) -> tensor<4xf32> {
    train.return %x : tensor<4xf32>
  }
  // constraint train.step 2
  // expected-error @below {{expected a loss that returns real scalars, but @same has type '(tensor<4xf32>) -> tensor<4xf32>'}}
  train.step @fit minimize @same over [@w] with #train.sgd<lr = 0.1>
}

// -----

train.model @m {
  train.param @w : tensor<4xf32> = #train.zeros
  train.func @loss(%x: tensor<4xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<4xf32>
    %0 = train.mul %x, %w : tensor<4xf32>, tensor<4xf32>
    %1 = train.reduce_sum %0 over [0] : tensor<4xf32>
    train.return %1 : tensor<f32>
  }
  // constraint train.step 3
  // expected-error @below {{expected every parameter once, but got @w twice}}
  train.step @fit minimize @loss over [@w, @w] with #train.sgd<lr = 0.1>
}

// -----

train.model @m {
  train.param @w : tensor<4xf32> = #train.zeros
  train.func @loss(%x: tensor<4xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<4xf32>
    %0 = train.mul %x, %w : tensor<4xf32>, tensor<4xf32>
    %1 = train.reduce_sum %0 over [0] : tensor<4xf32>
    train.return %1 : tensor<f32>
  }
  // constraint train.step 4
  // expected-error @below {{expected a parameter, but @loss is none}}
  train.step @fit minimize @loss over [@loss] with #train.sgd<lr = 0.1>
}

// -----

train.model @m {
  train.param @w : tensor<4xf32> = #train.zeros
  train.func @loss(%x: tensor<4xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<4xf32>
    %0 = train.mul %x, %w : tensor<4xf32>, tensor<4xf32>
    %1 = train.reduce_sum %0 over [0] : tensor<4xf32>
    train.return %1 : tensor<f32>
  }
  train.param @v : tensor<4xf32> = #train.zeros {frozen}
  // constraint train.step 5
  // expected-error @below {{expected parameters of the step in a group, but got @v}}
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1> groups [#train.group<params = [@v], optimizer = #train.sgd<lr = 0.1>>]
}

// -----

train.model @m {
  train.param @w : tensor<4xf32> = #train.zeros
  train.func @loss(%x: tensor<4xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<4xf32>
    %0 = train.mul %x, %w : tensor<4xf32>, tensor<4xf32>
    %1 = train.reduce_sum %0 over [0] : tensor<4xf32>
    train.return %1 : tensor<f32>
  }
  // constraint train.step 6
  // expected-error @below {{expected every parameter in one group, but @w is in two}}
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1> groups [#train.group<params = [@w], optimizer = #train.sgd<lr = 0.1>>, #train.group<params = [@w], optimizer = #train.sgd<lr = 0.1>>]
}

// -----

train.model @m {
  train.param @w : tensor<4xf32> = #train.zeros
  train.func @loss(%x: tensor<4xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<4xf32>
    %0 = train.mul %x, %w : tensor<4xf32>, tensor<4xf32>
    %1 = train.reduce_sum %0 over [0] : tensor<4xf32>
    train.return %1 : tensor<f32>
  }
  // constraint train.step 7
  // expected-error @below {{expected 1 to 4096 micro-batches, but got 0}}
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1> {micro_batches = 0}
}

// -----

train.model @m {
  train.param @w : tensor<4xf32> = #train.zeros
  train.func @loss(%x: tensor<4xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<4xf32>
    %0 = train.mul %x, %w : tensor<4xf32>, tensor<4xf32>
    %1 = train.reduce_sum %0 over [0] : tensor<4xf32>
    train.return %1 : tensor<f32>
  }
  // constraint train.step 8
  // expected-error @below {{expected amp.scaler = @NAME, but got "s"}}
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1> {amp.scaler = "s"}
}

// -----

train.model @m {
  train.param @w : tensor<4xf32> = #train.zeros
  train.func @loss(%x: tensor<4xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<4xf32>
    %0 = train.mul %x, %w : tensor<4xf32>, tensor<4xf32>
    %1 = train.reduce_sum %0 over [0] : tensor<4xf32>
    train.return %1 : tensor<f32>
  }
  // constraint train.step 9
  // expected-error @below {{expected clip_norm, clip_value, micro_batches, ema_decay, nonfinite, weight_rounding or amp.scaler, but got the attribute clipnorm}}
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1> {clipnorm = 1.0}
}

// -----

train.model @m {
  train.param @w : tensor<4xf32> = #train.zeros
  train.func @loss(%x: tensor<4xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<4xf32>
    %0 = train.mul %x, %w : tensor<4xf32>, tensor<4xf32>
    %1 = train.reduce_sum %0 over [0] : tensor<4xf32>
    train.return %1 : tensor<f32>
  }
  // constraint train.step 9
  // expected-error @below {{expected clip_norm, clip_value, micro_batches, ema_decay, nonfinite, weight_rounding or amp.scaler, but got the attribute amp.recompute}}
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1> {amp.recompute}
}

// -----

train.model @m {
  train.param @w : tensor<4xf32> = #train.zeros
  train.func @loss(%x: tensor<4xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<4xf32>
    %0 = train.mul %x, %w : tensor<4xf32>, tensor<4xf32>
    %1 = train.reduce_sum %0 over [0] : tensor<4xf32>
    train.return %1 : tensor<f32>
  }
  // constraint train.step 10
  // expected-error @below {{expected a positive clip_norm, but got 0.000000e+00}}
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1> {clip_norm = 0.0}
}

// -----

train.model @m {
  train.param @w : tensor<4xf32> = #train.zeros
  train.func @loss(%x: tensor<4xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<4xf32>
    %0 = train.mul %x, %w : tensor<4xf32>, tensor<4xf32>
    %1 = train.reduce_sum %0 over [0] : tensor<4xf32>
    train.return %1 : tensor<f32>
  }
  // constraint train.step 11
  // expected-error @below {{expected a positive clip_value, but got -1.000000e+00}}
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1> {clip_value = -1.0}
}

// -----

train.model @m {
  train.param @w : tensor<4xf32> = #train.zeros
  train.func @loss(%x: tensor<4xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<4xf32>
    %0 = train.mul %x, %w : tensor<4xf32>, tensor<4xf32>
    %1 = train.reduce_sum %0 over [0] : tensor<4xf32>
    train.return %1 : tensor<f32>
  }
  // constraint train.step 12
  // expected-error @below {{expected an ema_decay in [0, 1), but got 1.000000e+00}}
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1> {ema_decay = 1.0}
}

// -----

train.model @m {
  train.param @w : tensor<4xf32> = #train.zeros
  train.func @loss(%x: tensor<4xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<4xf32>
    %0 = train.mul %x, %w : tensor<4xf32>, tensor<4xf32>
    %1 = train.reduce_sum %0 over [0] : tensor<4xf32>
    train.return %1 : tensor<f32>
  }
  // constraint train.step 13
  // expected-error @below {{expected nonfinite = "allow", "skip" or "fail", but got "ignore"}}
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1> {nonfinite = "ignore"}
}

// -----

train.model @m {
  train.param @w : tensor<4xf32> = #train.zeros
  train.func @loss(%x: tensor<4xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<4xf32>
    %0 = train.mul %x, %w : tensor<4xf32>, tensor<4xf32>
    %1 = train.reduce_sum %0 over [0] : tensor<4xf32>
    train.return %1 : tensor<f32>
  }
  // constraint train.step 15
  // expected-error @below {{expected weight_rounding = "nearest" or "stochastic", but got "up"}}
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1> {weight_rounding = "up"}
}

// -----

train.model @m {
  train.param @w : tensor<f32> = #train.zeros
  train.func @loss() {
    train.return %w
  }
  // expected-error @below {{attribute 'micro_batches' failed to satisfy constraint: 64-bit integer attribute}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> {micro_batches = "4"}
}

// -----

train.model @m {
  train.param @w : tensor<f32> = #train.zeros
  train.func @loss() {
    train.return %w
  }
  // expected-error @below {{attribute 'nonfinite' failed to satisfy constraint: string attribute}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> {nonfinite}
}

// -----

train.model @m {
  train.param @w : tensor<f32> = #train.zeros
  train.func @loss() {
    train.return %w
  }
  // expected-error @below {{attribute 'schedule' failed to satisfy constraint: ScheduleAttrInterface instance}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> {schedule = 5}
}

// -----

train.model @m {
  // expected-error @below {{expected train.outside = {order, of, as}, of arrays of i64, on a parameter or buffer, but got [1, 0]}}
  train.param @w : tensor<4x6xf32> = #train.zeros {train.outside = [1, 0]}
}

// -----

train.model @m {
  // expected-error @below {{expected train.outside = {order, of, as} with an order of 2 dimensions, but got}}
  train.param @w : tensor<4x6xf32> = #train.zeros {train.outside = {order = array<i64: 1, 1>}}
}

// -----

train.model @m {
  // expected-error @below {{expected train.outside = {order, of, as} of parts of [4, 6], but got}}
  train.buffer @w : tensor<4x6xf32> = #train.zeros {train.outside = {order = array<i64: 0, 2, 1>, of = array<i64: 4, 2, 4>}}
}

// -----

train.model @m {
  // expected-error @below {{expected train.outside = {order, of, as} as neighbours of [4, 3, 2], but got}}
  train.param @w : tensor<4x6xf32> = #train.zeros
    {train.outside = {order = array<i64: 0, 2, 1>, of = array<i64: 4, 2, 3>, as = array<i64: 4, 8>}}
}

// -----

train.model @m {
  train.param @w : f32[] = #train.zeros
  train.func @loss(%x: f32[]) {
    %l = train.mul %x, %w
    train.return %l, %x
  }
  // constraint train.step 2
  // expected-error @below {{expected names of the results of @loss but the first, as in train.return %loss, %x as "accuracy", but result 1 has none}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}

// -----

train.model @m {
  train.param @w : f32[] = #train.zeros
  train.func @loss(%x: f32[]) {
    %l = train.mul %x, %w
    train.return %l, %x as "grad_norm"
  }
  // constraint train.step 2
  // expected-error @below {{expected another name of result 1 of @loss, but got "grad_norm"}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}

// -----

train.model @m {
  train.param @w : f32[] = #train.zeros
  train.func @loss(%x: f32[]) {
    %l = train.mul %x, %w
    train.return %l, %x as "skipped"
  }
  // constraint train.step 2
  // expected-error @below {{expected another name of result 1 of @loss, but got "skipped"}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}

// -----

train.model @m {
  train.param @w : f32[] = #train.zeros
  train.func @loss(%x: f32[]) {
    %l = train.mul %x, %w
    train.return %l
  }
  // constraint train.step 14
  // expected-error @below {{expected rules with a momentum for #train.one_cycle<steps = 9, base_momentum = 5.000000e-01, max_momentum = 7.500000e-01>, but got #train.sgd<lr = 5.000000e-01>}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.5> schedule #train.one_cycle<steps = 9, base_momentum = 0.5, max_momentum = 0.75>
}
