// Followers that are refused.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --split-input-file --verify-diagnostics --train-expand-modules

train.model @m {
  train.param @w : f32[4] = #train.ones
  train.param @t : f32[4] = #train.ones
  // constraint train.follow 1
  // expected-error @below {{expected a decay, as decay 0.995, or an interval, as every 1000}}
  train.follow @t of @w
}

// -----

train.model @m {
  train.param @w : f32[4] = #train.ones
  train.param @t : f32[4] = #train.ones
  // constraint train.follow 2
  // expected-error @below {{expected a decay in [0, 1], but got 1.5}}
  train.follow @t of @w decay 1.5
}

// -----

train.model @m {
  train.param @w : f32[4] = #train.ones
  train.param @t : f32[4] = #train.ones
  // constraint train.follow 3
  // expected-error @below {{expected an interval of at least 1, but got 0}}
  train.follow @t of @w every 0
}

// -----

train.model @m {
  train.param @w : f32[4] = #train.ones
  // constraint train.follow 4
  // expected-error @below {{expected a target that is not the source @w}}
  train.follow @w of @w decay 0.5
}

// -----

train.model @m {
  train.knob @keep = 1.0 in [0, 10]
  train.param @w : f32[4] = #train.ones
  train.param @t : f32[4] = #train.ones
  // expected-error @below {{expected a knob with a range in [0, 1] as decay, but @keep is in [0.0, 10.0]}}
  train.follow @t of @w decay @keep
}

// -----

train.model @m {
  train.param @w : f32[4] = #train.ones
  train.param @t : f32[5] = #train.ones
  // expected-error @below {{expected @t and its source @w to have equal types, but got 'tensor<5xf32>' and 'tensor<4xf32>'}}
  train.follow @t of @w decay 0.5
}

// -----

train.model @m {
  train.param @online : f32[4] = #train.ones
  train.param @target : f32[4] = #train.ones
  // expected-error @below {{expected parameters that follow, but @taget is no parameter and no instance with parameters; did you mean target?}}
  train.follow @taget of @online decay 0.5
}

// -----

train.model @m {
  train.param @online : f32[4] = #train.ones
  train.param @target : f32[4] = #train.ones
  // expected-error @below {{expected a source for @target, but @onlin is none; did you mean online?}}
  train.follow @target of @onlin decay 0.5
}

// -----

train.model @m {
  train.param @w : f32[4] = #train.ones
  train.param @a : f32[4] = #train.ones
  train.param @b : f32[4] = #train.ones
  // expected-error @below {{expected a source that follows no other parameter, but @a does}}
  train.follow @b of @a decay 0.5
  train.follow @a of @w decay 0.5
}

// -----

train.model @m {
  train.param @w : f32[4] = #train.ones
  train.param @a : f32[4] = #train.ones
  train.follow @a of @w decay 0.5
  // expected-error @below {{expected a single source per parameter, but @a follows twice}}
  train.follow @a of @w decay 0.9
}

// -----

train.model @m {
  train.param @w : f32[4] = #train.ones
  train.param @a : f32[4] = #train.ones
  // expected-error @below {{expected a step that trains @w, but none does}}
  train.follow @a of @w decay 0.5
}

// -----

train.model @m {
  train.param @w : f32[4] = #train.ones
  train.param @a : f32[4] = #train.ones
  // expected-error @below {{expected the step, as after @one: @one and @two train @w}}
  train.follow @a of @w decay 0.5
  train.func @loss(%x: f32[4]) {
    %y = train.mul %x, %w
    %z = train.mul %y, %a
    %l = train.reduce_sum %z over [0]
    train.return %l
  }
  train.step @one minimize @loss over [@w] with #train.sgd<lr = 0.1>
  train.step @two minimize @loss over [@w] with #train.sgd<lr = 0.1>
}

// -----

train.model @m {
  train.param @w : f32[4] = #train.ones
  train.param @a : f32[4] = #train.ones
  // expected-error @below {{expected a step, but @fit is none}}
  train.follow @a of @w decay 0.5 after @fit
}

// -----

train.model @m {
  train.param @w : f32[4] = #train.ones
  train.param @a : f32[4] = #train.ones
  train.follow @a of @w decay 0.5
  train.func @loss(%x: f32[4]) {
    %y = train.mul %x, %w
    %z = train.mul %y, %a
    %l = train.reduce_sum %z over [0]
    train.return %l
  }
  // expected-error @below {{expected parameters that follow no other, but @a follows @w}}
  train.step @fit minimize @loss over [@w, @a] with #train.sgd<lr = 0.1>
}

// -----

train.model @m {
  train.model @layer {
    train.param @w : f32[4] = #train.ones
    train.param @t : f32[4] = #train.ones
    // expected-error @below {{expected outside of modules}}
    train.follow @t of @w decay 0.5
  }
}

// -----

train.model @m {
  // expected-error @below {{expected train.first_value_of = the name of a state, on a parameter or buffer, but got 3}}
  train.param @w : f32[4] = #train.ones {train.first_value_of = 3}
}
