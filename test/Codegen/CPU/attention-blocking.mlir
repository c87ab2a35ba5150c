// Blocking of an attention and of its products in the text, and both edited by hand: code, task grid and scratch follow.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --kernel-configure -o %t.mlir && FileCheck %s --check-prefix=CHOSEN --input-file=%t.mlir
// A configured blocking is kept.
// RUN: %ampc-opt %t.mlir --kernel-configure | diff %t.mlir -
// RUN: %ampc-opt %t.mlir --kernel-emit="tiers=avx2" | FileCheck %s --check-prefix=OWN
// Another tile of scores has other products.
// RUN: sed 's/queries = 64, keys = 64/queries = 24, keys = 40/; s/blockings = [[][^]]*[]], //' %t.mlir > %t.edited.mlir
// RUN: %ampc-opt %t.edited.mlir --kernel-configure --kernel-emit="tiers=avx2" | FileCheck %s --check-prefix=EDITED
// RUN: ampc-kernel-run %t.edited.mlir | FileCheck %s --check-prefix=OK --implicit-check-not=FAILED
// Register tiles of the scores, and blocks of k of the outputs.
// RUN: sed 's/<avx2, rows = 6, columns = 16, \([^>]*\)depth = 16\([^>]*\)task = 11x4>/<avx2, rows = 4, columns = 16, \1depth = 8\2task = 8x4>/' %t.mlir > %t.products.mlir
// RUN: not diff -q %t.mlir %t.products.mlir
// RUN: %ampc-opt %t.products.mlir --kernel-configure | diff %t.products.mlir -
// RUN: %ampc-opt %t.products.mlir --kernel-emit="tiers=avx2" | FileCheck %s --check-prefix=PRODUCTS
// RUN: ampc-kernel-run %t.products.mlir | FileCheck %s --check-prefix=OK --implicit-check-not=FAILED
// RUN: not %ampc-opt %s --kernel-emit="tiers=avx2" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sed 's/queries = 64, keys = 64/queries = 64, keys = 101/' %t.mlir | not %ampc-opt --kernel-configure 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: sed 's/queries = 64, keys = 64/queries = 0, keys = 64/' %t.mlir | not %ampc-opt --kernel-configure 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: sed 's/#kernel.blocking<avx2, [^>]*>, \(#kernel.blocking<avx512\)/\1/' %t.mlir | not %ampc-opt --kernel-configure 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: sed 's/<avx2, rows = 6, columns = 16, /<avx2, rows = 6, columns = 20, /' %t.mlir | not %ampc-opt --kernel-configure 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: sed 's/blocking<plain, /blocking<amx, /g' %t.mlir | not %ampc-opt --kernel-configure 2>&1 | FileCheck %s --check-prefix=OTHER

// Scores of depth 16, the width of a head, and outputs of depth 64, the keys of a tile; of each tier in this order.
// CHOSEN: kernel.attention{{.*}} {blocking = #kernel.attention_blocking<queries = 64, keys = 64>, blockings = [#kernel.blocking<plain, {{[^>]*}}depth = 16, {{[^>]*}}>, #kernel.blocking<plain, {{[^>]*}}depth = 64, {{[^>]*}}>, #kernel.blocking<avx2, rows = 6, columns = 16, {{[^>]*}}depth = 16, {{[^>]*}}>, #kernel.blocking<avx2, {{[^>]*}}depth = 64, {{[^>]*}}>, #kernel.blocking<avx512, {{[^>]*}}>, #kernel.blocking<avx512, {{[^>]*}}>]
// 2 entries of 2 tiles of queries, and of 5.
// OWN:    scratch = array<i64: 0, 39808,{{.*}}tasks = array<i64: 1, 4,
// 8320 bytes more: 8192 of sums between blocks of k, 8 x 4 tiles of 4 x 16, 256 of zeros, and a finished tile of 4 x 16, not of 6 x 16.
// PRODUCTS: scratch = array<i64: 0, 48128,{{.*}}tasks = array<i64: 1, 4,
// EDITED: tasks = array<i64: 1, 10,
// OK:     _avx2: {{.*}}ok
// NONE:   error: 'kernel.attention' op expected a blocking, which kernel-configure stores
// FEW:    error: 'kernel.attention' op expected 2 blockings of tier avx2, which kernel-configure stores, but got 1
// TILE:   error: 'kernel.attention' op expected a blocking that tier avx2 has code for, but got #kernel.blocking<avx2, rows = 6, columns = 20, {{.*}}: the tier has no register tile of this shape
// OTHER:  error: 'kernel.attention' op expected blockings of tiers with code of their own, but got
// LARGE:  error: 'kernel.attention' op expected a tile of at most 100 queries and 100 keys, but got #kernel.attention_blocking<queries = 64, keys = 101>
// ZERO:   error: expected a tile of at least one query and key, but got 0 and 64

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module attributes {kernel.target = "cpu"} {
kernel.program @attention(%q: tensor<2x100x16xf32>, %k: tensor<2x100x16xf32>, %v: tensor<2x100x16xf32>) -> tensor<2x100x16xf32> {
  %y = kernel.attention(%q, %k, %v : tensor<2x100x16xf32>, tensor<2x100x16xf32>, tensor<2x100x16xf32>) acc f32
      batch [2] queries 100 keys 100 width 16 scale 0.25 maps [#id, #id, #id] -> [#id] {test.tolerance = 2.0e-5} : tensor<2x100x16xf32>
  kernel.return %y : tensor<2x100x16xf32>
}
}
