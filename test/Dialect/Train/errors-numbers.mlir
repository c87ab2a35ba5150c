// Numbers that make no sense, and sizes that 64 bits do not hold.
// RUN: %ampc-opt %s --split-input-file --verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// expected-error @below {{expected a finite lr of at least 0, but got -1}}
module attributes {train.rule = #train.sgd<lr = -1.0>} {}

// -----

// expected-error @below {{expected a finite lr of at least 0, but got INF}}
module attributes {train.rule = #train.adagrad<lr = 0x7FF0000000000000>} {}

// -----

// expected-error @below {{expected a momentum above 0 with nesterov, but got 0}}
module attributes {train.rule = #train.sgd<lr = 0.1, nesterov = true>} {}

// -----

// expected-error @below {{expected beta1 in [0, 1), but got 1}}
module attributes {train.rule = #train.adam<lr = 0.1, beta1 = 1.0>} {}

// -----

// expected-error @below {{expected beta2 in [0, 1), but got -5}}
module attributes {train.rule = #train.adamw<lr = 0.1, beta2 = -0.5>} {}

// -----

// expected-error @below {{expected a finite eps of at least 0, but got -}}
module attributes {train.rule = #train.lamb<lr = 0.1, eps = -1.0>} {}

// -----

// expected-error @below {{expected a finite weight_decay of at least 0, but got -}}
module attributes {train.rule = #train.rowwise_adagrad<lr = 0.1, weight_decay = -1.0>} {}

// -----

// expected-error @below {{expected alpha in [0, 1), but got 1}}
module attributes {train.rule = #train.rmsprop<lr = 0.1, alpha = 1.0>} {}

// -----

// expected-error @below {{expected a warmup of at least 0 steps, but got -1}}
module attributes {train.rule = #train.linear_warmup<warmup = -1>} {}

// -----

// expected-error @below {{expected at least one step, and a warmup of at least 0, but got 0 and 6}}
module attributes {train.rule = #train.cosine<steps = 0, warmup = 6>} {}

// -----

// expected-error @below {{expected a warmup of at most the schedule's 100 steps, but got 101}}
module attributes {train.rule = #train.cosine<steps = 100, warmup = 101>} {}

// -----

module attributes {train.rule = #train.cosine<steps = 100, warmup = 100>} {}

// -----

// expected-error @below {{expected a decay after at least one step, but got every = 0}}
module attributes {train.rule = #train.step_decay<every = 0>} {}

// -----

// expected-error @below {{expected a positive gamma, but got 0}}
module attributes {train.rule = #train.step_decay<every = 1, gamma = 0.0>} {}

// -----

// expected-error @below {{expected beta1 in [0, 1), but got 1.5}}
module attributes {train.rule = #train.lion<lr = 0.1, beta1 = 1.5>} {}

// -----

// expected-error @below {{expected moments in bf16 or f32, but got 'f16'}}
module attributes {train.rule = #train.lion<lr = 0.1, moments = f16>} {}

// -----

// expected-error @below {{expected a positive clip_threshold, but got 0}}
module attributes {train.rule = #train.adafactor<lr = 0.1, clip_threshold = 0.0>} {}

// -----

// expected-error @below {{expected a finite decay of at least 0, but got -}}
module attributes {train.rule = #train.adafactor<lr = 0.1, decay = -0.8>} {}

// -----

// expected-error @below {{expected a positive lr, but got 0}}
module attributes {train.rule = #train.muon<lr = 0.0>} {}

// -----

// expected-error @below {{expected 1 to 20 iterations, but got 21}}
module attributes {train.rule = #train.muon<lr = 0.1, iterations = 21>} {}

// -----

// expected-error @below {{expected a momentum above 0 with nesterov, but got 0}}
module attributes {train.rule = #train.muon<lr = 0.1, momentum = 0.0>} {}

// -----

// expected-error @below {{expected a warmup of at most the schedule's 10 steps, but got 11}}
module attributes {train.rule = #train.linear<steps = 10, warmup = 11>} {}

// -----

// expected-error @below {{expected a finite end of at least 0, but got -}}
module attributes {train.rule = #train.linear<steps = 10, end = -1.0>} {}

// -----

// expected-error @below {{expected a finite power above 0, but got 0}}
module attributes {train.rule = #train.polynomial<steps = 10, power = 0.0>} {}

// -----

// expected-error @below {{expected at least one step, but got 0}}
module attributes {train.rule = #train.one_cycle<steps = 0>} {}

// -----

// expected-error @below {{expected pct_start in [0, 1], but got 1.5}}
module attributes {train.rule = #train.one_cycle<steps = 10, pct_start = 1.5>} {}

// -----

// expected-error @below {{expected pct_start in [0, 0.5], but got}}
module attributes {train.rule = #train.one_cycle<steps = 10, pct_start = 0.6, three_phase = true>} {}

// -----

// expected-error @below {{expected a finite div_factor above 0, but got 0}}
module attributes {train.rule = #train.one_cycle<steps = 10, div_factor = 0.0>} {}

// -----

// expected-error @below {{expected low <= high, but got 1.000000e+00 and 0.000000e+00}}
module attributes {train.rule = #train.uniform<low = 1.0, high = 0.0>} {}

// -----

// expected-error @below {{expected a finite std of at least 0, but got -1}}
module attributes {train.rule = #train.truncated_normal<std = -1.0>} {}

// -----

// expected-error @below {{expected a finite mean, but got nan}}
module attributes {train.rule = #train.normal<mean = 0x7FF8000000000000>} {}

// -----

train.model @m {
  // expected-error @below {{expected static shapes, but got 'tensor<?xf32>'}}
  train.param @w : tensor<?xf32> = #train.zeros {frozen}
}

// -----

train.model @m {
  // expected-error @below {{expected tensors of at most 2^40 elements, but got 'tensor<9223372036854775807x4xf32>'}}
  train.buffer @w : tensor<9223372036854775807x4xf32> = #train.zeros
}

// -----

train.model @m {
  // expected-error @below {{expected elements of f64, f32, bf16, f16 or an integer of 1, 8, 16, 32 or 64 bits, but got 'tensor<4xcomplex<f32>>'}}
  train.param @w : tensor<4xcomplex<f32>> = #train.zeros {frozen}
}

// -----

train.model @m {
  // expected-error @below {{expected elements of f64, f32, bf16, f16 or an integer of 1, 8, 16, 32 or 64 bits, but got 'tensor<4xindex>'}}
  train.func @f(%x: tensor<4xindex>) {
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<8x4xf32>) {
    // expected-error @below {{expected a slice inside 'tensor<8x4xf32>', but in dimension 0 the slice goes from 0 to 9223372036854775807}}
    %0 = train.slice %x from [0, 0] sizes [3, 4] strides [4611686018427387904, 1] : tensor<8x4xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4xf32>) {
    // expected-error @below {{expected a size of 64 bits after padding 'tensor<4xf32>', but got more in dimension 0}}
    %0 = train.pad %x value 0.0 low [9223372036854775807] high [9223372036854775807] interior [0] : tensor<4xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<3x4xf32>) {
    // expected-error @below {{expected positive sizes with sum 4, but got [9223372036854775807, 9223372036854775807, 6]}}
    %0, %1, %2 = train.split %x into [9223372036854775807, 9223372036854775807, 6] along 1 : tensor<3x4xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<2x8x8x4xf32>, %w: tensor<6x3x3x4xf32>) {
    // expected-error @below {{expected 2 strides, 2 dilations and 4 paddings, each less than 2^31, but got}}
    %0 = train.conv2d %x, %w strides [1, 1] padding [0, 0, 0, 0] dilations [9223372036854775807, 1] : (tensor<2x8x8x4xf32>, tensor<6x3x3x4xf32>) -> tensor<2x10x6x6xf32>
    train.return
  }
}

// -----

// Inside a region too.
train.model @m {
  train.func @f(%x: tensor<8x4xf32>) -> tensor<f32> {
    %0 = amp.autocast bf16 -> tensor<f32> {
      // expected-error @below {{expected tensors of at most 2^40 elements}}
      %1 = train.broadcast_to %x : tensor<8x4xf32> to tensor<1099511627776x8x4xf32>
      %2 = train.reduce_sum %1 over [0, 1, 2] : tensor<1099511627776x8x4xf32>
      amp.yield %2 : tensor<f32>
    }
    train.return %0 : tensor<f32>
  }
}

// -----

// Labels are i32: the class 2^32 would be 0.
train.model @ignored {
  train.func @loss(%x: tensor<4x3xf32>, %l: tensor<4xi32>) -> tensor<f32> {
    // expected-error @below {{attribute 'ignore' failed to satisfy constraint: integer attribute that i32 holds}}
    %0 = train.softmax_cross_entropy %x, %l ignore 4294967296 : tensor<4x3xf32>, tensor<4xi32>
    train.return %0 : tensor<f32>
  }
}

// -----

train.model @padded {
  train.func @f(%t: tensor<4x3xf32>, %i: tensor<4xi32>) -> tensor<4x3xf32> {
    // expected-error @below {{attribute 'padding' failed to satisfy constraint: integer attribute that i32 holds}}
    %0 = train.embedding %t at %i padding 9223372036854775807 : tensor<4x3xf32>, tensor<4xi32>
    train.return %0 : tensor<4x3xf32>
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4xi1>) -> tensor<6xi1> {
    // expected-error@+1 {{expected a value that 'i1' holds, but got 2.000000e+00}}
    %0 = train.pad %x value 2.0 low [1] high [1] interior [0] : tensor<4xi1>
    train.return %0 : tensor<6xi1>
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4xi32>) -> tensor<6xi32> {
    // expected-error@+1 {{expected a value that 'i32' holds, but got 5.000000e-01}}
    %0 = train.pad %x value 0.5 low [1] high [1] interior [0] : tensor<4xi32>
    train.return %0 : tensor<6xi32>
  }
}

// -----

train.model @m {
  train.param @w : tensor<f32> = #train.zeros
  train.func @loss() {
    train.return %w
  }
  // expected-error@+2 {{expected a number, but got 1e5foo}}
  // expected-error@+1 {{failed to parse Train_SgdAttr parameter 'lr'}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 1e5foo>
}

// -----

train.model @m {
  train.param @w : tensor<f32> = #train.zeros
  train.func @loss() {
    train.return %w
  }
  // expected-error@+2 {{expected a number, but got 1e1_0}}
  // expected-error@+1 {{failed to parse Train_SgdAttr parameter 'lr'}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 1e1_0>
}

// -----

train.model @m {
  // expected-error @below {{but got 'tensor<4x8xsi8>'; integers are i8 and so on, of no sign, and inputs may be ui8}}
  train.func @f(%x: tensor<4x8xsi8>) {
    %f = train.cast %x to f32
    train.return %f
  }
}

// -----

train.model @m {
  // expected-error @below {{but got 'tensor<4xui8>'; ui8 is a type of inputs, which train.cast reads}}
  train.buffer @bytes : tensor<4xui8> = #train.zeros
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xui8>) {
    // expected-error @below {{'train.compare' op expected a train.cast of 'tensor<4x8xui8>': ui8 is a type of inputs, with which nothing computes}}
    %f = train.compare eq %x, %x
    train.return %f
  }
}

// -----

train.model @m {
  // expected-error @below {{but got 'tensor<8x4xui8>'; ui8 is a type of inputs, which train.cast reads}}
  train.func @f(%x: tensor<4x8xui8>) {
    %y = train.transpose %x [1, 0]
    train.return %y
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>) {
    // expected-error @below {{but got 'tensor<4x8xui8>'; ui8 is a type of inputs, which train.cast reads}}
    %y = train.cast %x to ui8
    train.return %x
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>) {
    // expected-error @below {{expected integers with is_unsigned, but got 'tensor<4x8xf32>'}}
    %y = train.cast %x {is_unsigned} to f64
    train.return %y
  }
}

// -----

train.model @m {
  // expected-error @below {{expected a file, and the name of a tensor if any, but got empty text}}
  train.param @w : f32[2] = #train.data<"w.safetensors", "">
}

// -----

// expected-error @below {{expected max_momentum in [0, 1), but got 1}}
module attributes {train.rule = #train.one_cycle<steps = 10, max_momentum = 1.0>} {}

// -----

// In f32 beta2 is 1, and a moment that keeps the whole old value has no share of a step as divisor.
// expected-error @below {{expected beta2 below 1 in f32, but got 1 - 1.000000e-08, which is rounded to 1}}
module attributes {train.rule = #train.adam<lr = 0.1, beta2 = 0.99999999>} {}

// -----

// expected-error @below {{expected f32 to hold eps, but got 1.000000e-50}}
module attributes {train.rule = #train.adam<lr = 0.1, eps = 1.0e-50>} {}

// -----

// expected-error @below {{expected f32 to hold lr, but got 1.000000e+39}}
module attributes {train.rule = #train.sgd<lr = 1.0e+39>} {}

// -----

// expected-error @below {{expected an eps1 of 0 or at least 1.1e-19, whose square f32 holds, but got 1.000000e-30}}
module attributes {train.rule = #train.adafactor<lr = 0.1, eps1 = 1.0e-30>} {}
