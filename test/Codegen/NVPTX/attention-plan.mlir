// Plans of attention in the text, and plans edited by hand: code, shared memory and report follow.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --kernel-configure -o %t.mlir && FileCheck %s --check-prefix=CHOSEN --input-file=%t.mlir
// A configured plan is kept.
// RUN: %ampc-opt %t.mlir --kernel-configure | diff %t.mlir -
// RUN: ampc-kernel-run --target=sm_90a %t.mlir | FileCheck %s --check-prefix=RUNS --implicit-check-not=FAILED
// Warps in place of warpgroups, and other tiles.
// RUN: sed 's/<wgmma, tiles = \[<[^<]*\]>/<mma, tiles = [<warps = 2, rows = 32, columns = 32, stages = 3>]>/; \
// RUN:   s/<wgmma, tiles = \[<[^]]*, <[^]]*\]>/<mma, tiles = [<warps = 4, rows = 16, columns = 16, stages = 2>, <warps = 2, rows = 32, columns = 64, stages = 4>]>/' %t.mlir > %t.mma.mlir
// RUN: %ampc-opt %t.mma.mlir --kernel-configure --kernel-emit | FileCheck %s --check-prefix=MMA --implicit-check-not=wgmma
// RUN: ampc-kernel-run --target=sm_90a %t.mma.mlir | FileCheck %s --check-prefix=RUNS --implicit-check-not=FAILED
// A launch each for the cotangents of values, keys and queries.
// RUN: sed 's/\[<[^]]*, <[^]]*\]/[<warps = 4, rows = 16, columns = 32, stages = 2>, <warps = 8, rows = 16, columns = 64, stages = 3>, <warps = 4, rows = 16, columns = 16, stages = 2>]/' \
// RUN:   %t.mlir > %t.three.mlir
// RUN: %ampc-opt %t.three.mlir --kernel-configure --kernel-emit | FileCheck %s --check-prefix=THREE
// RUN: ampc-kernel-run --target=sm_90a %t.three.mlir | FileCheck %s --check-prefix=RUNS --implicit-check-not=FAILED
// RUN: sed 's/<wgmma, tiles[^]]*\]>/<plain>/' %t.mlir > %t.plain.mlir
// RUN: %ampc-opt %t.plain.mlir --kernel-configure --kernel-emit | FileCheck %s --check-prefix=PLAIN
// RUN: ampc-kernel-run --target=sm_90a %t.plain.mlir | FileCheck %s --check-prefix=RUNS --implicit-check-not=FAILED

// Without a plan, and for plans that the chip cannot follow, there is no code.
// RUN: not %ampc-opt %s --kernel-emit 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sed 's/"sm_90a"/"sm_80"/' %t.mlir > %t.old.mlir
// RUN: not %ampc-opt %t.old.mlir --kernel-configure 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not %ampc-opt %t.old.mlir --kernel-emit 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: sed 's/columns = 128, stages = 2/columns = 256, stages = 8/' %t.mlir > %t.large.mlir
// RUN: not %ampc-opt %t.large.mlir --kernel-configure 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: sed 's/columns = 64, stages = 2>, /columns = 256, stages = 2>, /; s/warps = 8, rows = 16, columns = 256/warps = 4, rows = 16, columns = 256/' %t.mlir > %t.wide.mlir
// RUN: not %ampc-opt %t.wide.mlir --kernel-configure 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: sed 's/bf16/f32/g' %t.mlir > %t.f32.mlir
// RUN: not %ampc-opt %t.f32.mlir --kernel-configure 2>&1 | FileCheck %s --check-prefix=TYPE

