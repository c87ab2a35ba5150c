// Lists, ranges and conditions of entries decide like the lists, ranges and conditions of train ops, and every policy takes the ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt --load=%toy %s --amp-assign-precision="policy=autocast precision=bf16" | FileCheck %s --check-prefix=LISTED
// RUN: %ampc-opt --load=%toy %s --amp-assign-precision="policy=autocast precision=bf16 edit=toy.squareplus=pass" | FileCheck %s --check-prefix=EDITED
// RUN: %ampc-opt --load=%toy %s --amp-assign-precision="precision=f16" | FileCheck %s --check-prefix=RANGE
// RUN: for policy in mincut autocast autocast-cpu propagate narrow; do for type in bf16 f16; do \
// RUN:   ampc compile --load=%toy %S/Inputs/net.mlir --precision=$type --policy=$policy -o %t > %t.log || exit 1; done; done
// RUN: for type in f64 f32; do ampc compile --load=%toy %S/Inputs/net.mlir --precision=$type -o %t > %t.log || exit 1; done

train.model @decided {
  // LISTED-LABEL: train.func @listed
  // LISTED:       %[[WIDE:.*]] = train.cast %{{.*}} : tensor<8x8xbf16> to tensor<8x8xf32>
  // LISTED:       toy.squareplus %[[WIDE]]
  // EDITED-LABEL: train.func @listed
  // EDITED:       toy.squareplus {{.*}} tensor<8x8xbf16>
  train.func @listed(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = train.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = toy.squareplus %0 : tensor<8x8xf32>
    %2 = train.matmul %1, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    train.return %2 : tensor<8x8xf32>
  }
  // RANGE-LABEL: train.func @bounded
  // RANGE:       train.add {{.*}}elements may reach 80000
  train.func @bounded(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %a = train.clamp %x from 0.0 to 4.0e4 : tensor<8x8xf32>
    %b = toy.squareplus %a : tensor<8x8xf32>
    %r = train.add %b, %b : tensor<8x8xf32>, tensor<8x8xf32>
    %m = train.matmul %r, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    train.return %m : tensor<8x8xf32>
  }
}
