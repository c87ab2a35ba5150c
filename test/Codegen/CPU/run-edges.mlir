// RUN: ampc-kernel-run %s | FileCheck %s --implicit-check-not=FAILED --implicit-check-not=calls
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions and conversions of random bit patterns: NaN, infinities, denormals, halves.

// CHECK-COUNT-25: _plain: {{.*}}ok

// Random bits: to_bf16.
kernel.program @to_bf16(%i0: tensor<4003xf32>) -> (tensor<4003xbf16>) {
  %r:1 = kernel.map(%i0 : tensor<4003xf32>) space [4003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.patterns, test.tolerance = 0.0} {
  ^bb0(%a0: f32):
    %y = arith.truncf %a0 : f32 to bf16
    kernel.yield %y : bf16
  } : tensor<4003xbf16>
  kernel.return %r#0 : tensor<4003xbf16>
}

// Random bits: to_f16.
kernel.program @to_f16(%i0: tensor<4003xf32>) -> (tensor<4003xf16>) {
  %r:1 = kernel.map(%i0 : tensor<4003xf32>) space [4003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.patterns, test.tolerance = 0.0} {
  ^bb0(%a0: f32):
    %y = arith.truncf %a0 : f32 to f16
    kernel.yield %y : f16
  } : tensor<4003xf16>
  kernel.return %r#0 : tensor<4003xf16>
}

// Random bits: d_to_f16.
kernel.program @d_to_f16(%i0: tensor<4003xf64>) -> (tensor<4003xf16>) {
  %r:1 = kernel.map(%i0 : tensor<4003xf64>) space [4003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.patterns, test.tolerance = 0.0} {
  ^bb0(%a0: f64):
    %y = arith.truncf %a0 : f64 to f16
    kernel.yield %y : f16
  } : tensor<4003xf16>
  kernel.return %r#0 : tensor<4003xf16>
}

// Random bits: from_f16.
kernel.program @from_f16(%i0: tensor<4003xf16>) -> (tensor<4003xf32>) {
  %r:1 = kernel.map(%i0 : tensor<4003xf16>) space [4003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.patterns, test.tolerance = 0.0} {
  ^bb0(%a0: f16):
    %y = arith.extf %a0 : f16 to f32
    kernel.yield %y : f32
  } : tensor<4003xf32>
  kernel.return %r#0 : tensor<4003xf32>
}

// Random bits: from_bf16.
kernel.program @from_bf16(%i0: tensor<4003xbf16>) -> (tensor<4003xf32>) {
  %r:1 = kernel.map(%i0 : tensor<4003xbf16>) space [4003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.patterns, test.tolerance = 0.0} {
  ^bb0(%a0: bf16):
    %y = arith.extf %a0 : bf16 to f32
    kernel.yield %y : f32
  } : tensor<4003xf32>
  kernel.return %r#0 : tensor<4003xf32>
}

// Random bits: f16tof64.
kernel.program @f16tof64(%i0: tensor<4003xf16>) -> (tensor<4003xf64>) {
  %r:1 = kernel.map(%i0 : tensor<4003xf16>) space [4003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.patterns, test.tolerance = 0.0} {
  ^bb0(%a0: f16):
    %y = arith.extf %a0 : f16 to f64
    kernel.yield %y : f64
  } : tensor<4003xf64>
  kernel.return %r#0 : tensor<4003xf64>
}

// Random bits: exp.
kernel.program @exp(%i0: tensor<4003xf32>) -> (tensor<4003xf32>) {
  %r:1 = kernel.map(%i0 : tensor<4003xf32>) space [4003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.patterns, test.tolerance = 3.0e-7} {
  ^bb0(%a0: f32):
    %y = math.exp %a0 : f32
    kernel.yield %y : f32
  } : tensor<4003xf32>
  kernel.return %r#0 : tensor<4003xf32>
}

// Random bits: log.
kernel.program @log(%i0: tensor<4003xf32>) -> (tensor<4003xf32>) {
  %r:1 = kernel.map(%i0 : tensor<4003xf32>) space [4003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.patterns, test.tolerance = 3.0e-7} {
  ^bb0(%a0: f32):
    %y = math.log %a0 : f32
    kernel.yield %y : f32
  } : tensor<4003xf32>
  kernel.return %r#0 : tensor<4003xf32>
}

