// Common mistakes in a loss scale do not verify.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --split-input-file --verify-diagnostics

train.model @unscaled_twice {
  train.func @step(%g: tensor<4xf16>, %scale: tensor<f32>) -> tensor<4xf32> {
    %0 = amp.mark_scaled %g : tensor<4xf16>
    // constraint amp.unscale 2
    // expected-error @below {{expected a gradient that is unscaled once, but got two unscalings}}
    %1, %a = amp.unscale %0 by %scale : !amp.scaled<tensor<4xf16>> to tensor<4xf32>
    %2, %b = amp.unscale %0 by %scale : !amp.scaled<tensor<4xf16>> to tensor<4xf32>
    train.return %2 : tensor<4xf32>
  }
}

// -----

train.model @unscaled_again {
  train.func @step(%g: tensor<4xf16>, %scale: tensor<f32>) -> tensor<4xf32> {
    %0 = amp.mark_scaled %g : tensor<4xf16>
    // expected-note @below {{prior use here}}
    %1, %a = amp.unscale %0 by %scale : !amp.scaled<tensor<4xf16>> to tensor<4xf32>
    // expected-error @below {{expects different type than prior uses: '!amp.scaled<tensor<4xf32>>' vs 'tensor<4xf32>'}}
    %2, %b = amp.unscale %1 by %scale : !amp.scaled<tensor<4xf32>> to tensor<4xf32>
    train.return %2 : tensor<4xf32>
  }
}

// -----

train.model @clipped_before {
  train.func @step(%g: tensor<4xf32>, %limit: tensor<f32>, %scale: tensor<f32>) -> tensor<4xf32> {
    %0 = amp.mark_scaled %g : tensor<4xf32>
    // expected-error @below {{operand #0 must be ranked tensor of any type values, but got '!amp.scaled<tensor<4xf32>>'}}
    %1 = "train.mul"(%0, %limit) : (!amp.scaled<tensor<4xf32>>, tensor<f32>) -> tensor<4xf32>
    train.return %1 : tensor<4xf32>
  }
}

// -----

train.model @updated_with_scaled {
  train.func @step(%w: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
    %0 = amp.mark_scaled %g : tensor<4xf32>
    // expected-error @below {{operand #1 must be ranked tensor of any type values, but got '!amp.scaled<tensor<4xf32>>'}}
    %1 = "train.sub"(%w, %0) : (tensor<4xf32>, !amp.scaled<tensor<4xf32>>) -> tensor<4xf32>
    train.return %1 : tensor<4xf32>
  }
}

// -----

train.model @two_updates {
  train.func @step(%scale: tensor<f32>, %good: tensor<i32>, %left: tensor<i32>, %bad: tensor<i1>) -> tensor<f32> {
    %0:3 = amp.update_scale %scale, %good, %left found_inf %bad with #amp.scaling
    // constraint amp.update_scale 1
    // expected-error @below {{expected one update of a scale in a step, but got two}}
    %1:3 = amp.update_scale %0#0, %0#1, %0#2 found_inf %bad with #amp.scaling
    train.return %1#0 : tensor<f32>
  }
}

// -----

train.model @not_f32 {
  train.func @step(%g: tensor<4xf16>, %scale: tensor<f32>) -> tensor<4xf16> {
    %0 = amp.mark_scaled %g : tensor<4xf16>
    // constraint amp.unscale 1
    // expected-error @below {{expected a result of 'tensor<4xf32>', but got 'tensor<4xf16>'}}
    %1, %a = amp.unscale %0 by %scale : !amp.scaled<tensor<4xf16>> to tensor<4xf16>
    train.return %1 : tensor<4xf16>
  }
}

// -----

train.model @integers {
  train.func @step(%x: tensor<4xi32>) -> tensor<4xi32> {
    // expected-error @below {{expected a tensor of reals, but got 'tensor<4xi32>'}}
    %0 = "amp.mark_scaled"(%x) : (tensor<4xi32>) -> !amp.scaled<tensor<4xi32>>
    train.return %x : tensor<4xi32>
  }
}

// -----

train.model @other_type {
  train.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    // constraint amp.autocast 1
    // expected-error @below {{expected bf16, f16 or f32, but got 'i32'}}
    %0 = amp.autocast i32 -> tensor<4xf32> {
      amp.yield %x : tensor<4xf32>
    }
    train.return %0 : tensor<4xf32>
  }
}

// -----

train.model @other_yield {
  train.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    // constraint amp.autocast 2
    // expected-error @below {{expected a region that yields values of types ('tensor<4xf32>')}}
    %0 = amp.autocast disabled -> tensor<4xf32> {
      amp.yield %x, %x : tensor<4xf32>, tensor<4xf32>
    }
    train.return %0 : tensor<4xf32>
  }
}

// -----

train.model @preset {
  // expected-error @below {{expected torch, tf, apex or paddle, but got jax}}
  amp.scaler @s = jax
}

// -----

train.model @grows_less {
  // expected-error @below {{expected a growth of at least 1, but got 5.000000e-01}}
  amp.scaler @s = #amp.scaling<growth = 0.5>
}

// -----

train.model @backs_off_up {
  // expected-error @below {{expected a backoff that lies between 0 and 1 in f32, but got 2.000000e+00}}
  amp.scaler @s = #amp.scaling<backoff = 2.0>
}

// -----

train.model @below_floor {
  // expected-error @below {{expected floor <= initial <= cap, but got 4.000000e+00, 2.000000e+00 and 0.000000e+00}}
  amp.scaler @s = #amp.scaling<initial = 2.0, floor = 4.0>
}

// -----

train.model @no_interval {
  // expected-error @below {{expected an interval and a hysteresis in [1, 2^31), but got 0 and 1}}
  amp.scaler @s = #amp.scaling<interval = 0>
}

// -----

train.model @zero {
  // expected-error @below {{expected an initial scale in [2^-126, 2^126], so that f32 holds its reciprocal, but got 0.000000e+00}}
  amp.scaler @s = #amp.scaling<initial = 0.0>
}

// -----

// A backoff that f32 rounds to 1 never backs off.
train.model @backs_off_nowhere {
  // expected-error @below {{expected a backoff that lies between 0 and 1 in f32, but got 1.000000e+00}}
  amp.scaler @s = #amp.scaling<backoff = 0.99999999>
}

// -----

// Counters are i32.
train.model @long_interval {
  // expected-error @below {{expected an interval and a hysteresis in [1, 2^31), but got 2147483648 and 1}}
  amp.scaler @s = #amp.scaling<interval = 2147483648>
}

// -----

// The reciprocal is infinite in f32.
train.model @denormal {
  // expected-error @below {{expected an initial scale in [2^-126, 2^126], so that f32 holds its reciprocal, but got 1.000000e-39}}
  amp.scaler @s = #amp.scaling<initial = 1.0e-39>
}

// -----

train.model @denormal_floor {
  // expected-error @below {{expected a floor and a cap of 0 or in [2^-126, 2^126], but got 1.000000e-40 and 0.000000e+00}}
  amp.scaler @s = #amp.scaling<floor = 1.0e-40>
}

// -----

train.model @high_cap {
  // expected-error @below {{expected a floor and a cap of 0 or in [2^-126, 2^126], but got 0.000000e+00 and 3.000000e+38}}
  amp.scaler @s = #amp.scaling<cap = 3.0e38>
}
