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

// -----

train.model @m {
  train.knob @t = 0.5 in [0, 1]
  train.param @w : f32[4] = #train.zeros
  train.func @loss(%x: f32[4]) {
    %l = train.mse %x, %w
    train.return %l
  }
  // expected-error @below {{expected a number as initial_accumulator of #train.adagrad, which takes knobs as lr, eps, weight_decay, but got the knob @t}}
  train.step @fit minimize @loss over all with #train.adagrad<lr = 0.1, initial_accumulator = @t>
}

// -----

train.model @m {
  train.knob @t = 0.5 in [0, 1]
  train.param @w : f32[4] = #train.zeros
  train.func @loss(%x: f32[4]) {
    %l = train.mse %x, %w
    train.return %l
  }
  // expected-error @below {{expected knobs with ranges that the rule takes, but for the upper bounds: expected beta1 in [0, 1), but got 1.000000e+00}}
  train.step @fit minimize @loss over all with #train.adamw<lr = 0.1, beta1 = @t>
}

// -----

train.model @m {
  train.knob @t = 0.5 in [-1, 1]
  train.param @w : f32[4] = #train.zeros
  train.func @loss(%x: f32[4]) {
    %l = train.mse %x, %w
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
    // expected-error @below {{expected knobs with ranges that the rule takes, but for the lower bounds: expected a finite lr of at least 0, but got -1.000000e+00}}
    groups [#train.group<params = [@w], optimizer = #train.sgd<lr = @t>>]
}

// -----

train.model @m {
  train.knob @t = 0.5 in [0, 1]
  train.param @w : f32[4] = #train.zeros
  train.func @loss(%x: f32[4]) {
    %l = train.mse %x, %w
    train.return %l
  }
  // expected-error @below {{expected a number or a knob, which train.knob declares before, but got @rate}}
  // expected-error @below {{failed to parse Train_SgdAttr parameter 'lr'}}
  train.step @fit minimize @loss over all with #train.sgd<lr = @rate>
}

// -----

train.model @m {
  train.knob @t = 0.5 in [0, 1]
  train.param @w : f32[4] = #train.zeros
  train.func @loss(%x: f32[4]) {
    %l = train.mse %x, %w
    train.return %l
  }
  // expected-error @below {{expected a knob with a range above 0 as clip_norm, but @t is in [0.0, 1.0]}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> {clip_norm = @t}
}

// -----

train.model @m {
  train.knob @t = 0.5 in [0, 1]
  train.param @w : f32[4] = #train.zeros
  train.func @loss(%x: f32[4]) {
    %l = train.mse %x, %w
    train.return %l
  }
  // expected-error @below {{expected a number, but got the knob @t}}
  // expected-error @below {{failed to parse Train_CosineAttr parameter 'floor'}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> schedule #train.cosine<steps = 10, floor = @t>
}

// -----

train.model @m {
  train.knob @t = 0.5 in [0, 1]
  train.func @f(%x: f32[4]) {
    // expected-error @below {{expected a knob with a range in [0, 1) as rate, but @t is in [0.0, 1.0]}}
    %y = train.dropout %x rate @t
    train.return %y
  }
}

// -----

train.model @m {
  train.knob @t = 0.5 in [0, 1]
  train.func @f(%x: f32[4, 4]) {
    // expected-error @below {{expected a number as alpha, but got the knob @t}}
    %y = train.elu %x alpha @t
    train.return %y
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[4]) {
    // expected-error @below {{expected train.knobs = {PATH = @KNOB, ...}, on a train.step, train.dropout or train.follow, but got {rate = @t}}}
    %y = train.relu %x {train.knobs = {rate = @t}}
    train.return %y
  }
}

// -----

train.model @m {
  // constraint train.knob 4
  // expected-error @below {{expected a schedule of a step, but @fit is none}}
  train.knob @t = 0.5 in [0, 1] schedule #train.cosine<steps = 10> of @fit
}

// -----

train.model @m(n = 2) {
  train.knob @t = 0.5 in [0, 0.9]
  train.param @w : f32[4] = #train.zeros
  train.param @v.0 : f32[4] = #train.zeros
  train.func @loss(%x: f32[4]) {
    %l = train.mse %x, %w
    train.return %l
  }
  // expected-error @below {{expected a number as floor of #train.cosine, but got the knob @t}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> groups [#train.group<params = [@w], optimizer = #train.sgd<lr = @t>, schedule = #train.cosine<steps = 4, floor = @t>>]
}

// -----

train.model @m(n = 2) {
  train.knob @t = 0.5 in [0, 0.9]
  train.param @w : f32[4] = #train.zeros
  train.param @v.0 : f32[4] = #train.zeros
  train.func @loss(%x: f32[4]) {
    %l = train.mse %x, %w
    train.return %l
  }
  // expected-error @below {{expected knobs with ranges that the rule takes, but for the lower bounds: expected a positive clip_norm, but got 0.000000e+00}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> groups [#train.group<params = [@w], optimizer = #train.sgd<lr = 0.1>, clip_norm = @t>]
}

// -----

train.model @m(n = 2) {
  train.knob @t = 0.5 in [0, 0.9]
  train.param @w : f32[4] = #train.zeros
  train.param @v.0 : f32[4] = #train.zeros
  train.func @loss(%x: f32[4]) {
    %l = train.mse %x, %w
    train.return %l
  }
  // expected-error @below {{expected numbers in groups behind times, but got a knob}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> groups [times n index i #train.group<params = [@w], optimizer = #train.sgd<lr = @t>>]
}

// -----

train.model @m(n = 2) {
  train.knob @t = 0.5 in [0, 0.9]
  train.param @w : f32[4] = #train.zeros
  train.param @v.0 : f32[4] = #train.zeros
  train.func @loss(%x: f32[4]) {
    %l = train.mse %x, %w
    train.return %l
  }
  // expected-error @below {{expected 1 to 4096 times, but got 0}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> groups [times n - 2 index i #train.group<params = ["v.{i}"], optimizer = #train.sgd<lr = 0.1>>]
}

// -----

train.model @m(n = 2) {
  train.knob @t = 0.5 in [0, 0.9]
  train.param @w : f32[4] = #train.zeros
  train.param @v.0 : f32[4] = #train.zeros
  train.func @loss(%x: f32[4]) {
    %l = train.mse %x, %w
    train.return %l
  }
  // expected-error @below {{expected a name that no size has, but got n}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> groups [times n index n #train.group<params = ["v.{n}"], optimizer = #train.sgd<lr = 0.1>>]
}

// -----

train.model @m(n = 2) {
  train.knob @t = 0.5 in [0, 0.9]
  train.param @w : f32[4] = #train.zeros
  train.param @v.0 : f32[4] = #train.zeros
  train.func @loss(%x: f32[4]) {
    %l = train.mse %x, %w
    train.return %l
  }
  // expected-error @below {{expected a finite lr of at least 0, but got -2.000000e-01}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> groups [times n + 1 index i #train.group<params = ["v.{i}"], optimizer = #train.sgd<lr = 0.2 - 0.2 * i>>]
}

// -----

train.model @m(n = 2) {
  train.knob @t = 0.5 in [0, 0.9]
  train.param @w : f32[4] = #train.zeros
  train.param @v.0 : f32[4] = #train.zeros
  train.func @loss(%x: f32[4]) {
    %l = train.mse %x, %w
    train.return %l
  }
  // expected-error @below {{expected no division by 0}}
  // expected-error @below {{failed to parse Train_SgdAttr parameter 'lr'}}
  // expected-error @below {{failed to parse Train_GroupAttr parameter 'optimizer'}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> groups [times n index i #train.group<params = ["v.{i}"], optimizer = #train.sgd<lr = 0.2 / i>>]
}

// -----

train.model @m(n = 2) {
  train.knob @t = 0.5 in [0, 0.9]
  train.param @w : f32[4] = #train.zeros
  train.param @v.0 : f32[4] = #train.zeros
  train.func @loss(%x: f32[4]) {
    %l = train.mse %x, %w
    train.return %l
  }
  // expected-error @below {{expected a power of at least 0 between whole numbers, but got -1}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> groups [times 2 ** (1 - n) index i #train.group<params = ["v.{i}"], optimizer = #train.sgd<lr = 0.2>>]
}

// -----

train.model @m(n = 2) {
  train.knob @t = 0.5 in [0, 0.9]
  train.param @w : f32[4] = #train.zeros
  train.param @v.0 : f32[4] = #train.zeros
  train.func @loss(%x: f32[4]) {
    %l = train.mse %x, %w
    train.return %l
  }
  // expected-error @below {{expected a positive clip_value, but got 0.000000e+00}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> groups [#train.group<params = [@w], optimizer = #train.sgd<lr = 0.1>, clip_value = 0.0>]
}

// -----

train.model @m(n = 2) {
  train.knob @t = 0.5 in [0, 0.9]
  train.param @w : f32[4] = #train.zeros
  train.param @v.0 : f32[4] = #train.zeros
  train.func @loss(%x: f32[4]) {
    %l = train.mse %x, %w
    train.return %l
  }
  // expected-error @below {{expected an ema_decay in [0, 1), but got 1.000000e+00}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> groups [#train.group<params = [@w], optimizer = #train.sgd<lr = 0.1>, ema_decay = 1.0>]
}

// -----

train.model @m(n = 2) {
  train.knob @t = 0.5 in [0, 0.9]
  train.param @w : f32[4] = #train.zeros
  train.param @v.0 : f32[4] = #train.zeros
  train.func @loss(%x: f32[4]) {
    %l = train.mse %x, %w
    train.return %l
  }
  // expected-error @below {{expected rising step numbers from 1 on as at, but got [3, 3]}}
  // expected-error @below {{failed to parse Train_GroupAttr parameter 'schedule'}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> groups [#train.group<params = [@w], optimizer = #train.sgd<lr = 0.1>, schedule = #train.multi_step<at = [3, 3]>>]
}

// -----

train.model @m(n = 2) {
  train.knob @t = 0.5 in [0, 0.9]
  train.param @w : f32[4] = #train.zeros
  train.param @v.0 : f32[4] = #train.zeros
  train.func @loss(%x: f32[4]) {
    %l = train.mse %x, %w
    train.return %l
  }
  // expected-error @below {{expected a positive gamma, but got 0.000000e+00}}
  // expected-error @below {{failed to parse Train_GroupAttr parameter 'schedule'}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> groups [#train.group<params = [@w], optimizer = #train.sgd<lr = 0.1>, schedule = #train.multi_step<at = [3], gamma = 0.0>>]
}

// -----

train.model @m(n = 2) {
  train.knob @t = 0.5 in [0, 0.9]
  train.param @w : f32[4] = #train.zeros
  train.param @v.0 : f32[4] = #train.zeros
  train.func @loss(%x: f32[4]) {
    %l = train.mse %x, %w
    train.return %l
  }
  // expected-error @below {{expected a warmup of at least 1 step, but got 0}}
  // expected-error @below {{failed to parse Train_GroupAttr parameter 'schedule'}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> groups [#train.group<params = [@w], optimizer = #train.sgd<lr = 0.1>, schedule = #train.inverse_sqrt<warmup = 0>>]
}

// -----

train.model @m(n = 2) {
  train.knob @t = 0.5 in [0, 0.9]
  train.param @w : f32[4] = #train.zeros
  train.param @v.0 : f32[4] = #train.zeros
  train.func @loss(%x: f32[4]) {
    %l = train.mse %x, %w
    train.return %l
  }
  // expected-error @below {{expected 2 schedules for the 1 numbers of at, but got 1}}
  // expected-error @below {{failed to parse Train_GroupAttr parameter 'schedule'}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> groups [#train.group<params = [@w], optimizer = #train.sgd<lr = 0.1>, schedule = #train.sequence<schedules = [#train.constant_schedule], at = [4]>>]
}

// -----

train.model @m(n = 2) {
  train.knob @t = 0.5 in [0, 0.9]
  train.param @w : f32[4] = #train.zeros
  train.param @v.0 : f32[4] = #train.zeros
  train.func @loss(%x: f32[4]) {
    %l = train.mse %x, %w
    train.return %l
  }
  // expected-error @below {{expected schedules, but got [1]}}
  // expected-error @below {{failed to parse Train_GroupAttr parameter 'schedule'}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> groups [#train.group<params = [@w], optimizer = #train.sgd<lr = 0.1>, schedule = #train.sequence<schedules = [1], at = []>>]
}

// -----

train.model @m(n = 2) {
  train.knob @t = 0.5 in [0, 0.9]
  train.param @w : f32[4] = #train.zeros
  train.param @v.0 : f32[4] = #train.zeros
  train.func @loss(%x: f32[4]) {
    %l = train.mse %x, %w
    train.return %l
  }
  // expected-error @below {{expected schedules that all set the momentum, or none, but got}}
  // expected-error @below {{failed to parse Train_GroupAttr parameter 'schedule'}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> groups [#train.group<params = [@w], optimizer = #train.sgd<lr = 0.1>, schedule = #train.sequence<schedules = [#train.constant_schedule, #train.one_cycle<steps = 4, base_momentum = 0.5, max_momentum = 0.9>], at = [4]>>]
}

// -----

train.model @m(n = 2) {
  train.knob @t = 0.5 in [0, 0.9]
  train.param @w : f32[4] = #train.zeros
  train.param @v.0 : f32[4] = #train.zeros
  train.func @loss(%x: f32[4]) {
    %l = train.mse %x, %w
    train.return %l
  }
  // expected-error @below {{expected rules with a momentum for #train.one_cycle<steps = 4, base_momentum = 5.000000e-01, max_momentum = 9.000000e-01>, but got #train.sgd<lr = 1.000000e-01>}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> groups [#train.group<params = [@w], optimizer = #train.sgd<lr = 0.1>, schedule = #train.one_cycle<steps = 4, base_momentum = 0.5, max_momentum = 0.9>>]
}
