// RUN: %ampc-opt %s | %ampc-opt | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#part = affine_map<(d0, d1, d2) -> (d1, d0 * 4 + d2)>
#bias = affine_map<(d0, d1, d2) -> (d2)>
#number = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: kernel.program @attention
kernel.program @attention(%q: tensor<8x8xbf16>, %k: tensor<2x9x4xbf16>, %b: tensor<9xf32>) {
  // CHECK: %[[O:.*]]:2 = kernel.attention(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x8xbf16>, tensor<2x9x4xbf16>, tensor<2x9x4xbf16>, tensor<9xf32>) acc f32 batch [2] queries 8 keys 9 width 4 scale 5.000000e-01 causal biased maps [#{{.*}}, #{{.*}}, #{{.*}}, #{{.*}}] -> [#{{.*}}, #{{.*}}] : tensor<8x8xbf16>, tensor<2x8xf32>
  %o:2 = kernel.attention(%q, %k, %k, %b : tensor<8x8xbf16>, tensor<2x9x4xbf16>, tensor<2x9x4xbf16>, tensor<9xf32>) acc f32
    batch [2] queries 8 keys 9 width 4 scale 0.5 causal biased maps [#part, #rows, #rows, #bias] -> [#part, #number] : tensor<8x8xbf16>, tensor<2x8xf32>
  // CHECK: kernel.attention_grad(%{{.*}}, %{{.*}}, %{{.*}}, %[[O]]#0, %[[O]]#1, %{{.*}} : {{.*}}) acc f32 batch [2] queries 8 keys 9 width 4 scale 5.000000e-01 maps {{.*}} : tensor<8x8xf32>, tensor<2x9x4xbf16>, tensor<2x9x4xf32>
  %d:3 = kernel.attention_grad(%q, %k, %k, %o#0, %o#1, %q : tensor<8x8xbf16>, tensor<2x9x4xbf16>, tensor<2x9x4xbf16>, tensor<8x8xbf16>,
      tensor<2x8xf32>, tensor<8x8xbf16>) acc f32 batch [2] queries 8 keys 9 width 4 scale 0.5
    maps [#part, #rows, #rows, #part, #number, #part] -> [#part, #rows, #rows] : tensor<8x8xf32>, tensor<2x9x4xbf16>, tensor<2x9x4xf32>
  kernel.return
}
