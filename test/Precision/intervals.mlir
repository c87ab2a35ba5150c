// Bounds that hold for every input, op by op, against the end of f16 at 65504.
// RUN: %ampc-opt %s --train-name-ops --amp-assign-precision="precision=f16" --train-strip-origins | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

train.model @intervals {
  // [0, 40000] + [0, 40000]
  // CHECK-LABEL: train.func @add
  train.func @add(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %a = train.clamp %x from 0.0 to 4.0e4 : tensor<8x8xf32>
    %b = train.clamp %x from -0.0 to 4.0e4 : tensor<8x8xf32>
    // CHECK: train.add {{.*}}elements may reach 80000
    %r = train.add %a, %b : tensor<8x8xf32>, tensor<8x8xf32>
    %m = train.matmul %r, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    train.return %m : tensor<8x8xf32>
  }
  // [0, 40000] - [-40000, 0]
  // CHECK-LABEL: train.func @sub
  train.func @sub(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %a = train.clamp %x from 0.0 to 4.0e4 : tensor<8x8xf32>
    %b = train.clamp %x from -4.0e4 to 0.0 : tensor<8x8xf32>
    // CHECK: train.sub {{.*}}elements may reach 80000
    %r = train.sub %a, %b : tensor<8x8xf32>, tensor<8x8xf32>
    %m = train.matmul %r, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    train.return %m : tensor<8x8xf32>
  }
  // [-300, 1] * [-1, 300]
  // CHECK-LABEL: train.func @mul
  train.func @mul(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %a = train.clamp %x from -300.0 to 1.0 : tensor<8x8xf32>
    %b = train.clamp %x from -1.0 to 300.0 : tensor<8x8xf32>
    // CHECK: train.mul {{.*}}elements may reach 90000
    %r = train.mul %a, %b : tensor<8x8xf32>, tensor<8x8xf32>
    %m = train.matmul %r, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    train.return %m : tensor<8x8xf32>
  }
  // [-60000, 0] * 2: the lower end counts as well.
  // CHECK-LABEL: train.func @clamp
  train.func @clamp(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %k = train.constant dense<2.0> : tensor<f32>
    %a = train.clamp %x from -6.0e4 to 0.0 : tensor<8x8xf32>
    // CHECK: train.mul {{.*}}elements may reach 120000
    %r = train.mul %a, %k : tensor<8x8xf32>, tensor<f32>
    %m = train.matmul %r, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    train.return %m : tensor<8x8xf32>
  }

  // [-1, 1] * 40000 - 30000
  // CHECK-LABEL: train.func @tanh
  train.func @tanh(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %k = train.constant dense<4.0e4> : tensor<f32>
    %s = train.constant dense<3.0e4> : tensor<f32>
    %t = train.tanh %x : tensor<8x8xf32>
    %a = train.mul %t, %k : tensor<8x8xf32>, tensor<f32>
    // CHECK: train.sub {{.*}}elements may reach 70000
    %r = train.sub %a, %s : tensor<8x8xf32>, tensor<f32>
    %m = train.matmul %r, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    train.return %m : tensor<8x8xf32>
  }
  // [-1, 1] * 60000
  // CHECK-LABEL: train.func @bounded_tanh
  train.func @bounded_tanh(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %k = train.constant dense<6.0e4> : tensor<f32>
    %t = train.tanh %x : tensor<8x8xf32>
    // CHECK: train.mul {{.*}}amp.decision<"cut"
    // CHECK-NEXT: train.cast {{.*}} to tensor<8x8xf16>
    %r = train.mul %t, %k : tensor<8x8xf32>, tensor<f32>
    %m = train.matmul %r, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    train.return %m : tensor<8x8xf32>
  }
  // [0, 1] * 60000 + 5504 ends at 65504, the largest number of f16.
  // CHECK-LABEL: train.func @bounded_sigmoid
  train.func @bounded_sigmoid(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %k = train.constant dense<6.0e4> : tensor<f32>
    %s = train.constant dense<5504.0> : tensor<f32>
    %t = train.sigmoid %x : tensor<8x8xf32>
    %a = train.mul %t, %k : tensor<8x8xf32>, tensor<f32>
    // CHECK: train.add {{.*}}amp.decision<"cut"
    // CHECK-NEXT: train.cast {{.*}} to tensor<8x8xf16>
    %r = train.add %a, %s : tensor<8x8xf32>, tensor<f32>
    %m = train.matmul %r, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    train.return %m : tensor<8x8xf32>
  }
  // A bound of 65505 is too large.
  // CHECK-LABEL: train.func @beyond_sigmoid
  train.func @beyond_sigmoid(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %k = train.constant dense<6.0e4> : tensor<f32>
    %s = train.constant dense<5505.0> : tensor<f32>
    %t = train.sigmoid %x : tensor<8x8xf32>
    %a = train.mul %t, %k : tensor<8x8xf32>, tensor<f32>
    // CHECK: train.add {{.*}}elements may reach 65505
    %r = train.add %a, %s : tensor<8x8xf32>, tensor<f32>
    %m = train.matmul %r, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    train.return %m : tensor<8x8xf32>
  }
  // An infinity is an infinity in f16, too, and no overflow.
  // CHECK-LABEL: train.func @infinite
  train.func @infinite(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %k = train.constant dense<0xFF800000> : tensor<f32>
    %z = train.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %keep = train.compare gt %z, %x : tensor<8x8xf32>, tensor<8x8xf32>
    // CHECK: train.select {{.*}}amp.decision<"cut"{{.*}} : tensor<8x8xi1>, tensor<8x8xf16>
    %r = train.select %keep, %z, %k : tensor<8x8xi1>, tensor<8x8xf32>, tensor<f32>
    %m = train.matmul %r, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    train.return %m : tensor<8x8xf32>
  }

  // 16 products of at most 64 * 64 in a sum of f32: only the store of 65536 overflows.
  // CHECK-LABEL: train.func @product
  train.func @product(%x: tensor<8x16xf32>, %y: tensor<4x64xf32>) -> (tensor<8x8xf32>, tensor<64x64xf32>) {
    %a = train.clamp %x from -64.0 to 64.0 : tensor<8x16xf32>
    // CHECK: train.matmul {{.*}}elements may reach 65536
    %0 = train.matmul %a, %a transpose_rhs : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x8xf32>
    %1 = train.softmax %0 : tensor<8x8xf32>
    %2 = train.matmul %1, %1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // A transposed left side has the terms along the other dimension: 4 * 64 * 64.
    %b = train.clamp %y from -64.0 to 64.0 : tensor<4x64xf32>
    // CHECK: train.matmul {{.*}} transpose_lhs {amp.decision = #amp.decision<"contraction"
    %3 = train.matmul %b, %b transpose_lhs : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<64x64xf32>
    %4 = train.softmax %3 : tensor<64x64xf32>
    %5 = train.matmul %4, %4 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    train.return %2, %5 : tensor<8x8xf32>, tensor<64x64xf32>
  }

  // Attention gives means of the values' rows.
  // CHECK-LABEL: train.func @attention
  train.func @attention(%q: tensor<2x8x16xf32>) -> tensor<2x8x8xf32> {
    %v = train.clamp %q from -7.0e4 to 7.0e4 : tensor<2x8x16xf32>
    // CHECK: train.attention {{.*}}elements may reach 70000
    %0, %1 = train.attention %q, %q, %v : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>, tensor<2x2x8xf32>
    %2 = train.matmul %0, %q transpose_rhs : (tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> tensor<2x8x8xf32>
    train.return %2 : tensor<2x8x8xf32>
  }

  // Numbers made from integers are kept in f32 for readers in f32.
  // CHECK-LABEL: train.func @integers
  train.func @integers(%i: tensor<8x8xi32>) -> tensor<8x8xf32> {
    // CHECK: train.cast {{.*}}amp.decision<"integer", "{{.*}}16 bits do not hold every integer{{.*}} {{.*}}: tensor<8x8xi32> to tensor<8x8xf32>
    %0 = train.cast %i : tensor<8x8xi32> to tensor<8x8xf32>
    %1 = train.matmul %0, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    train.return %1 : tensor<8x8xf32>
  }
}