// CHOSEN: kernel.attention({{.*}} {plan = #kernel.attention_plan<wgmma, tiles = [<warps = 8, rows = 16, columns = 128, stages = 2>]>
// CHOSEN: kernel.attention_grad({{.*}} {plan = #kernel.attention_plan<wgmma, tiles = [<warps = 8, rows = 16, columns = 64, stages = 2>, <warps = 8, rows = 16, columns = 64, stages = 2>]>
// MMA:      form = "flash: tiles of 64x32 scores in 3 stages"
// MMA-SAME: grid = [2, 1, 1], block = [64, 1, 1], cluster = [1, 1, 1], shared = 32768
// MMA-SAME: form = "flash: tiles of 64x16 scores in 2 stages, tiles of 64x64 scores in 4 stages"
// MMA-SAME: grid = [2, 1, 1], block = [128, 1, 1], cluster = [1, 1, 1], shared = 25088
// MMA-SAME: grid = [2, 1, 1], block = [64, 1, 1], cluster = [1, 1, 1], shared = 81920
// THREE:      form = "flash on warpgroups: tiles of 128x128 scores in 2 stages"
// THREE-SAME: form = "flash on warpgroups: tiles of 64x32 scores in 2 stages, tiles of 128x64 scores in 3 stages, tiles of 64x16 scores in 2 stages"
// PLAIN:      form = "plain"
// PLAIN-SAME: form = "plain"
// The tolerance of the gradient: see Inputs/attention.py of CPUs.
// RUNS-COUNT-2: _sm_90a: {{.*}}ok
// NONE:   error: 'kernel.attention' op expected a plan, which kernel-configure stores
// OLD:    error: 'kernel.attention' op expected a plan that sm_80 has code for, but got #kernel.attention_plan<wgmma, {{.*}}: the chip has no warpgroups
// LARGE:  error: 'kernel.attention' op expected a plan that sm_90a has code for, but got {{.*}}: tiles of 128x256 scores in 8 stages take 540672 bytes of shared memory, and a block has at most 232448
// WIDE:   error: 'kernel.attention_grad' op expected a plan that sm_90a has code for, but got {{.*}}: tiles of 64x256 scores in 2 stages have more columns than a block has threads
// TYPE:   error: 'kernel.attention' op expected a plan that sm_90a has code for, but got {{.*}}: the operands are not all bf16 or f16

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module attributes {kernel.target = "sm_90a"} {
kernel.program @forward(%q: tensor<1x100x64xbf16>, %k: tensor<1x96x64xbf16>, %v: tensor<1x96x64xbf16>) -> (tensor<1x100x64xbf16>, tensor<1x2x100xf32>) {
  %y, %lse = kernel.attention(%q, %k, %v : tensor<1x100x64xbf16>, tensor<1x96x64xbf16>, tensor<1x96x64xbf16>) acc f32
    batch [1] queries 100 keys 96 width 64 scale 0.125 maps [#rows, #rows, #rows] -> [#rows, #rows] {test.low = -1.0, test.high = 1.0} : tensor<1x100x64xbf16>, tensor<1x2x100xf32>
  kernel.return %y, %lse : tensor<1x100x64xbf16>, tensor<1x2x100xf32>
}
kernel.program @backward(%q: tensor<1x100x64xbf16>, %k: tensor<1x96x64xbf16>, %v: tensor<1x96x64xbf16>, %y: tensor<1x100x64xbf16>, %lse: tensor<1x2x100xf32>,
    %g: tensor<1x100x64xbf16>) -> (tensor<1x100x64xbf16>, tensor<1x96x64xbf16>, tensor<1x96x64xbf16>) {
  %dq, %dk, %dv = kernel.attention_grad(%q, %k, %v, %y, %lse, %g : tensor<1x100x64xbf16>, tensor<1x96x64xbf16>, tensor<1x96x64xbf16>, tensor<1x100x64xbf16>,
    tensor<1x2x100xf32>, tensor<1x100x64xbf16>) acc f32 batch [1] queries 100 keys 96 width 64 scale 0.125
    maps [#rows, #rows, #rows, #rows, #rows, #rows] -> [#rows, #rows, #rows] {test.low = -1.0, test.high = 1.0, test.rounded_tolerance = 3.941509e-03}
    : tensor<1x100x64xbf16>, tensor<1x96x64xbf16>, tensor<1x96x64xbf16>
  kernel.return %dq, %dk, %dv : tensor<1x100x64xbf16>, tensor<1x96x64xbf16>, tensor<1x96x64xbf16>
}
}