// Random bits: log1p.
kernel.program @log1p(%i0: tensor<4003xf32>) -> (tensor<4003xf32>) {
  %r:1 = kernel.map(%i0 : tensor<4003xf32>) space [4003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.patterns, test.tolerance = 3.0e-7} {
  ^bb0(%a0: f32):
    %y = math.log1p %a0 : f32
    kernel.yield %y : f32
  } : tensor<4003xf32>
  kernel.return %r#0 : tensor<4003xf32>
}

// Random bits: tanh.
kernel.program @tanh(%i0: tensor<4003xf32>) -> (tensor<4003xf32>) {
  %r:1 = kernel.map(%i0 : tensor<4003xf32>) space [4003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.patterns, test.tolerance = 3.0e-7} {
  ^bb0(%a0: f32):
    %y = math.tanh %a0 : f32
    kernel.yield %y : f32
  } : tensor<4003xf32>
  kernel.return %r#0 : tensor<4003xf32>
}

// Random bits: erf.
kernel.program @erf(%i0: tensor<4003xf32>) -> (tensor<4003xf32>) {
  %r:1 = kernel.map(%i0 : tensor<4003xf32>) space [4003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.patterns, test.tolerance = 3.0e-7} {
  ^bb0(%a0: f32):
    %y = math.erf %a0 : f32
    kernel.yield %y : f32
  } : tensor<4003xf32>
  kernel.return %r#0 : tensor<4003xf32>
}

// Random bits: sin.
kernel.program @sin(%i0: tensor<4003xf32>) -> (tensor<4003xf32>) {
  %r:1 = kernel.map(%i0 : tensor<4003xf32>) space [4003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.patterns, test.tolerance = 6.0e-8} {
  ^bb0(%a0: f32):
    %y = math.sin %a0 : f32
    kernel.yield %y : f32
  } : tensor<4003xf32>
  kernel.return %r#0 : tensor<4003xf32>
}

// Random bits: cos.
kernel.program @cos(%i0: tensor<4003xf32>) -> (tensor<4003xf32>) {
  %r:1 = kernel.map(%i0 : tensor<4003xf32>) space [4003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.patterns, test.tolerance = 6.0e-8} {
  ^bb0(%a0: f32):
    %y = math.cos %a0 : f32
    kernel.yield %y : f32
  } : tensor<4003xf32>
  kernel.return %r#0 : tensor<4003xf32>
}

// Random bits: pow.
kernel.program @pow(%i0: tensor<4003xf32>, %i1: tensor<4003xf32>) -> (tensor<4003xf32>) {
  %r:1 = kernel.map(%i0, %i1 : tensor<4003xf32>, tensor<4003xf32>) space [4003]
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.patterns, test.tolerance = 3.0e-7} {
  ^bb0(%a0: f32, %a1: f32):
    %y = math.powf %a0, %a1 : f32
    kernel.yield %y : f32
  } : tensor<4003xf32>
  kernel.return %r#0 : tensor<4003xf32>
}

// Random bits: sqrt.
kernel.program @sqrt(%i0: tensor<4003xf32>) -> (tensor<4003xf32>) {
  %r:1 = kernel.map(%i0 : tensor<4003xf32>) space [4003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.patterns, test.tolerance = 0.0} {
  ^bb0(%a0: f32):
    %y = math.sqrt %a0 : f32
    kernel.yield %y : f32
  } : tensor<4003xf32>
  kernel.return %r#0 : tensor<4003xf32>
}

// Random bits: floor.
kernel.program @floor(%i0: tensor<4003xf32>) -> (tensor<4003xf32>) {
  %r:1 = kernel.map(%i0 : tensor<4003xf32>) space [4003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.patterns, test.tolerance = 0.0} {
  ^bb0(%a0: f32):
    %y = math.floor %a0 : f32
    kernel.yield %y : f32
  } : tensor<4003xf32>
  kernel.return %r#0 : tensor<4003xf32>
}

