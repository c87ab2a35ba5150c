// Products of 16-bit numbers on matrix units: the instructions of a step of 32 of a tile of 128 x 128, and other forms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc-kernel-run --target=sm_80 --emit=nvvm %s | FileCheck %s --check-prefix=FORM
// RUN: ampc-kernel-run --target=sm_75 --emit=nvvm %s | FileCheck %s --check-prefix=OLD
// RUN: ampc-kernel-run --target=sm_80 --emit=ptx %s > %t
// RUN: FileCheck %s --input-file=%t
// RUN: FileCheck %s --input-file=%t --check-prefix=LAST --implicit-check-not=.local

// FORM: form = "tiles of 128x128x32 in 4 stages, sides along k and n, copies of 16 and 16 bytes"
// FORM-SAME: grid = [256, 1, 1], block = [128, 1, 1], cluster = [1, 1, 1], shared = 65536
// FORM-SAME: form = "tiles of 64x64x16 in 2 stages, sides along k and n, copies of 16 and 16 bytes, without matrix units: the operands are f32"
// FORM-SAME: grid = [1, 1, 1], block = [256, 1, 1], cluster = [1, 1, 1], shared = 16384
// FORM-SAME: form = "tiles of 64x64x64 in 4 stages, sides along m and k, copies of 4 and 2 bytes"
// FORM-SAME: form = "tiles of {{[^"]*}}, sides along k and n, copies of 2 and 16 bytes"
// FORM-SAME: form = "tiles of {{[^"]*}}, sides along k and n, copies of 16 and 16 bytes"
// OLD: form = "tiles of 128x128x16 in 2 stages, sides along k and n, copies of 16 and 16 bytes, without matrix units: the chip has none for the operands"
// OLD: form = "tiles of 64x64x32 in 2 stages, sides along m and k, copies of 4 and 2 bytes"

// Three steps start. Each 16 points of k of the loop take 4 + 4 fragments and 32 products, and a step one barrier and 8 copies of 16 bytes.
// CHECK-LABEL: .visible .entry model_k0_sm_80(
// CHECK-COUNT-24: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16;
// CHECK: cp.async.commit_group;
// CHECK-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK-COUNT-32: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK-COUNT-32: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK-NOT: {{mma.sync|bar.sync}}
// CHECK: cp.async.wait_group 2;
// CHECK-NEXT: bar.sync 0;
// CHECK-COUNT-8: cp.async.cg.shared.global
// CHECK-NOT: {{cp.async.cg|cp.async.wait_group}}
// CHECK: bar.sync 0;
// Sums as vectors; results of eight columns.
// CHECK: st.shared.v2.b32
// CHECK: bar.warp.sync
// CHECK: ld.shared.v4.b32
// CHECK: st.global.v4.b32
// LAST: .visible .entry model_k2_sm_80(
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#at = affine_map<(d0, d1, d2) -> (d2, d0)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#bt = affine_map<(d0, d1, d2) -> (d1, d2)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#columns = affine_map<(d0, d1) -> (d1)>
kernel.program @large(%x: tensor<2048x256xbf16>, %w: tensor<256x2048xbf16>, %bias: tensor<2048xf32>) -> tensor<2048x2048xbf16> {
  %y = kernel.gemm %x, %w : tensor<2048x256xbf16>, tensor<256x2048xbf16> acc f32 maps [#a, #b] space [2048, 2048] depth 256
      epilogue (%bias : tensor<2048xf32>) maps [#columns] -> [#id] {
  ^bb0(%sum: f32, %b: f32):
    %0 = arith.addf %sum, %b : f32
    %1 = arith.truncf %0 : f32 to bf16
    kernel.yield %1 : bf16
  } : tensor<2048x2048xbf16>
  kernel.return %y : tensor<2048x2048xbf16>
}

kernel.program @single(%x: tensor<64x32xf32>, %w: tensor<32x64xf32>) -> tensor<64x64xf32> {
  %y = kernel.gemm %x, %w : tensor<64x32xf32>, tensor<32x64xf32> acc f32 maps [#a, #b] space [64, 64] depth 32
      epilogue () maps [] -> [#id] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<64x64xf32>
  kernel.return %y : tensor<64x64xf32>
}

kernel.program @anywhere(%x: tensor<33x70xf16>, %w: tensor<45x33xf16>) -> tensor<70x45xf32> {
  %y = kernel.gemm %x, %w : tensor<33x70xf16>, tensor<45x33xf16> acc f32 maps [#at, #bt] space [70, 45] depth 33
      epilogue () maps [] -> [#id] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<70x45xf32>
  kernel.return %y : tensor<70x45xf32>
}

// A line of five elements may be a slice that starts at any address.
kernel.program @slice(%x: tensor<1x5xbf16> {train.is = #train.input<"x", batch = 0>}, %next: tensor<1x5xbf16> {train.is = #train.input<"x", batch = 0, part = 1>}, %w: tensor<5x48xbf16>) -> tensor<1x48xf32> {
  %y = kernel.gemm %x, %w : tensor<1x5xbf16>, tensor<5x48xbf16> acc f32 maps [#a, #b] space [1, 48] depth 5
      epilogue () maps [] -> [#id] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<1x48xf32>
  kernel.return %y : tensor<1x48xf32>
}

// The same of a whole tensor.
kernel.program @one_line(%x: tensor<1x5xbf16>, %w: tensor<5x48xbf16>) -> tensor<1x48xf32> {
  %y = kernel.gemm %x, %w : tensor<1x5xbf16>, tensor<5x48xbf16> acc f32 maps [#a, #b] space [1, 48] depth 5
      epilogue () maps [] -> [#id] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<1x48xf32>
  kernel.return %y : tensor<1x48xf32>
}
