// Products of 16-bit numbers on the warpgroups of sm_90a: the instructions of a step of 64 of a tile of 128 x 256, and products in the form of older chips.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc-kernel-run --target=sm_90a --emit=nvvm %s | FileCheck %s --check-prefix=FORM
// RUN: ampc-kernel-run --target=sm_90a --emit=ptx %s > %t
// RUN: FileCheck %s --input-file=%t
// RUN: FileCheck %s --input-file=%t --check-prefix=LAST --implicit-check-not=.local

// FORM: form = "warpgroups: tiles of 128x256x64 in 4 stages, clusters of 2, sides along k and n, tensor copies"
// FORM-SAME: grid = [132, 1, 1], block = [384, 1, 1], cluster = [2, 1, 1], shared = 217216
// FORM-SAME: maps = [<operand = 0, element = bf16, offset = 0, sizes = [4096, 4096], strides = [8192], box = [64, 128], swizzle = 128>
// FORM-SAME: <operand = 1, element = bf16, offset = 0, sizes = [4096, 4096], strides = [8192], box = [64, 64], swizzle = 128>]
// FORM-SAME: form = "warpgroups: tiles of 64x64x64 in 8 stages, clusters of 1, sides along m and k, tensor copies"
// FORM-SAME: maps = [<operand = 0, element = f16, offset = 0, sizes = [16, 3, 40, 2], strides = [32, 96, 3840], box = [64, 1, 64, 1], swizzle = 128>
// FORM-SAME: form = "warpgroups: tiles of 128x64x64 in 7 stages, clusters of 1, sides along k and n, tensor copies, right side in pieces of 2 bytes"
// FORM-SAME: maps = [<operand = 0, element = bf16, offset = 0, sizes = [64, 64], strides = [128], box = [64, 128], swizzle = 128>]>]
// FORM-SAME: form = "tiles of {{.*}}, no warpgroups: the operands have 32 bits"
// FORM-SAME: form = "warpgroups: tiles of 64x64x64 in 8 stages, clusters of 2, sides along k and k, tensor copies, left side in pieces of 16 bytes"
// FORM-SAME: maps = [<operand = 1, element = bf16, offset = 0, sizes = [576, 64], strides = [1152], box = [64, 32], swizzle = 128>]

// CHECK-LABEL: .visible .entry model_k0_sm_90a(
// CHECK: .param .align 64 .b8 model_k0_sm_90a_param_5[128],
// CHECK-NEXT: .param .align 64 .b8 model_k0_sm_90a_param_6[128]
// CHECK: .reqntid 384, 1, 1
// CHECK: .reqnctapercluster 2, 1, 1
// Barriers of four stages: one arrival and all bytes; eight warps of two blocks.
// CHECK-COUNT-8: mbarrier.init.shared.b64
// CHECK-NEXT: fence.mbarrier_init.release.cluster
// CHECK: barrier.cluster.arrive
// CHECK-NEXT: barrier.cluster.wait
// The copying warpgroup gives registers to the two warpgroups that multiply.
// CHECK: setmaxnreg.inc.sync.aligned.u32 232
// Sums as vectors; results of eight columns.
// CHECK: st.shared.v2.b32
// CHECK: bar.warp.sync
// CHECK: ld.shared.v4.b32
// CHECK: st.global.v4.b32
// The first step, and all others: a fence, four products of 16 points, and the step before is released for both blocks.
// CHECK: mbarrier.try_wait.parity.shared.b64
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// CHECK: mbarrier.try_wait.parity.shared.b64
// CHECK: wgmma.fence.sync.aligned
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// CHECK-NOT: {{wgmma.mma|wgmma.fence}}
// CHECK: wgmma.commit_group.sync.aligned
// CHECK-NEXT: wgmma.wait_group.sync.aligned 1
// CHECK: mapa.shared::cluster
// CHECK: mbarrier.arrive.shared::cluster.b64
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK: mbarrier.arrive.shared::cluster.b64
// The copies of a step: a box of the left side, and two squares of this block's half of the right side, which go to both blocks.
// CHECK: setmaxnreg.dec.sync.aligned.u32 40
// CHECK: mbarrier.try_wait.parity.shared.b64
// CHECK: mov.b32 [[BYTES:%r[0-9]+]], 49152;
// CHECK: mbarrier.arrive.expect_tx.shared.b64 {{.*}}, [[BYTES]];
// CHECK-NOT: multicast
// CHECK: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [
// CHECK-COUNT-2: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [
// No block exits while the other block may write to the shared memory of that block.
// CHECK: barrier.cluster.arrive
// CHECK-NEXT: barrier.cluster.wait
// CHECK: ret;

// CHECK-LABEL: .visible .entry model_k1_sm_90a(
// CHECK-NOT: {{setmaxnreg|cluster.arrive|multicast}}
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16
// CHECK: cp.async.bulk.tensor.4d.shared::cluster.global.tile
// CHECK: cp.async.bulk.tensor.2d.shared::cluster.global.tile

