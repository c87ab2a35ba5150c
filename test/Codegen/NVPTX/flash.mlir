// Attention of 16-bit numbers on matrix units: the instructions of a tile of 128 queries by 64 keys, and the reasons of plain forms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc-kernel-run --target=sm_80 --emit=nvvm %s | FileCheck %s --check-prefix=FORM
// RUN: ampc-kernel-run --target=sm_75 --emit=nvvm %s | FileCheck %s --check-prefix=OLD
// RUN: ampc-kernel-run --target=sm_80 --emit=ptx %s > %t
// RUN: FileCheck %s --input-file=%t
// RUN: FileCheck %s --input-file=%t --check-prefix=ALL --implicit-check-not=.local --implicit-check-not=atom. --implicit-check-not=red.global.add
// RUN: FileCheck %s --input-file=%t --check-prefix=GRAD
// RUN: ampc-kernel-run --target=sm_90a --emit=ptx %s | FileCheck %s --check-prefix=WGMMA --implicit-check-not=mma.sync. --implicit-check-not=ldmatrix
// RUN: %python %S/Inputs/flash.py plain | ampc-kernel-run --target=sm_80 --emit=nvvm - | FileCheck %s --check-prefix=PLAIN

// FORM: form = "flash: tiles of 128x64 scores in 2 stages"
// FORM-SAME: grid = [16, 1, 1], block = [128, 1, 1], cluster = [1, 1, 1], shared = 49152
// FORM-SAME: form = "flash: tiles of 128x64 scores in 2 stages, tiles of 128x64 scores in 2 stages"
// OLD: form = "plain: the chip copies nothing asynchronously"
// OLD: form = "plain: the chip copies nothing asynchronously"
// PLAIN-COUNT-2: form = "plain: a row has or starts at an odd number of elements"
// PLAIN-COUNT-2: form = "plain: channels of a row are not neighbours"
// PLAIN-COUNT-2: form = "plain: heads are wider than 256"
// PLAIN-COUNT-2: form = "plain: the operands are not all bf16 or f16"

// Queries, and the first keys and values; queries stay in registers.
// CHECK-LABEL: .visible .entry model_k0_sm_80(
// CHECK: .minnctapersm 1
// CHECK-COUNT-16: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16;
// CHECK: cp.async.commit_group;
// CHECK-COUNT-8: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// A tile: 2 x 8 x 4 products of queries and keys, weights of 64 pairs per thread and 4 factors, 2 x 8 x 4 products of weights and values.
// CHECK: cp.async.commit_group;
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-COUNT-64: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK-COUNT-68: ex2.approx.ftz.f32
// CHECK: cvt.rn.bf16x2.f32
// CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK-COUNT-64: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK-NOT: mma.sync
// LLVM puts the beginning of the loop last, with a single barrier.
// CHECK: cp.async.wait_group 0;
// CHECK-NEXT: bar.sync 0;
// CHECK-COUNT-8: cp.async.cg.shared.global
// CHECK-NOT: {{mma.sync|bar.sync}}
// Sixteen bytes per thread.
// CHECK-COUNT-8: st.global.b32
// CHECK-COUNT-8: st.global.v4.b32
// CHECK-NOT: st.global
// CHECK: ret;
// ALL: .visible .entry model_k1_sm_80_2(

// rowsum(g o); keys: four products of 16 x 64 x 64 per warp and tile; queries: three.
// GRAD-LABEL: .visible .entry model_k1_sm_80(
// GRAD-COUNT-2: ld.global.v4.b32
// GRAD-COUNT-3: shfl.sync.down.b32
// GRAD-NOT: {{ld.global|shfl}}
// GRAD: st.global.b32
// GRAD-LABEL: .visible .entry model_k1_sm_80_1(
// GRAD-COUNT-128: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// GRAD-NOT: mma.sync
// GRAD: bar.sync 0;
// GRAD-NOT: {{mma.sync|bar.sync}}
// GRAD-COUNT-8: st.global.v4.b32
// GRAD-NOT: st.global
// GRAD-LABEL: .visible .entry model_k1_sm_80_2(
// GRAD-COUNT-96: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// GRAD-NOT: mma.sync
// GRAD: bar.sync 0;
// GRAD-NOT: {{mma.sync|bar.sync}}
// GRAD-COUNT-4: st.global.v4.b32
// GRAD-NOT: st.global
// GRAD: ret;

