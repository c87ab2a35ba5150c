// Bytes that rounds of a loop move count in every round: those of values computed inside, and those of values from outside that rounds read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc compile %s --precision=bf16 --explain-precision --compile-to=precision 2>&1 >/dev/null | FileCheck %s --check-prefix=COST
// RUN: ampc compile %s --precision=bf16 --compile-to=precision 2>/dev/null | FileCheck %s
train.model @loops(batch = 4, width = 8) {
  train.param @w : f32[width, width] = #train.kaiming_uniform
  // Bytes, by hand; tensors have 32 elements. x, and its copy in bf16: 2 * 4 * 32 + 6 * 32 = 448. k, written once, read by the product and by 50 rounds, and the copy in bf16 for the
  // product: 4 * 32 * 52 + 6 * 32 = 6848. n, written and read by 50 rounds, and returned: 4 * 32 * 101 = 12928. q: 256; s0: 128. Of k in bf16: 2 * 32 * 52 + 50 * 6 * 32 = 12928.
  // COST: bytes moved by @export.captured under the same compute types: mincut 20608, autocast 26688, propagate 26688,
  // k is stored in f32, and rounded once for the product: in bf16 each of 50 rounds would widen k for a sum in f32.
  // CHECK-LABEL: train.func @export.captured
  // CHECK: %[[K:.*]] = train.matmul {{.*}} -> tensor<4x8xf32>
  // CHECK: train.scan carry %[[S:.*]] = %{{.*}} times 50 : tensor<4x8xf32>
  // CHECK-NEXT: train.add %[[S]], %[[K]]
  // CHECK-NEXT: train.next
  train.func @captured(%x: f32[batch, width], %s0: f32[batch, width]) {
    %k = train.matmul %x, %w
    %q = train.matmul %k, %w
    %s = train.scan carry %a = %s0 times 50 {
      %n = train.add %a, %k
      train.next %n
    }
    train.return %q, %s
  }
  train.export @captured as "captured"
}
