// Blockings of filter gradients in the text, one per tier, and blockings edited by hand: code, task grid and scratch follow.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --kernel-configure -o %t.mlir && FileCheck %s --check-prefix=CHOSEN --input-file=%t.mlir
// A configured blocking is kept.
// RUN: %ampc-opt %t.mlir --kernel-configure | diff %t.mlir -
// Register tiles of 5 x 8 sums, blocks of two rows, tasks of 2 by 1 panels; windows gathered though channels fill vectors.
// RUN: sed 's/filter_blocking<avx2, pixels, [^>]*>/filter_blocking<avx2, pixels, tile = 5x8, block = 2x1, task = 2x1>/' %t.mlir > %t.pixels.mlir
// RUN: %ampc-opt %t.pixels.mlir --kernel-configure --kernel-emit="tiers=avx2" | FileCheck %s --check-prefix=PIXELS
// RUN: ampc-kernel-run %t.pixels.mlir | FileCheck %s --check-prefix=OK --implicit-check-not=FAILED
// RUN: sed 's/filter_blocking<avx2, [^>]*>/filter_blocking<avx2, windows, tile = 3x16, block = 7x3, task = 1x2>/g' %t.mlir > %t.windows.mlir
// RUN: ampc-kernel-run %t.windows.mlir | FileCheck %s --check-prefix=OK --implicit-check-not=FAILED
// Panels gathered element by element.
// RUN: sed 's/filter_blocking<avx2, [^>]*>/blocking<avx2, rows = 4, columns = 8, lhs = packed_panel, rhs = packed, depth = 56, keeps_rhs = false, task = 1x1>/g' %t.mlir > %t.panels.mlir
// RUN: ampc-kernel-run %t.panels.mlir | FileCheck %s --check-prefix=OK --implicit-check-not=FAILED

// RUN: not %ampc-opt %s --kernel-emit="tiers=avx2" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sed 's/tile = 5x8/tile = 5x12/' %t.pixels.mlir | not %ampc-opt --kernel-configure 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: sed 's/block = 2x1/block = 2x2/' %t.pixels.mlir | not %ampc-opt --kernel-configure 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: sed 's/task = 2x1/task = 6x1/' %t.pixels.mlir | not %ampc-opt --kernel-configure 2>&1 | FileCheck %s --check-prefix=TASK
// RUN: sed 's/pixels, tile = 5x8, /planes, /' %t.pixels.mlir | not %ampc-opt --kernel-configure 2>&1 | FileCheck %s --check-prefix=PLANES
// RUN: sed 's/filter_blocking<plain, /filter_blocking<amx, /' %t.mlir | not %ampc-opt --kernel-configure 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: sed 's/ blocking<avx2, [^>]*>/ filter_blocking<avx2, pixels, tile = 4x8, block = 1x1, task = 1x1>/; s/#kernel.blocking<avx2, [^>]*>/#kernel.filter_blocking<avx2, pixels, tile = 4x8, block = 1x1, task = 1x1>/' %t.mlir | not %ampc-opt --kernel-configure 2>&1 | FileCheck %s --check-prefix=DILATED

// CHOSEN: kernel.conv_filter {{.*}}blockings = [#kernel.filter_blocking<plain, pixels, tile = {{[0-9]+x[0-9]+}}, block = {{[0-9]+x[0-9]+}}, task = {{[0-9]+x[0-9]+}}>, #kernel.filter_blocking<avx2, pixels, {{[^>]*}}>, #kernel.filter_blocking<avx512, {{[^>]*}}>]
// CHOSEN: kernel.conv_filter {{.*}} #kernel.filter_blocking<avx2, windows, {{[^>]*}}>
// CHOSEN: kernel.conv_filter {{.*}} #kernel.blocking<avx2, {{[^>]*}}>
// 5 panels of outputs by 2 of channels, in tasks of 2 by 1.
// PIXELS: name = "model_k0", {{[^}]*}}tasks = array<i64: 1, 6,
// OK:     model_k0_avx2: {{.*}}ok
// OK:     model_k1_avx2: {{.*}}ok
// OK:     model_k2_avx2: {{.*}}ok
// NONE:    error: 'kernel.conv_filter' op expected a blocking of tier avx2, which kernel-configure stores, but got 0
// TILE:    error: 'kernel.conv_filter' op expected a blocking that tier avx2 has code for, but got {{.*}}: the tier has no register tile of this shape
// BLOCK:   error: 'kernel.conv_filter' op expected a blocking that tier avx2 has code for, but got {{.*}}: a block is rows of an image, or all rows of several images of a part
// TASK:    error: 'kernel.conv_filter' op expected a blocking that tier avx2 has code for, but got {{.*}}: a task has at most all panels
// PLANES:  error: 'kernel.conv_filter' op expected a blocking that tier avx2 has code for, but got {{.*}}: there are no tiles for these channels
// OTHER:   error: 'kernel.conv_filter' op expected blockings of tiers with code of their own, but got
// DILATED: error: 'kernel.conv_filter' op expected a blocking that tier avx2 has code for, but got {{.*}}: the image is dilated

#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module attributes {kernel.target = "cpu"} {
kernel.program @pixels(%x: tensor<3x7x9x16xf32>, %g: tensor<3x7x9x24xf32>) -> tensor<24x3x3x16xf32> {
  %y = kernel.conv_filter %x, %g : tensor<3x7x9x16xf32>, tensor<3x7x9x24xf32> acc f32 strides [1, 1] padding [1, 1, 1, 1]
      dilations [1, 1] input_dilations [1, 1] groups 1 space [24, 3, 3, 16]
      epilogue() maps [] -> [#id] attributes {test.tolerance = 3.0e-5, test.low = -1.0, test.high = 1.0} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<24x3x3x16xf32>
  kernel.return %y : tensor<24x3x3x16xf32>
}
kernel.program @windows(%x: tensor<3x7x9x3xf32>, %g: tensor<3x7x9x24xf32>) -> tensor<24x3x3x3xf32> {
  %y = kernel.conv_filter %x, %g : tensor<3x7x9x3xf32>, tensor<3x7x9x24xf32> acc f32 strides [1, 1] padding [1, 1, 1, 1]
      dilations [1, 1] input_dilations [1, 1] groups 1 space [24, 3, 3, 3]
      epilogue() maps [] -> [#id] attributes {test.tolerance = 3.0e-5, test.low = -1.0, test.high = 1.0} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<24x3x3x3xf32>
  kernel.return %y : tensor<24x3x3x3xf32>
}
kernel.program @dilated(%x: tensor<3x4x5x16xf32>, %g: tensor<3x7x9x24xf32>) -> tensor<24x3x3x16xf32> {
  %y = kernel.conv_filter %x, %g : tensor<3x4x5x16xf32>, tensor<3x7x9x24xf32> acc f32 strides [1, 1] padding [1, 1, 1, 1]
      dilations [1, 1] input_dilations [2, 2] groups 1 space [24, 3, 3, 16]
      epilogue() maps [] -> [#id] attributes {test.tolerance = 3.0e-5, test.low = -1.0, test.high = 1.0} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<24x3x3x16xf32>
  kernel.return %y : tensor<24x3x3x16xf32>
}
}
