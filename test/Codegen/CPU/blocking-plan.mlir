// Blockings of a product in the text, one per tier with code of its own, and blockings edited by hand: code, task grid and scratch follow.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --kernel-configure -o %t.mlir && FileCheck %s --check-prefix=CHOSEN --input-file=%t.mlir --implicit-check-not="blocking<avx512bf16" --implicit-check-not="blocking<amx"
// A configured blocking is kept.
// RUN: %ampc-opt %t.mlir --kernel-configure | diff %t.mlir -
// RUN: %ampc-opt %t.mlir --kernel-emit="tiers=avx2" | FileCheck %s --check-prefix=OWN
// Tiles of 3 x 24 sums over panels of A, three blocks of k, tasks of two by three panels.
// RUN: sed 's/blocking<avx2, [^>]*>/blocking<avx2, rows = 3, columns = 24, lhs = packed_panel, rhs = packed, depth = 344, keeps_rhs = false, task = 2x3>/' %t.mlir > %t.edited.mlir
// RUN: %ampc-opt %t.edited.mlir --kernel-configure --kernel-emit="tiers=avx2" | FileCheck %s --check-prefix=EDITED
// RUN: ampc-kernel-run %t.edited.mlir | FileCheck %s --check-prefix=RUNS --implicit-check-not=FAILED
// Tasks of equal size: 6 panels, at most 4 per task, are two tasks of 3.
// RUN: sed 's/task = 2x3/task = 2x4/' %t.edited.mlir | %ampc-opt --kernel-configure | FileCheck %s --check-prefix=BALANCED

// RUN: not %ampc-opt %s --kernel-emit="tiers=avx2" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sed 's/rows = 3, columns = 24/rows = 4, columns = 24/' %t.edited.mlir > %t.tile.mlir
// RUN: not %ampc-opt %t.tile.mlir --kernel-configure 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: not %ampc-opt %t.tile.mlir --kernel-emit="tiers=avx2" 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: sed 's/lhs = packed_panel/lhs = packed_sweep/' %t.edited.mlir | not %ampc-opt --kernel-configure 2>&1 | FileCheck %s --check-prefix=LHS
// RUN: sed 's/lhs = packed_panel, rhs = packed/lhs = packed_panel, rhs = widened/' %t.edited.mlir | not %ampc-opt --kernel-configure 2>&1 | FileCheck %s --check-prefix=RHS
// RUN: sed 's/depth = 344/depth = 345/' %t.edited.mlir | not %ampc-opt --kernel-configure 2>&1 | FileCheck %s --check-prefix=DEPTH
// RUN: sed 's/blocking<plain, /blocking<amx, /' %t.edited.mlir | not %ampc-opt --kernel-configure 2>&1 | FileCheck %s --check-prefix=OTHER

// CHOSEN: kernel.gemm {{.*}} attributes {blockings = [#kernel.blocking<plain, rows = {{[0-9]+}}, columns = {{[0-9]+}}, lhs = in_place, rhs = packed, depth = {{[0-9]+}}, keeps_rhs = true, task = {{[0-9]+x[0-9]+}}>, #kernel.blocking<avx2, {{.*}}>, #kernel.blocking<avx512, {{.*}}>]
// OWN:      name = "model_k0", scratch = array<i64: 0, [[SCRATCH:[0-9]+]],{{[^}]*}}tasks = array<i64: 1, [[TASKS:[0-9]+]],
// 34 panels of A in tasks of 2, 6 of B in tasks of 3: 17 x 2 tasks. Of 4 bytes: zeros and a tile of 3 x 24 in 80 each, a panel of A [3, 368],
// 3 panels of B [344, 24], and sums of 2 x 3 tiles.
// EDITED:   name = "model_k0", scratch = array<i64: 0, 105856,{{[^}]*}}tasks = array<i64: 1, 34,
// BALANCED: blocking<avx2, rows = 3, columns = 24, lhs = packed_panel, rhs = packed, depth = 344, keeps_rhs = false, task = 2x3>
// RUNS:     _avx2: {{.*}}ok
// NONE:     error: 'kernel.gemm' op expected a blocking of tier avx2, which kernel-configure stores
// TILE:     error: 'kernel.gemm' op expected a blocking that tier avx2 has code for, but got #kernel.blocking<avx2, rows = 4, {{.*}}>: the tier has no register tile of this shape
// LHS:      error: 'kernel.gemm' op expected a blocking that tier avx2 has code for, but got {{.*}}: the left side does not allow this feed
// RHS:      error: 'kernel.gemm' op expected a blocking that tier avx2 has code for, but got {{.*}}: the right side does not allow this feed
// DEPTH:    error: 'kernel.gemm' op expected a blocking that tier avx2 has code for, but got {{.*}}: blocks of k are whole vectors, at most all of k
// OTHER:     error: 'kernel.gemm' op expected blockings of tiers with code of their own, but got

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
module attributes {kernel.target = "cpu"} {
kernel.program @product(%x: tensor<100x1000xf32>, %w: tensor<1000x136xf32>) -> tensor<100x136xf32> {
  %y = kernel.gemm %x, %w : tensor<100x1000xf32>, tensor<1000x136xf32> acc f32 maps [#a, #b] space [100, 136] depth 1000
      epilogue () maps [] -> [#id] attributes {test.tolerance = 3.0e-5, test.low = -1.0, test.high = 1.0} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<100x136xf32>
  kernel.return %y : tensor<100x136xf32>
}
}
