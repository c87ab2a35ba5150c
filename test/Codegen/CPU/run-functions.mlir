// RUN: ampc-kernel-run %s | FileCheck %s --implicit-check-not=FAILED --implicit-check-not=calls
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of f32 on every tier of this processor, against an interpreter. The plain tier runs everywhere.

// CHECK-COUNT-12: _plain: {{.*}}ok

// exp in [-30.0, 2.0).
kernel.program @exp(%i0: tensor<1003xf32>) -> (tensor<1003xf32>) {
  %r:1 = kernel.map(%i0 : tensor<1003xf32>) space [1003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.low = -30.0, test.high = 2.0, test.tolerance = 3.0e-7} {
  ^bb0(%a0: f32):
    %y = math.exp %a0 : f32
    kernel.yield %y : f32
  } : tensor<1003xf32>
  kernel.return %r#0 : tensor<1003xf32>
}

// log in [1.0e-6, 100.0).
kernel.program @log(%i0: tensor<1003xf32>) -> (tensor<1003xf32>) {
  %r:1 = kernel.map(%i0 : tensor<1003xf32>) space [1003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.low = 1.0e-6, test.high = 100.0, test.tolerance = 5.0e-7} {
  ^bb0(%a0: f32):
    %y = math.log %a0 : f32
    kernel.yield %y : f32
  } : tensor<1003xf32>
  kernel.return %r#0 : tensor<1003xf32>
}

// log1p in [-0.9, 10.0).
kernel.program @log1p(%i0: tensor<1003xf32>) -> (tensor<1003xf32>) {
  %r:1 = kernel.map(%i0 : tensor<1003xf32>) space [1003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.low = -0.9, test.high = 10.0, test.tolerance = 5.0e-7} {
  ^bb0(%a0: f32):
    %y = math.log1p %a0 : f32
    kernel.yield %y : f32
  } : tensor<1003xf32>
  kernel.return %r#0 : tensor<1003xf32>
}

// tanh in [-8.0, 8.0).
kernel.program @tanh(%i0: tensor<1003xf32>) -> (tensor<1003xf32>) {
  %r:1 = kernel.map(%i0 : tensor<1003xf32>) space [1003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.low = -8.0, test.high = 8.0, test.tolerance = 3.0e-7} {
  ^bb0(%a0: f32):
    %y = math.tanh %a0 : f32
    kernel.yield %y : f32
  } : tensor<1003xf32>
  kernel.return %r#0 : tensor<1003xf32>
}

// erf in [-4.0, 4.0).
kernel.program @erf(%i0: tensor<1003xf32>) -> (tensor<1003xf32>) {
  %r:1 = kernel.map(%i0 : tensor<1003xf32>) space [1003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.low = -4.0, test.high = 4.0, test.tolerance = 3.0e-7} {
  ^bb0(%a0: f32):
    %y = math.erf %a0 : f32
    kernel.yield %y : f32
  } : tensor<1003xf32>
  kernel.return %r#0 : tensor<1003xf32>
}

// sin in [-10.0, 10.0).
kernel.program @sin(%i0: tensor<1003xf32>) -> (tensor<1003xf32>) {
  %r:1 = kernel.map(%i0 : tensor<1003xf32>) space [1003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.low = -10.0, test.high = 10.0, test.tolerance = 6.0e-8} {
  ^bb0(%a0: f32):
    %y = math.sin %a0 : f32
    kernel.yield %y : f32
  } : tensor<1003xf32>
  kernel.return %r#0 : tensor<1003xf32>
}

// sin_large in [1.0e+10, 1.0e+30).
kernel.program @sin_large(%i0: tensor<1003xf32>) -> (tensor<1003xf32>) {
  %r:1 = kernel.map(%i0 : tensor<1003xf32>) space [1003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.low = 1.0e+10, test.high = 1.0e+30, test.tolerance = 6.0e-8} {
  ^bb0(%a0: f32):
    %y = math.sin %a0 : f32
    kernel.yield %y : f32
  } : tensor<1003xf32>
  kernel.return %r#0 : tensor<1003xf32>
}

// cos in [-1000.0, 1000.0).
kernel.program @cos(%i0: tensor<1003xf32>) -> (tensor<1003xf32>) {
  %r:1 = kernel.map(%i0 : tensor<1003xf32>) space [1003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.low = -1000.0, test.high = 1000.0, test.tolerance = 6.0e-8} {
  ^bb0(%a0: f32):
    %y = math.cos %a0 : f32
    kernel.yield %y : f32
  } : tensor<1003xf32>
  kernel.return %r#0 : tensor<1003xf32>
}

// pow in [1.0e-3, 20.0).
kernel.program @pow(%i0: tensor<1003xf32>, %i1: tensor<1003xf32>) -> (tensor<1003xf32>) {
  %r:1 = kernel.map(%i0, %i1 : tensor<1003xf32>, tensor<1003xf32>) space [1003]
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.low = 1.0e-3, test.high = 20.0, test.tolerance = 1.0e-7} {
  ^bb0(%a0: f32, %a1: f32):
    %y = math.powf %a0, %a1 : f32
    kernel.yield %y : f32
  } : tensor<1003xf32>
  kernel.return %r#0 : tensor<1003xf32>
}

// pow_negative in [-3.0, 3.0).
kernel.program @pow_negative(%i0: tensor<1003xf32>, %i1: tensor<1003xf32>) -> (tensor<1003xf32>) {
  %r:1 = kernel.map(%i0, %i1 : tensor<1003xf32>, tensor<1003xf32>) space [1003]
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.low = -3.0, test.high = 3.0, test.tolerance = 1.0e-7} {
  ^bb0(%a0: f32, %a1: f32):
    %y = math.powf %a0, %a1 : f32
    kernel.yield %y : f32
  } : tensor<1003xf32>
  kernel.return %r#0 : tensor<1003xf32>
}

// rounding in [-9.0, 9.0).
kernel.program @rounding(%i0: tensor<1003xf32>) -> (tensor<1003xf32>) {
  %r:1 = kernel.map(%i0 : tensor<1003xf32>) space [1003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.low = -9.0, test.high = 9.0, test.tolerance = 0.0} {
  ^bb0(%a0: f32):
    %f = math.floor %a0 : f32
    %c = math.ceil %a0 : f32
    %r = math.round %a0 : f32
    %e = math.roundeven %a0 : f32
    %t = math.trunc %a0 : f32
    %1 = arith.mulf %f, %c : f32
    %2 = arith.mulf %r, %e : f32
    %3 = arith.subf %1, %2 : f32
    %4 = arith.addf %3, %t : f32
    kernel.yield %4 : f32
  } : tensor<1003xf32>
  kernel.return %r#0 : tensor<1003xf32>
}

// sqrt in [0.0, 9.0).
kernel.program @sqrt(%i0: tensor<1003xf32>) -> (tensor<1003xf32>) {
  %r:1 = kernel.map(%i0 : tensor<1003xf32>) space [1003]
      maps [affine_map<(d0) -> (d0)>]
        -> [affine_map<(d0) -> (d0)>] attributes {test.low = 0.0, test.high = 9.0, test.tolerance = 0.0} {
  ^bb0(%a0: f32):
    %y = math.sqrt %a0 : f32
    kernel.yield %y : f32
  } : tensor<1003xf32>
  kernel.return %r#0 : tensor<1003xf32>
}