// Random bits: floor64.
kernel.program @floor64(%i0: tensor<4003xf64>) -> (tensor<4003xf64>) {
  %r:1 = kernel.map(%i0 : tensor<4003xf64>) space [4003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.patterns, test.tolerance = 0.0} {
  ^bb0(%a0: f64):
    %y = math.floor %a0 : f64
    kernel.yield %y : f64
  } : tensor<4003xf64>
  kernel.return %r#0 : tensor<4003xf64>
}

// Random bits: ceil.
kernel.program @ceil(%i0: tensor<4003xf32>) -> (tensor<4003xf32>) {
  %r:1 = kernel.map(%i0 : tensor<4003xf32>) space [4003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.patterns, test.tolerance = 0.0} {
  ^bb0(%a0: f32):
    %y = math.ceil %a0 : f32
    kernel.yield %y : f32
  } : tensor<4003xf32>
  kernel.return %r#0 : tensor<4003xf32>
}

// Random bits: ceil64.
kernel.program @ceil64(%i0: tensor<4003xf64>) -> (tensor<4003xf64>) {
  %r:1 = kernel.map(%i0 : tensor<4003xf64>) space [4003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.patterns, test.tolerance = 0.0} {
  ^bb0(%a0: f64):
    %y = math.ceil %a0 : f64
    kernel.yield %y : f64
  } : tensor<4003xf64>
  kernel.return %r#0 : tensor<4003xf64>
}

// Random bits: round.
kernel.program @round(%i0: tensor<4003xf32>) -> (tensor<4003xf32>) {
  %r:1 = kernel.map(%i0 : tensor<4003xf32>) space [4003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.patterns, test.tolerance = 0.0} {
  ^bb0(%a0: f32):
    %y = math.round %a0 : f32
    kernel.yield %y : f32
  } : tensor<4003xf32>
  kernel.return %r#0 : tensor<4003xf32>
}

// Random bits: round64.
kernel.program @round64(%i0: tensor<4003xf64>) -> (tensor<4003xf64>) {
  %r:1 = kernel.map(%i0 : tensor<4003xf64>) space [4003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.patterns, test.tolerance = 0.0} {
  ^bb0(%a0: f64):
    %y = math.round %a0 : f64
    kernel.yield %y : f64
  } : tensor<4003xf64>
  kernel.return %r#0 : tensor<4003xf64>
}

// Random bits: roundeven.
kernel.program @roundeven(%i0: tensor<4003xf32>) -> (tensor<4003xf32>) {
  %r:1 = kernel.map(%i0 : tensor<4003xf32>) space [4003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.patterns, test.tolerance = 0.0} {
  ^bb0(%a0: f32):
    %y = math.roundeven %a0 : f32
    kernel.yield %y : f32
  } : tensor<4003xf32>
  kernel.return %r#0 : tensor<4003xf32>
}

// Random bits: roundeven64.
kernel.program @roundeven64(%i0: tensor<4003xf64>) -> (tensor<4003xf64>) {
  %r:1 = kernel.map(%i0 : tensor<4003xf64>) space [4003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.patterns, test.tolerance = 0.0} {
  ^bb0(%a0: f64):
    %y = math.roundeven %a0 : f64
    kernel.yield %y : f64
  } : tensor<4003xf64>
  kernel.return %r#0 : tensor<4003xf64>
}

// Random bits: trunc.
kernel.program @trunc(%i0: tensor<4003xf32>) -> (tensor<4003xf32>) {
  %r:1 = kernel.map(%i0 : tensor<4003xf32>) space [4003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.patterns, test.tolerance = 0.0} {
  ^bb0(%a0: f32):
    %y = math.trunc %a0 : f32
    kernel.yield %y : f32
  } : tensor<4003xf32>
  kernel.return %r#0 : tensor<4003xf32>
}

// Random bits: trunc64.
kernel.program @trunc64(%i0: tensor<4003xf64>) -> (tensor<4003xf64>) {
  %r:1 = kernel.map(%i0 : tensor<4003xf64>) space [4003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.patterns, test.tolerance = 0.0} {
  ^bb0(%a0: f64):
    %y = math.trunc %a0 : f64
    kernel.yield %y : f64
  } : tensor<4003xf64>
  kernel.return %r#0 : tensor<4003xf64>
}
