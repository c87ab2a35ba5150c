// Rows of tables: sorted places in one block and in several, one to three digits; vectors of rows and of parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc-kernel-run --target=sm_80 %if avx512 %{--same-as=avx512%} %s | FileCheck %s --implicit-check-not=FAILED
// RUN: ampc-kernel-run --target=sm_80 --emit=nvvm %s | FileCheck %s --check-prefix=FORMS

// CHECK-COUNT-13: _sm_80: {{.*}}ok
// FORMS-COUNT-4: form = "sorted places"
// FORMS-COUNT-3: form = "sorted updates"
// FORMS: form = "every row searches for updates"

// A single block, a single digit.
kernel.program @group(%i: tensor<2047xi32>) -> (tensor<200xi32>, tensor<2047xi32>, tensor<201xi32>) {
  %r:3 = kernel.sort_by_key %i of 200 {test.limit = 190} : tensor<2047xi32> -> tensor<200xi32>, tensor<2047xi32>, tensor<201xi32>
  kernel.return %r#0, %r#1, %r#2 : tensor<200xi32>, tensor<2047xi32>, tensor<201xi32>
}
// Indices that name no row.
kernel.program @group_outside(%i: tensor<700xi32>) -> (tensor<300xi32>, tensor<700xi32>, tensor<301xi32>) {
  %r:3 = kernel.sort_by_key %i of 300 {test.limit = 900} : tensor<700xi32> -> tensor<300xi32>, tensor<700xi32>, tensor<301xi32>
  kernel.return %r#0, %r#1, %r#2 : tensor<300xi32>, tensor<700xi32>, tensor<301xi32>
}
// Several blocks; two and three digits.
kernel.program @group_blocks(%i: tensor<5003xi32>) -> (tensor<5003xi32>, tensor<5003xi32>, tensor<5004xi32>) {
  %r:3 = kernel.sort_by_key %i of 50257 {test.limit = 6000} : tensor<5003xi32> -> tensor<5003xi32>, tensor<5003xi32>, tensor<5004xi32>
  kernel.return %r#0, %r#1, %r#2 : tensor<5003xi32>, tensor<5003xi32>, tensor<5004xi32>
}
kernel.program @group_digits(%i: tensor<2100xi32>) -> (tensor<2100xi32>, tensor<2100xi32>, tensor<2101xi32>) {
  %r:3 = kernel.sort_by_key %i of 100000 {test.limit = 100001} : tensor<2100xi32> -> tensor<2100xi32>, tensor<2100xi32>, tensor<2101xi32>
  kernel.return %r#0, %r#1, %r#2 : tensor<2100xi32>, tensor<2100xi32>, tensor<2101xi32>
}

// Most rows get no update; some get many.
kernel.program @scatter(%u: tensor<600x8xf32>, %i: tensor<600xi32>) -> tensor<1000x8xf32> {
  %r = kernel.scatter_add %u, %i {test.limit = 40} : tensor<600x8xf32>, tensor<600xi32> -> tensor<1000x8xf32>
  kernel.return %r : tensor<1000x8xf32>
}
kernel.program @scatter_padding(%u: tensor<2500x3xf64>, %i: tensor<2500xi32>) -> tensor<300x3xf64> {
  %r = kernel.scatter_add %u, %i padding 7 {test.limit = 350} : tensor<2500x3xf64>, tensor<2500xi32> -> tensor<300x3xf64>
  kernel.return %r : tensor<300x3xf64>
}
kernel.program @scatter_bf16(%u: tensor<300x12xbf16>, %i: tensor<300xi32>) -> tensor<50x12xf32> {
  %r = kernel.scatter_add %u, %i {test.limit = 50} : tensor<300x12xbf16>, tensor<300xi32> -> tensor<50x12xf32>
  kernel.return %r : tensor<50x12xf32>
}
kernel.program @scatter_few(%u: tensor<256x12xbf16>, %i: tensor<256xi32>) -> tensor<50x12xf32> {
  %r = kernel.scatter_add %u, %i {test.limit = 50} : tensor<256x12xbf16>, tensor<256xi32> -> tensor<50x12xf32>
  kernel.return %r : tensor<50x12xf32>
}

kernel.program @gather(%t: tensor<17x24xbf16>, %i: tensor<50xi32>) -> tensor<50x24xbf16> {
  %r = kernel.gather %t, %i {test.limit = 20} : tensor<17x24xbf16>, tensor<50xi32> -> tensor<50x24xbf16>
  kernel.return %r : tensor<50x24xbf16>
}
kernel.program @scatter_rows(%r: tensor<50x12xf32>, %i: tensor<50xi32>, %t: tensor<70x12xf32>) -> tensor<70x12xf32> {
  %y = kernel.scatter_rows %r, %i into %t {test.distinct, test.limit = 90} : tensor<50x12xf32>, tensor<50xi32>, tensor<70x12xf32>
  kernel.return %y : tensor<70x12xf32>
}
// Parts that are contiguous from the second dimension on; flags; every second row.
kernel.program @concat(%a: tensor<5x3x8xbf16>, %b: tensor<5x4x8xbf16>) -> tensor<5x7x8xbf16> {
  %y = kernel.assemble(%a, %b : tensor<5x3x8xbf16>, tensor<5x4x8xbf16>) offsets [0, 0, 0, 0, 3, 0] strides [1, 1, 1, 1, 1, 1] fill 0.0 -> tensor<5x7x8xbf16>
  kernel.return %y : tensor<5x7x8xbf16>
}
kernel.program @flags(%a: tensor<3x16xi1>, %b: tensor<3x8xi1>) -> tensor<3x24xi1> {
  %y = kernel.assemble(%a, %b : tensor<3x16xi1>, tensor<3x8xi1>) offsets [0, 0, 0, 16] strides [1, 1, 1, 1] fill 0.0 -> tensor<3x24xi1>
  kernel.return %y : tensor<3x24xi1>
}
kernel.program @spread(%a: tensor<5x12xf32>) -> tensor<11x16xf32> {
  %y = kernel.assemble(%a : tensor<5x12xf32>) offsets [1, 4] strides [2, 1] fill 0.5 -> tensor<11x16xf32>
  kernel.return %y : tensor<11x16xf32>
}
