// The plain forms: functions, launches, loads from global memory, one rounding per term.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc-kernel-run --target=sm_80 --emit=nvvm %s | FileCheck %s --check-prefix=NVVM
// RUN: ampc-kernel-run --target=sm_80 --emit=ptx %s | FileCheck %s --check-prefix=PTX --implicit-check-not=.ftz --implicit-check-not=approx --implicit-check-not=call

// NVVM: module attributes {kernel.functions = [
// NVVM-SAME: {form = "8 points a thread", launches = [#kernel.launch<"model_k0_sm_80", grid = [1, 1, 1], block = [128, 1, 1], cluster = [1, 1, 1], shared = 0>], name = "model_k0", tiers = ["sm_80"]}
// NVVM-SAME: {form = "rows of sixteen threads, in registers", launches = [#kernel.launch<"model_k1_sm_80", grid = [5, 1, 1], block = [128, 1, 1], cluster = [1, 1, 1], shared = 0>], name = "model_k1"
// NVVM-SAME: launches = [#kernel.launch<"model_k2_sm_80", {{.*}}>, #kernel.launch<"model_k2_sm_80_1", {{.*}}>], name = "model_k2"
// NVVM: module @tier_sm_80 attributes {kernel.tier = "sm_80"}
// NVVM: llvm.func @model_k0_sm_80(%{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>}

// PTX: .target sm_80
#id = affine_map<(d0, d1) -> (d0, d1)>
// Eight points per thread.
// PTX-LABEL: .visible .entry model_k0_sm_80(
// PTX: .reqntid 128, 1, 1
// PTX: setp.gt.u32 {{.*}}, 110;
// PTX: ld.global.v4.b32
// PTX-COUNT-8: ex2.approx.ftz.f32
// PTX: cvt.rn.bf16
// PTX: st.global.v4.b32
kernel.program @points(%x: tensor<24x37xbf16>) -> tensor<24x37xbf16> {
  %y = kernel.map(%x : tensor<24x37xbf16>) space [24, 37] maps [#id] -> [#id] {
  ^bb0(%a: bf16):
    %0 = arith.extf %a : bf16 to f32
    %1 = math.exp %0 : f32
    %2 = arith.truncf %1 : f32 to bf16
    kernel.yield %2 : bf16
  } : tensor<24x37xbf16>
  kernel.return %y : tensor<24x37xbf16>
}

// Sixteen threads per row, which hold inputs in vectors; sums are combined in the order of the lanes of a CPU's vector.
// PTX-LABEL: .visible .entry model_k1_sm_80(
// PTX: .maxnreg 255
// PTX-COUNT-3: ld.global.v4.b32
// PTX: shfl.sync.idx.b32
// PTX-NOT: ld.global
// PTX: div.rn.f32
// PTX: st.global.v4.b32
kernel.program @rows(%x: tensor<37x200xf32>) -> tensor<37x200xf32> {
  %y = kernel.map(%x : tensor<37x200xf32>) space [37, 200] maps [#id] -> [#id] {
  ^bb0(%a: f32):
    %0 = kernel.row_reduce sum %a : f32
    %1 = arith.divf %a, %0 : f32
    kernel.yield %1 : f32
  } : tensor<37x200xf32>
  kernel.return %y : tensor<37x200xf32>
}

// Two parts of a sum, and a launch that adds the parts.
// PTX-LABEL: .visible .entry model_k2_sm_80(
// PTX: add.rn.f32
// PTX-LABEL: .visible .entry model_k2_sm_80_1(
#in = affine_map<(d0, d1, d2) -> (d1, d2)>
#out = affine_map<(d0, d1, d2) -> (d2)>
kernel.program @columns(%x: tensor<512x64xf32>) -> tensor<64xf32> {
  %y = kernel.reduce sum(%x : tensor<512x64xf32>) space [1, 512, 64] maps [#in] -> [#out] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<64xf32>
  kernel.return %y : tensor<64xf32>
}

// A sum of doubles per thread.
// PTX-LABEL: .visible .entry model_k3_sm_80(
// PTX: fma.rn.f64
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
kernel.program @product(%x: tensor<8x6xf64>, %w: tensor<6x4xf64>) -> tensor<8x4xf64> {
  %y = kernel.gemm %x, %w : tensor<8x6xf64>, tensor<6x4xf64> acc f64 maps [#a, #b] space [8, 4] depth 6 epilogue () maps [] -> [#id] {
  ^bb0(%sum: f64):
    kernel.yield %sum : f64
  } : tensor<8x4xf64>
  kernel.return %y : tensor<8x4xf64>
}

// Four points per thread: vectors of 16 and of 8 bytes, and a single load of the shared operand.
// PTX-LABEL: .visible .entry model_k4_sm_80(
// PTX-DAG: ld.global.v4.b32
// PTX-DAG: ld.global.b32
// PTX: st.global.v2.b32
#rows = affine_map<(d0, d1) -> (d0)>
kernel.program @vectors(%x: tensor<64x48xf32>, %s: tensor<64xf32>) -> tensor<64x48xbf16> {
  %y = kernel.map(%x, %s : tensor<64x48xf32>, tensor<64xf32>) space [64, 48] maps [#id, #rows] -> [#id] {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.truncf %0 : f32 to bf16
    kernel.yield %1 : bf16
  } : tensor<64x48xbf16>
  kernel.return %y : tensor<64x48xbf16>
}
