// RUN: ampc-kernel-run %s > %t
// RUN: FileCheck %s --input-file=%t --implicit-check-not=FAILED --implicit-check-not=calls
// RUN: %if avx2 %{ FileCheck %s --input-file=%t --check-prefix=AVX2 %}
// RUN: %if avx512 %{ FileCheck %s --input-file=%t --check-prefix=AVX512 %}
// RUN: ampc-kernel-run --target=sm_80 --same-as=plain --interpret=false %s | FileCheck %s --check-prefix=SAME --implicit-check-not=FAILED
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of columns of wide rows, which are walked row after row: the values in vectors of every width, and the bits of a GPU, whose threads go down a
// column each.

// CHECK-COUNT-2: _plain: {{.*}}ok
// AVX2-COUNT-2: _avx2: {{.*}}ok
// AVX512-COUNT-2: _avx512: {{.*}}ok
// SAME-COUNT-2: _sm_80: {{.*}}the same ok

// Sums of a norm's gradient: rows of more columns than registers have sums of, in parts, with a tail.
kernel.program @norm_gradient(%g: tensor<700x150xbf16>, %x: tensor<700x150xbf16>, %mean: tensor<150xf32>) -> (tensor<150xf32>, tensor<150xf32>) {
  %r:2 = kernel.reduce sum (%g, %x, %mean : tensor<700x150xbf16>, tensor<700x150xbf16>, tensor<150xf32>) space [1, 700, 150]
      maps [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>]
        -> [affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d2)>] attributes {test.tolerance = 2.0e-5} {
  ^bb0(%a0: bf16, %a1: bf16, %a2: f32):
    %w = arith.extf %a0 : bf16 to f32
    %y = arith.extf %a1 : bf16 to f32
    %c = arith.subf %y, %a2 : f32
    %p = arith.mulf %w, %c : f32
    kernel.yield %w, %p : f32, f32
  } : tensor<150xf32>, tensor<150xf32>
  kernel.return %r#0, %r#1 : tensor<150xf32>, tensor<150xf32>
}

// Several stripes of columns in a task, of sums of two widths.
kernel.program @stripes(%i0: tensor<2x10x2500xf32>) -> (tensor<2x2500xf32>, tensor<2x2500xf64>) {
  %r:2 = kernel.reduce max (%i0 : tensor<2x10x2500xf32>) space [2, 10, 2500]
      maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
        -> [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>] {
  ^bb0(%a0: f32):
    %w = arith.extf %a0 : f32 to f64
    kernel.yield %a0, %w : f32, f64
  } : tensor<2x2500xf32>, tensor<2x2500xf64>
  kernel.return %r#0, %r#1 : tensor<2x2500xf32>, tensor<2x2500xf64>
}
