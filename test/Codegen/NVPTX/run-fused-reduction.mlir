// Totals of values that several blocks store: from registers, or read again by another launch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc-kernel-run --target=sm_80 --reductions %s | FileCheck %s --implicit-check-not=FAILED
// RUN: ampc-kernel-run --target=sm_90a --reductions %s | FileCheck %s --check-prefix=HOPPER --implicit-check-not=FAILED
// RUN: ampc-kernel-run --target=sm_80 --reductions --emit=ptx %s | FileCheck %s --check-prefix=PTX

// CHECK: model_k0_sm_80: 2 launches, {{.*}} ok
// CHECK: model_k1_sm_80: 2 launches, {{.*}} ok
// CHECK: model_k2_sm_80: 2 launches, {{.*}} ok
// CHECK: model_k3_sm_80: 2 launches, {{.*}} ok
// CHECK: model_k4_sm_80: 2 launches, {{.*}} ok
// HOPPER-COUNT-5: {{.*}} 2 launches, {{.*}} ok

// A map, which is read again; the last of three blocks adds up all parts.
// PTX-LABEL: .entry model_k0_sm_80_1(
// PTX: fence.acq_rel.gpu
// PTX: atom.{{.*}}add
// PTX: fence.acq_rel.gpu
kernel.program @again(%a: tensor<150x271xf32>) -> tensor<150x271xf32> {
  %r = kernel.map(%a : tensor<150x271xf32>) space [150, 271] maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>]
    attributes {test.tolerance = 0.00003} {
  ^bb0(%x: f32):
    %0 = arith.mulf %x, %x : f32
    kernel.yield %0 : f32
  } : tensor<150x271xf32>
  kernel.return %r : tensor<150x271xf32>
}

// A product in parts: the launch that adds up the parts has the totals.
// PTX-LABEL: .entry model_k1_sm_80_1(
// PTX: atom.{{.*}}add
kernel.program @parts(%a: tensor<2048x72xbf16>, %b: tensor<2048x80xbf16>) -> tensor<72x80xf32> {
  %r = kernel.gemm %a, %b : tensor<2048x72xbf16>, tensor<2048x80xbf16> acc f32
    maps [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>] space [72, 80] depth 2048
    epilogue () maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] attributes {test.tolerance = 0.00003} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<72x80xf32>
  kernel.return %r : tensor<72x80xf32>
}

// A product without parts: the only launch finds parts of totals, and another launch adds up the totals.
// PTX-LABEL: .entry model_k2_sm_80(
// PTX-NOT: atom
// PTX-LABEL: .entry model_k2_sm_80_1(
// PTX-NOT: atom
kernel.program @whole(%a: tensor<264x72xbf16>, %b: tensor<200x72xbf16>) -> tensor<264x200xf32> {
  %r = kernel.gemm %a, %b : tensor<264x72xbf16>, tensor<200x72xbf16> acc f32
    maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>] space [264, 200] depth 72
    epilogue () maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] attributes {test.tolerance = 0.00003} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<264x200xf32>
  kernel.return %r : tensor<264x200xf32>
}

// Sums of chunks of rows.
// PTX-LABEL: .entry model_k3_sm_80_1(
// PTX: atom.{{.*}}add
kernel.program @sums(%a: tensor<700x600xf32>) -> tensor<600xf32> {
  %r = kernel.reduce sum (%a : tensor<700x600xf32>) space [1, 700, 600] maps [affine_map<(o, r, i) -> (r, i)>] -> [affine_map<(o, r, i) -> (i)>]
    attributes {test.tolerance = 0.00003} {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } : tensor<600xf32>
  kernel.return %r : tensor<600xf32>
}

// More parts of totals than threads that add up: a warp reads neighbours.
// PTX-LABEL: .entry model_k4_sm_80_1(
// PTX: add.rn.f32
// PTX-NEXT: add.s64 {{.*}}, 1024;
kernel.program @many(%a: tensor<8x8xbf16>, %b: tensor<12296x8xbf16>) -> tensor<8x12296xf32> {
  %r = kernel.gemm %a, %b : tensor<8x8xbf16>, tensor<12296x8xbf16> acc f32
    maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>] space [8, 12296] depth 8
    epilogue () maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] attributes {test.tolerance = 0.00003} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<8x12296xf32>
  kernel.return %r : tensor<8x12296xf32>
}