// On warpgroups: 4 steps of products of queries and keys, 128 at a time, then 8 of weights in registers and values.
// WGMMA-LABEL: .visible .entry model_k0_sm_90a(
// WGMMA: wgmma.fence.sync.aligned;
// WGMMA: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {{[{].*[}]}}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, no, 1, 1, 0, 0;
// WGMMA-COUNT-3: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {{[{].*[}]}}, left, right, yes, 1, 1, 0, 0;
// WGMMA: wgmma.commit_group.sync.aligned;
// WGMMA-NEXT: wgmma.wait_group.sync.aligned 0;
// WGMMA: ex2.approx.ftz.f32
// WGMMA: wgmma.fence.sync.aligned;
// WGMMA-COUNT-8: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{[{].*[}]}}, {{[{].*[}]}}, {{.*}}, yes, 1, 1, 1;
// WGMMA-NEXT: wgmma.commit_group.sync.aligned;
// WGMMA: cp.async.wait_group 0;
// WGMMA-NEXT: fence.proxy.async.shared::cta;
// WGMMA-NEXT: bar.sync 0;
// Keys: four and four steps of two products, then of two sums of 64 queries.
// WGMMA-LABEL: .visible .entry model_k1_sm_90a_1(
// WGMMA-COUNT-4: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, 1, 1, 0, 0;
// WGMMA: ex2.approx.ftz.f32
// WGMMA-COUNT-4: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, yes, 1, 1, 1;
// WGMMA-COUNT-4: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, 1, 1, 0, 0;
// WGMMA-COUNT-4: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, yes, 1, 1, 1;
#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
kernel.program @forward(%q: tensor<8x256x64xbf16>, %k: tensor<8x512x64xbf16>, %v: tensor<8x512x64xbf16>) -> (tensor<8x256x64xbf16>, tensor<8x2x256xf32>) {
  %y, %lse = kernel.attention(%q, %k, %v : tensor<8x256x64xbf16>, tensor<8x512x64xbf16>, tensor<8x512x64xbf16>) acc f32
    batch [8] queries 256 keys 512 width 64 scale 0.125 maps [#rows, #rows, #rows] -> [#rows, #rows] : tensor<8x256x64xbf16>, tensor<8x2x256xf32>
  kernel.return %y, %lse : tensor<8x256x64xbf16>, tensor<8x2x256xf32>
}
kernel.program @backward(%q: tensor<8x256x64xf16>, %k: tensor<8x512x64xf16>, %v: tensor<8x512x64xf16>, %y: tensor<8x256x64xf16>, %lse: tensor<8x2x256xf32>,
    %g: tensor<8x256x64xf16>) -> (tensor<8x256x64xf16>, tensor<8x512x64xf16>, tensor<8x512x64xf16>) {
  %dq, %dk, %dv = kernel.attention_grad(%q, %k, %v, %y, %lse, %g : tensor<8x256x64xf16>, tensor<8x512x64xf16>, tensor<8x512x64xf16>, tensor<8x256x64xf16>,
    tensor<8x2x256xf32>, tensor<8x256x64xf16>) acc f32 batch [8] queries 256 keys 512 width 64 scale 0.125
    maps [#rows, #rows, #rows, #rows, #rows, #rows] -> [#rows, #rows, #rows] : tensor<8x256x64xf16>, tensor<8x512x64xf16>, tensor<8x512x64xf16>
  kernel.return %dq, %dk, %dv : tensor<8x256x64xf16>, tensor<8x512x64xf16>, tensor<8x512x64xf16>
}
