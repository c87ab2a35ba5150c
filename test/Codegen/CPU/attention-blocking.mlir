// Blocking of an attention in the text, and one edited by hand: code, task grid and scratch follow.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --kernel-configure -o %t.mlir && FileCheck %s --check-prefix=CHOSEN --input-file=%t.mlir
// A configured blocking is kept.
// RUN: %ampc-opt %t.mlir --kernel-configure | diff %t.mlir -
// RUN: %ampc-opt %t.mlir --kernel-emit-cpu="tiers=avx2" | FileCheck %s --check-prefix=OWN
// RUN: sed 's/queries = 64, keys = 64/queries = 24, keys = 40/' %t.mlir > %t.edited.mlir
// RUN: %ampc-opt %t.edited.mlir --kernel-configure --kernel-emit-cpu="tiers=avx2" | FileCheck %s --check-prefix=EDITED
// RUN: ampc-kernel-run %t.edited.mlir | FileCheck %s --check-prefix=OK --implicit-check-not=FAILED
// RUN: not %ampc-opt %s --kernel-emit-cpu="tiers=avx2" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sed 's/queries = 64, keys = 64/queries = 64, keys = 101/' %t.mlir | not %ampc-opt --kernel-configure 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: sed 's/queries = 64, keys = 64/queries = 0, keys = 64/' %t.mlir | not %ampc-opt --kernel-configure 2>&1 | FileCheck %s --check-prefix=ZERO

// CHOSEN: kernel.attention{{.*}} {blocking = #kernel.attention_blocking<queries = 64, keys = 64>
// 2 entries of 2 tiles of queries, and of 5.
// OWN:    tasks = array<i64: 1, 4,
// EDITED: tasks = array<i64: 1, 10,
// OK:     _avx2: {{.*}}ok
// NONE:   error: 'kernel.attention' op expected a blocking, which kernel-configure stores
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
