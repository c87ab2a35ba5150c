// Blockings of convolutions in the text, one per product and tier, and blockings edited by hand: code, task grid and scratch follow.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --kernel-configure -o %t.mlir && FileCheck %s --check-prefix=CHOSEN --input-file=%t.mlir
// A configured blocking is kept.
// RUN: %ampc-opt %t.mlir --kernel-configure | diff %t.mlir -
// Windows of 4 neighbours, a row of the window per block of k, tasks of 9 panels.
// RUN: sed 's/blocking<avx2, [^>]*depth = 72[^>]*>/blocking<avx2, rows = 4, columns = 16, lhs = runs, rhs = packed, depth = 24, keeps_rhs = true, task = 9x1, pixels = 4x1>/' %t.mlir > %t.runs.mlir
// RUN: %ampc-opt %t.runs.mlir --kernel-configure --kernel-emit="tiers=avx2" | FileCheck %s --check-prefix=RUNS
// RUN: ampc-kernel-run %t.runs.mlir | FileCheck %s --check-prefix=OK --implicit-check-not=FAILED
// Panels of 4 pixels, gathered pixel by pixel, of each product.
// RUN: sed 's/blocking<avx2, [^>]*>/blocking<avx2, rows = 4, columns = 8, lhs = packed_panel, rhs = packed, depth = 8, keeps_rhs = false, task = 9x1>/g' %t.mlir > %t.panels.mlir
// RUN: %ampc-opt %t.panels.mlir --kernel-configure --kernel-emit="tiers=avx2" | FileCheck %s --check-prefix=PANELS
// RUN: ampc-kernel-run %t.panels.mlir | FileCheck %s --check-prefix=OK --implicit-check-not=FAILED

// RUN: not %ampc-opt %s --kernel-emit="tiers=avx2" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sed 's/#kernel.blocking<avx2, [^>]*lhs = in_place[^>]*>, //' %t.mlir | not %ampc-opt --kernel-configure 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: sed 's/task = 9x1, pixels = 4x1/task = 9x1, pixels = 2x2/' %t.runs.mlir | not %ampc-opt --kernel-configure 2>&1 | FileCheck %s --check-prefix=PIXELS
// RUN: sed 's/depth = 24/depth = 32/' %t.runs.mlir | not %ampc-opt --kernel-configure 2>&1 | FileCheck %s --check-prefix=DEPTH
// RUN: sed 's/rows = 4, columns = 16, lhs = runs/rows = 4, columns = 32, lhs = runs/' %t.runs.mlir | not %ampc-opt --kernel-configure 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: sed 's/\(blocking<avx2, rows = 6, [^>]*\)lhs = in_place\([^>]*\)>/\1lhs = runs\2, pixels = 6x1>/' %t.mlir | not %ampc-opt --kernel-configure 2>&1 | FileCheck %s --check-prefix=LHS
// RUN: sed 's/blocking<plain, /blocking<amx, /' %t.mlir | not %ampc-opt --kernel-configure 2>&1 | FileCheck %s --check-prefix=OTHER

// CHOSEN: kernel.conv {{.*}} attributes {blockings = [#kernel.blocking<plain, {{[^>]*}}>, #kernel.blocking<avx2, {{[^>]*}}lhs = runs, rhs = packed, depth = 72, {{[^>]*}}pixels = {{[0-9]+x[0-9]+}}>, #kernel.blocking<avx512, {{[^>]*}}>]
// The phases of the output: of 1, 2, 2 and 4 taps.
// CHOSEN: kernel.conv {{.*}} #kernel.blocking<avx2, {{[^>]*}}lhs = in_place, {{[^>]*}}depth = 8, {{[^>]*}}>, #kernel.blocking<avx2, {{[^>]*}}depth = 16, {{[^>]*}}>, #kernel.blocking<avx2, {{[^>]*}}depth = 16, {{[^>]*}}>, #kernel.blocking<avx2, {{[^>]*}}depth = 32, {{[^>]*}}>, #kernel.blocking<avx512,
// 2 images of 9 rows of 3 panels in tasks of 9: 6 tasks. Of 4 bytes: zeros and a tile of 4 x 16, 6 pixels of 8 channels, 3 panels of B [24, 16],
// and sums of 9 tiles.
// RUNS:   name = "model_k0", scratch = array<i64: 0, 7616,{{[^}]*}}tasks = array<i64: 1, 6,
// 54 panels of pixels by 2 of outputs, in tasks of 9 by 1. The phases have 2 x (4 x 5, 4 x 6, 5 x 5, 5 x 6) pixels, thus 10, 12, 13 and 15 panels,
// each in 2 tasks.
// PANELS: name = "model_k0", {{[^}]*}}tasks = array<i64: 1, 12,
// PANELS: name = "model_k1", {{[^}]*}}tasks = array<i64: 1, 16,
// OK:     model_k0_avx2: {{.*}}ok
// OK:     model_k1_avx2: {{.*}}ok
// NONE:   error: 'kernel.conv' op expected 1 blockings of tier avx2, which kernel-configure stores, but got 0
// FEW:    error: 'kernel.conv' op expected 4 blockings of tier avx2, which kernel-configure stores, but got 3
// PIXELS: error: 'kernel.conv' op expected a blocking that tier avx2 has code for, but got {{.*}}: pixels are neighbours in a row of an image, or whole rows of several
// DEPTH:  error: 'kernel.conv' op expected a blocking that tier avx2 has code for, but got {{.*}}: blocks of k are whole rows of the window
// TILE:   error: 'kernel.conv' op expected a blocking that tier avx2 has code for, but got {{.*}}: the tier has no register tile of this shape
// LHS:    error: 'kernel.conv' op expected a blocking that tier avx2 has code for, but got {{.*}}: the left side does not allow this feed
// OTHER:  error: 'kernel.conv' op expected blockings of tiers with code of their own, but got

#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module attributes {kernel.target = "cpu"} {
kernel.program @windows(%x: tensor<2x9x12x8xf32>, %w: tensor<16x3x3x8xf32>) -> tensor<2x9x12x16xf32> {
  %y = kernel.conv %x, %w : tensor<2x9x12x8xf32>, tensor<16x3x3x8xf32> acc f32 strides [1, 1] padding [1, 1, 1, 1]
      dilations [1, 1] input_dilations [1, 1] groups 1 space [2, 9, 12, 16]
      epilogue() maps [] -> [#id] attributes {test.tolerance = 3.0e-5, test.low = -1.0, test.high = 1.0} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<2x9x12x16xf32>
  kernel.return %y : tensor<2x9x12x16xf32>
}
kernel.program @phases(%x: tensor<2x5x6x8xf32>, %w: tensor<16x3x3x8xf32>) -> tensor<2x9x11x16xf32> {
  %y = kernel.conv %x, %w : tensor<2x5x6x8xf32>, tensor<16x3x3x8xf32> acc f32 strides [1, 1] padding [1, 1, 1, 1]
      dilations [1, 1] input_dilations [2, 2] groups 1 space [2, 9, 11, 16]
      epilogue() maps [] -> [#id] attributes {test.tolerance = 3.0e-5, test.low = -1.0, test.high = 1.0} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<2x9x11x16xf32>
  kernel.return %y : tensor<2x9x11x16xf32>
}
}