// Stores of a thread are made visible to the matrix units before the thread arrives.
// CHECK-LABEL: .visible .entry model_k2_sm_90a(
// CHECK: cp.async.bulk.tensor.2d.shared::cluster.global.tile
// CHECK: st.shared.v4.b32
// CHECK-NOT: cp.async.wait_group
// CHECK: fence.proxy.async.shared::cta;
// CHECK: mbarrier.arrive.shared.b64

// Arrivals that fill a stage: of the thread that issues box copies, and of 128 threads that copy windows.
// CHECK-LABEL: .visible .entry model_k4_sm_90a(
// CHECK: mov.b32 [[FILLERS:%r[0-9]+]], 129;
// CHECK-NEXT: mbarrier.init.shared.b64 [shared_memory+149504], [[FILLERS]];
// CHECK-NEXT: mov.b32 [[READERS:%r[0-9]+]], 8;
// CHECK-NEXT: mbarrier.init.shared.b64 [shared_memory+149568], [[READERS]];
// CHECK-NOT: setmaxnreg
// A box goes to both blocks; pieces of four lines by a thread, which arrive while the pieces of four more steps are in flight.
// CHECK: mbarrier.arrive.expect_tx.shared.b64
// CHECK: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [
// CHECK-COUNT-4: cp.async.cg.shared.global
// CHECK-NEXT: cp.async.commit_group;
// CHECK: cp.async.wait_group 4;
// CHECK-NEXT: fence.proxy.async.shared::cta;
// CHECK: mbarrier.arrive.shared.b64
// The last four steps of all.
// CHECK: cp.async.wait_group 0;
// CHECK-NEXT: fence.proxy.async.shared::cta;
// CHECK-COUNT-4: mbarrier.arrive.shared.b64
// CHECK-NOT: mbarrier.arrive
// CHECK: ret;
// LAST: .visible .entry model_k4_sm_90a(
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#columns = affine_map<(d0, d1) -> (d1)>
kernel.program @large(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>, %bias: tensor<4096xf32>) -> tensor<4096x4096xbf16> {
  %y = kernel.gemm %x, %w : tensor<4096x4096xbf16>, tensor<4096x4096xbf16> acc f32 maps [#a, #b] space [4096, 4096] depth 4096
      epilogue (%bias : tensor<4096xf32>) maps [#columns] -> [#id] {
  ^bb0(%sum: f32, %b: f32):
    %0 = arith.addf %sum, %b : f32
    %1 = arith.truncf %0 : f32 to bf16
    kernel.yield %1 : bf16
  } : tensor<4096x4096xbf16>
  kernel.return %y : tensor<4096x4096xbf16>
}

// A batch of parts of rows: in the order of the strides.
#parts = affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d1, d2)>
#shared = affine_map<(d0, d1, d2, d3, d4) -> (d3, d4)>
#out = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
kernel.program @heads(%x: tensor<2x40x3x16xf16>, %w: tensor<8x40xf16>) -> tensor<2x3x16x8xf32> {
  %y = kernel.gemm %x, %w : tensor<2x40x3x16xf16>, tensor<8x40xf16> acc f32 maps [#parts, #shared] space [2, 3, 16, 8] depth 40
      epilogue () maps [] -> [#out] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<2x3x16x8xf32>
  kernel.return %y : tensor<2x3x16x8xf32>
}

kernel.program @odd(%x: tensor<64x64xbf16>, %w: tensor<64x57xbf16>) -> tensor<64x57xf32> {
  %y = kernel.gemm %x, %w : tensor<64x64xbf16>, tensor<64x57xbf16> acc f32 maps [#a, #b] space [64, 57] depth 64
      epilogue () maps [] -> [#id] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<64x57xf32>
  kernel.return %y : tensor<64x57xf32>
}

kernel.program @tf32(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = kernel.gemm %x, %w : tensor<64x64xf32>, tensor<64x64xf32> acc f32 maps [#a, #b] space [64, 64] depth 64
      epilogue () maps [] -> [#id] attributes {compute = [tf32, tf32]} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<64x64xf32>
  kernel.return %y : tensor<64x64xf32>
}

kernel.program @windows(%x: tensor<4x13x16x64xbf16>, %w: tensor<64x3x3x64xbf16>) -> tensor<4x13x16x64xf32> {
  %y = kernel.conv %x, %w : tensor<4x13x16x64xbf16>, tensor<64x3x3x64xbf16> acc f32 strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] input_dilations [1, 1]
      groups 1 space [4, 13, 16, 64] epilogue () maps [] -> [#out] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<4x13x16x64xf32>
  kernel.return %y : tensor<4x13x16x64xf32>
}
