// Constants that do not fit, and bounds that hold for every input.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --train-name-ops --amp-assign-precision="precision=f16" --train-strip-origins | FileCheck %s
// RUN: %ampc-opt %s --train-name-ops --amp-assign-precision="precision=bf16" --train-strip-origins | FileCheck %s --check-prefix=BF16
// RUN: %ampc-opt %s --train-name-ops --amp-assign-precision="precision=f16 policy=autocast" --train-strip-origins | FileCheck %s --check-prefix=LIST
// RUN: %ampc-opt %s --train-name-ops --amp-assign-precision="precision=f16 policy=propagate" --train-strip-origins | FileCheck %s --check-prefix=LIST
// RUN: %ampc-opt %s --train-name-ops --amp-assign-precision="precision=f16 override=masked=f16" --train-strip-origins 2>%t.txt | FileCheck %s --check-prefix=FORCED
// RUN: FileCheck %s --check-prefix=WARN < %t.txt

train.model @ranges {
  // Scores without a known bound stay in f32 until the softmax; so does an operand to which a mask of -1e9 is added. bf16 holds both.
  // CHECK-LABEL: train.func @attention
  // BF16-LABEL:  train.func @attention
  train.func @attention(%q: tensor<4x8x16xf32>, %k: tensor<4x8x16xf32>, %v: tensor<4x8x16xf32>, %keep: tensor<8x8xi1>) -> tensor<4x8x16xf32> {
    %scale = train.constant dense<0.25> : tensor<f32>
    %mask = train.constant dense<-1.0e9> : tensor<f32>
    // CHECK: train.matmul {{.*}}amp.decision<"range", "{{.*}}f16 ends at 65504{{.*}} : (tensor<4x8x16xf16>, tensor<4x8x16xf16>) -> tensor<4x8x8xf32>
    // BF16:  train.matmul {{.*}}amp.decision<"same-kernel"
    %0 = train.matmul %q, %k transpose_rhs : (tensor<4x8x16xf32>, tensor<4x8x16xf32>) -> tensor<4x8x8xf32>
    // CHECK-NEXT: train.mul {{.*}}amp.decision<"range"{{.*}} : tensor<4x8x8xf32>, tensor<f32>
    %1 = train.mul %0, %scale : tensor<4x8x8xf32>, tensor<f32>
    // CHECK-NEXT: train.select {{.*}}the constant -1e+09 overflows in f16{{.*}} : tensor<8x8xi1>, tensor<4x8x8xf32>, tensor<f32>
    // BF16:  train.select {{.*}} : tensor<8x8xi1>, tensor<4x8x8xbf16>, tensor<bf16>
    %2 = train.select %keep, %1, %mask : tensor<8x8xi1>, tensor<4x8x8xf32>, tensor<f32>
    // CHECK-NEXT: %[[P:.*]] = train.softmax {{.*}}amp.decision<"normalize"{{.*}} : tensor<4x8x8xf32>
    // CHECK-NEXT: train.cast %[[P]] {{.*}}: tensor<4x8x8xf32> to tensor<4x8x8xf16>
    %3 = train.softmax %2 : tensor<4x8x8xf32>
    %4 = train.matmul %3, %v : (tensor<4x8x8xf32>, tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
    train.return %4 : tensor<4x8x16xf32>
  }

  // A bound that is known: |tanh| <= 1 gives |scores| <= 16.
  // CHECK-LABEL: train.func @bounded
  train.func @bounded(%x: tensor<4x8x16xf32>, %v: tensor<4x8x16xf32>) -> tensor<4x8x16xf32> {
    %0 = train.tanh %x : tensor<4x8x16xf32>
    // CHECK: %[[S:.*]] = train.matmul {{.*}}amp.decision<"contraction"
    // CHECK-NEXT: train.cast %[[S]] {{.*}}: tensor<4x8x8xf32> to tensor<4x8x8xf16>
    %1 = train.matmul %0, %0 transpose_rhs : (tensor<4x8x16xf32>, tensor<4x8x16xf32>) -> tensor<4x8x8xf32>
    %2 = train.softmax %1 : tensor<4x8x8xf32>
    %3 = train.matmul %2, %v : (tensor<4x8x8xf32>, tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
    train.return %3 : tensor<4x8x16xf32>
  }

  // Rows of 16 numbers with mean 0 and mean square 1 hold none beyond the root of 15: with such queries and keys, scores are at most 16 * 4 * 15.
  // CHECK-LABEL: train.func @normalized
  train.func @normalized(%x: tensor<4x8x16xf32>, %y: tensor<4x8x16xf32>, %v: tensor<4x8x16xf32>) -> tensor<4x8x16xf32> {
    %gain = train.constant dense<2.0> : tensor<16xf32>
    %zero = train.constant dense<0.0> : tensor<16xf32>
    %q = train.layer_norm %x, %gain, %zero eps 1.0e-5 : tensor<4x8x16xf32>, tensor<16xf32>, tensor<16xf32>
    %k = train.rms_norm %y, %gain eps 1.0e-6 : tensor<4x8x16xf32>, tensor<16xf32>
    // CHECK: %[[S:.*]] = train.matmul {{.*}}amp.decision<"contraction"
    // CHECK-NEXT: train.cast %[[S]] {{.*}}: tensor<4x8x8xf32> to tensor<4x8x8xf16>
    %0 = train.matmul %q, %k transpose_rhs : (tensor<4x8x16xf32>, tensor<4x8x16xf32>) -> tensor<4x8x8xf32>
    %1 = train.softmax %0 : tensor<4x8x8xf32>
    %2 = train.matmul %1, %v : (tensor<4x8x8xf32>, tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
    train.return %2 : tensor<4x8x16xf32>
  }

  // With a gain of 300 a row of 16 could reach 1200, and the scores 16 * 1162 * 1200.
  // CHECK-LABEL: train.func @amplified
  train.func @amplified(%x: tensor<4x8x16xf32>, %y: tensor<4x8x16xf32>, %v: tensor<4x8x16xf32>) -> tensor<4x8x16xf32> {
    %gain = train.constant dense<300.0> : tensor<16xf32>
    %zero = train.constant dense<0.0> : tensor<16xf32>
    %q = train.layer_norm %x, %gain, %zero eps 1.0e-5 : tensor<4x8x16xf32>, tensor<16xf32>, tensor<16xf32>
    %k = train.rms_norm %y, %gain eps 1.0e-6 : tensor<4x8x16xf32>, tensor<16xf32>
    // CHECK: train.matmul {{.*}}amp.decision<"range", "{{.*}}elements may reach 2.23084e+07
    %0 = train.matmul %q, %k transpose_rhs : (tensor<4x8x16xf32>, tensor<4x8x16xf32>) -> tensor<4x8x8xf32>
    %1 = train.softmax %0 : tensor<4x8x8xf32>
    %2 = train.matmul %1, %v : (tensor<4x8x8xf32>, tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
    train.return %2 : tensor<4x8x16xf32>
  }

  // f16 ends before the square of 300, bf16 does not; both compute the square in f32.
  // CHECK-LABEL: train.func @squares
  // BF16-LABEL:  train.func @squares
  train.func @squares(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = train.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.square {{.*}}amp.decision<"full-precision"
    // BF16:  %[[S:.*]] = train.square {{.*}}amp.decision<"normalize"
    // BF16-NEXT: train.cast %[[S]] {{.*}}: tensor<8x8xf32> to tensor<8x8xbf16>
    %1 = train.square %0 : tensor<8x8xf32>
    %2 = train.matmul %1, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    train.return %2 : tensor<8x8xf32>
  }

  // An epsilon of 1e-12 would become 0, and a division by 0 infinite. Divisors stay f32 in bf16, too.
  // CHECK-LABEL: train.func @epsilon
  // BF16-LABEL:  train.func @epsilon
  train.func @epsilon(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %eps = train.constant dense<1.0e-12> : tensor<f32>
    %0 = train.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = train.abs %0 : tensor<8x8xf32>
    // CHECK: train.add {{.*}}the constant 1e-12 becomes 0 in f16{{.*}} : tensor<8x8xf32>, tensor<f32>
    // BF16:  train.add {{.*}} : tensor<8x8xf32>, tensor<f32>
    %2 = train.add %1, %eps : tensor<8x8xf32>, tensor<f32>
    // CHECK: train.div
    %3 = train.div %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
    %4 = train.matmul %3, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    train.return %4 : tensor<8x8xf32>
  }

  // The same under the other policies; an override that asks for f16 does not round a constant away either.
  // CHECK-LABEL: train.func @policies
  // LIST-LABEL:  train.func @policies
  // FORCED-LABEL: train.func @policies
  train.func @policies(%x: tensor<8x8xf32>, %on: tensor<8x8xi1>) -> tensor<8x8xf32> {
    %mask = train.constant dense<-1.0e9> : tensor<f32>
    %0 = train.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // LIST:   train.select {{.*}}amp.decision<"range", "the constant -1e+09 overflows in f16">{{.*}} : tensor<8x8xi1>, tensor<8x8xf32>, tensor<f32>
    // FORCED: train.select {{.*}}amp.decision<"range", "the constant -1e+09 overflows in f16, although the override \22masked\22 fixes the type">{{.*}} : tensor<8x8xi1>, tensor<8x8xf32>, tensor<f32>
    %1 = train.select %on, %0, %mask : tensor<8x8xi1>, tensor<8x8xf32>, tensor<f32> loc("masked")
    // CHECK: train.clamp {{.*}}the low 1e-12 becomes 0 in f16{{.*}} : tensor<8x8xf32>
    // LIST:  train.clamp {{.*}}the low 1e-12 becomes 0 in f16{{.*}} : tensor<8x8xf32>
    %2 = train.clamp %0 from 1.0e-12 to 1.0 : tensor<8x8xf32>
    %3 = train.matmul %1, %2 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    train.return %3 : tensor<8x8xf32>
  }

  // A contraction with an operand known not to fit computes in f32, under every policy.
  // CHECK-LABEL: train.func @contractions
  // LIST-LABEL:  train.func @contractions
  // BF16-LABEL:  train.func @contractions
  train.func @contractions(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %large = train.constant dense<7.0e4> : tensor<8x8xf32>
    // CHECK: train.matmul {{.*}}amp.decision<"range", "an operand does not fit f16: the constant 70000 overflows in f16">{{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>)
    // LIST:  train.matmul {{.*}}amp.decision<"range", "an operand does not fit f16: the constant 70000 overflows in f16">{{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>)
    // BF16:  train.matmul {{.*}} : (tensor<8x8xbf16>, tensor<8x8xbf16>)
    %0 = train.matmul %x, %large : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = train.clamp %0 from -6.6e4 to 6.6e4 : tensor<8x8xf32>
    // CHECK: train.matmul {{.*}}amp.decision<"range", "an operand does not fit f16: elements may reach 66000, more than f16 holds">{{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>)
    // LIST:  train.matmul {{.*}}amp.decision<"range", "an operand does not fit f16: elements may reach 66000, more than f16 holds">{{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>)
    // BF16:  train.matmul {{.*}} : (tensor<8x8xbf16>, tensor<8x8xbf16>)
    %2 = train.matmul %1, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = train.clamp %2 from -6.5e4 to 6.5e4 : tensor<8x8xf32>
    // CHECK: train.matmul {{.*}} : (tensor<8x8xf16>, tensor<8x8xf16>)
    // LIST:  train.matmul {{.*}} : (tensor<8x8xf16>, tensor<8x8xf16>)
    // BF16:  train.matmul {{.*}} : (tensor<8x8xbf16>, tensor<8x8xbf16>)
    %4 = train.matmul %3, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    train.return %4 : tensor<8x8xf32>
  }
}
// WARN: masked: expected 'f16' to hold the op's numbers, but the constant -1e+09 overflows in f16: the op computes in f32
