// Functions of f32 are approximations of the special function unit where all results of a kernel
// are numbers of 16 bits, or statistics of such a result; other kernels have the bits of CPUs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc-kernel-run --target=sm_80 --emit=ptx %s | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#row = affine_map<(d0, d1) -> (d0, d1)>
#stat = affine_map<(d0, d1) -> (d0, 0)>

// CHECK-LABEL: .entry model_k0_sm_80
// CHECK-DAG: ex2.approx.ftz.f32
// CHECK-DAG: rcp.approx.ftz.f32
// CHECK-DAG: rsqrt.approx.f32
// CHECK-DAG: div.full.f32
// A reciprocal of any number keeps denormals.
// CHECK-DAG: rcp.approx.f32
kernel.program @narrow(%x: tensor<64xf32>) -> tensor<64xbf16> {
  %y = kernel.map(%x : tensor<64xf32>) space [64] maps [#id] -> [#id] {
  ^bb0(%a: f32):
    %one = arith.constant 1.0 : f32
    %e = math.exp %a : f32
    %sum = arith.addf %one, %e : f32
    %sigmoid = arith.divf %one, %sum : f32
    %root = math.rsqrt %a : f32
    %inverse = arith.divf %one, %a : f32
    %quotient = arith.divf %root, %inverse : f32
    %0 = arith.mulf %sigmoid, %quotient : f32
    %1 = arith.truncf %0 : f32 to bf16
    kernel.yield %1 : bf16
  } : tensor<64xbf16>
  kernel.return %y : tensor<64xbf16>
}

// The statistic of a row of 16-bit numbers.
// CHECK-LABEL: .entry model_k1_sm_80
// CHECK: rsqrt.approx.f32
kernel.program @statistic(%x: tensor<64x32xf32>) -> (tensor<64x32xf16>, tensor<64x1xf32>) {
  %y:2 = kernel.map(%x : tensor<64x32xf32>) space [64, 32] maps [#row] -> [#row, #stat] {
  ^bb0(%a: f32):
    %square = arith.mulf %a, %a : f32
    %sum = kernel.row_reduce sum %square : f32
    %root = math.rsqrt %sum : f32
    %0 = arith.mulf %a, %root : f32
    %1 = arith.truncf %0 : f32 to f16
    kernel.yield %1, %root : f16, f32
  } : tensor<64x32xf16>, tensor<64x1xf32>
  kernel.return %y#0, %y#1 : tensor<64x32xf16>, tensor<64x1xf32>
}

// Results of f32.
// CHECK-LABEL: .entry model_k2_sm_80
// CHECK-NOT: approx
kernel.program @wide(%x: tensor<64xbf16>) -> tensor<64xf32> {
  %y = kernel.map(%x : tensor<64xbf16>) space [64] maps [#id] -> [#id] {
  ^bb0(%a: bf16):
    %0 = arith.extf %a : bf16 to f32
    %1 = math.exp %0 : f32
    %2 = math.rsqrt %1 : f32
    kernel.yield %2 : f32
  } : tensor<64xf32>
  kernel.return %y : tensor<64xf32>
}

// Weights in f32 beside their copy in bf16, as an update writes them.
// CHECK-LABEL: .entry model_k3_sm_80
// CHECK-NOT: approx
// CHECK: div.rn.f32
// CHECK-NOT: approx
kernel.program @update(%x: tensor<64xf32>, %g: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xbf16>) {
  %y:2 = kernel.map(%x, %g : tensor<64xf32>, tensor<64xf32>) space [64] maps [#id, #id] -> [#id, #id] {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.divf %a, %b : f32
    %1 = arith.truncf %0 : f32 to bf16
    kernel.yield %0, %1 : f32, bf16
  } : tensor<64xf32>, tensor<64xbf16>
  kernel.return %y#0, %y#1 : tensor<64xf32>, tensor<64xbf16>
}

// The floor of a quotient is 1 for 6 / 3 unless the quotient is exact.
// CHECK-LABEL: .entry model_k4_sm_80
// CHECK-NOT: approx
// CHECK: div.rn.f32
// CHECK-NOT: approx
kernel.program @floor(%x: tensor<64xf32>) -> tensor<64xf16> {
  %y = kernel.map(%x : tensor<64xf32>) space [64] maps [#id] -> [#id] {
  ^bb0(%a: f32):
    %three = arith.constant 3.0 : f32
    %0 = arith.divf %a, %three : f32
    %1 = arith.addf %0, %three : f32
    %2 = math.floor %1 : f32
    %3 = arith.truncf %2 : f32 to f16
    kernel.yield %3 : f16
  } : tensor<64xf16>
  kernel.return %y : tensor<64xf16>
}
