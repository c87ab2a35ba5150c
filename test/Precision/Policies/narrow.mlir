// Policy narrow: tensors between ops are 16 bits, numbers inside an op are not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --amp-assign-precision="precision=f16 policy=narrow" --train-strip-origins | FileCheck %s
// RUN: %ampc-opt %s --amp-assign-precision="precision=bf16 policy=narrow" --train-strip-origins | FileCheck %s --check-prefix=BF16
// RUN: %ampc-opt %s --amp-assign-precision="precision=f16 policy=narrow explain" --train-strip-origins 2>&1 >/dev/null | FileCheck %s --check-prefix=EXPLAIN

#act = #train.origin<"act">
#h = #train.origin<"h">
#log = #train.origin<"log">
#masked = #train.origin<"masked">
#more = #train.origin<"more">
#much = #train.origin<"much">
#norm = #train.origin<"norm">
#p = #train.origin<"p">
#positive = #train.origin<"positive">
#t = #train.origin<"t">
train.model @narrow {
  // A batch norm of 65536 pixels in the form of simplify: a single name for all parts. f16 ends at 65504.
  // CHECK-LABEL: train.func @norm
  // BF16-LABEL:  train.func @norm
  train.func @norm(%x: tensor<65536x16xf32>, %w: tensor<16x16xf32>, %valid: tensor<i32>, %mean: tensor<16xf32>) -> (tensor<65536x16xf32>, tensor<16xf32> {train.is = #train.state<@mean>}) {
    %eps = train.constant dense<1.0e-5> : tensor<f32>
    %keep = train.constant dense<0.9> : tensor<f32>
    // CHECK: %[[H:.*]] = train.cast %{{.*}} {{.*}}: tensor<65536x16xf32> to tensor<65536x16xf16>
    %h = train.matmul %x, %w {train.origin = #h} : (tensor<65536x16xf32>, tensor<16x16xf32>) -> tensor<65536x16xf32>
    // CHECK: train.cast %{{.*}} {amp.decision = #amp.decision<"statistic", "single numbers (counts, losses, cotangents of losses) stay in f32">} : tensor<i32> to tensor<f32>
    %count = train.cast %valid {train.origin = #norm} : tensor<i32> to tensor<f32>
    // CHECK: train.reduce_sum {{.*}} : tensor<65536x16xf32>
    %sum = train.reduce_sum %h over [0] {train.origin = #norm} : tensor<65536x16xf32>
    // CHECK-NEXT: %[[M:.*]] = train.div {{.*}}a statistic of the op stays in f32{{.*}} : tensor<16xf32>, tensor<f32>
    %m = train.div %sum, %count {train.origin = #norm} : tensor<16xf32>, tensor<f32>
    // CHECK: train.sub {{.*}}only the result of an op is rounded, not intermediate values{{.*}} : tensor<65536x16xf32>, tensor<16xf32>
    %d = train.sub %h, %m {train.origin = #norm} : tensor<65536x16xf32>, tensor<16xf32>
    %s = train.square %d {train.origin = #norm} : tensor<65536x16xf32>
    %t = train.reduce_sum %s over [0] {train.origin = #norm} : tensor<65536x16xf32>
    // CHECK: train.div {{.*}} : tensor<16xf32>, tensor<f32>
    %v = train.div %t, %count {train.origin = #norm} : tensor<16xf32>, tensor<f32>
    // CHECK: train.add {{.*}}a statistic of the op stays in f32{{.*}} : tensor<16xf32>, tensor<f32>
    %e = train.add %v, %eps {train.origin = #norm} : tensor<16xf32>, tensor<f32>
    %r = train.rsqrt %e {train.origin = #norm} : tensor<16xf32>
    // Rounded once, at the end of the op.
    // CHECK: %[[N:.*]] = train.mul {{.*}}amp.decision<"narrow"{{.*}} : tensor<65536x16xf32>, tensor<16xf32>
    // CHECK-NEXT: %[[N16:.*]] = train.cast %[[N]] {{.*}}: tensor<65536x16xf32> to tensor<65536x16xf16>
    // BF16: train.mul {{.*}}amp.decision<"narrow"{{.*}} : tensor<65536x16xf32>, tensor<16xf32>
    // BF16-NEXT: train.cast {{.*}} {{.*}}: tensor<65536x16xf32> to tensor<65536x16xbf16>
    %n = train.mul %d, %r {train.origin = #norm} : tensor<65536x16xf32>, tensor<16xf32>
    // CHECK: train.mul {{.*}} : tensor<16xf32>, tensor<f32>
    // CHECK: train.add {{.*}}amp.decision<"state"{{.*}} : tensor<16xf32>, tensor<16xf32>
    %old = train.mul %mean, %keep {train.origin = #norm} : tensor<16xf32>, tensor<f32>
    %new = train.add %old, %m {train.origin = #norm} : tensor<16xf32>, tensor<16xf32>
    // CHECK: train.tanh %[[N16]] {{.*}} : tensor<65536x16xf16>
    %y = train.tanh %n {train.origin = #act} : tensor<65536x16xf32>
    train.return %y, %new : tensor<65536x16xf32>, tensor<16xf32>
  }

  // Values beyond the type stay f32: constants, numbers in attributes, results with a bound beyond the type's largest number, and operands of a logarithm.
  // CHECK-LABEL: train.func @ranges
  // BF16-LABEL:  train.func @ranges
  train.func @ranges(%x: tensor<8x8xf32>, %on: tensor<8x8xi1>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %mask = train.constant dense<-1.0e9> : tensor<f32>
    %large = train.constant dense<600.0> : tensor<f32>
    // CHECK: train.select {{.*}}amp.decision<"range", "the constant -1e+09 overflows in f16">{{.*}} : tensor<8x8xi1>, tensor<8x8xf32>, tensor<f32>
    // BF16:  train.select {{.*}} : tensor<8x8xi1>, tensor<8x8xbf16>, tensor<bf16>
    %0 = train.select %on, %x, %mask {train.origin = #masked} : tensor<8x8xi1>, tensor<8x8xf32>, tensor<f32>
    %1 = train.softmax %0 {train.origin = #p} : tensor<8x8xf32>
    // CHECK: train.clamp {{.*}}amp.decision<"range", "{{.*}}the low 1e-12 becomes 0 in f16">{{.*}} : tensor<8x8xf32>
    // BF16:  train.clamp {{.*}}amp.decision<"cancellation", "{{.*}}a singularity of train.log at log">{{.*}} : tensor<8x8xf32>
    %2 = train.clamp %1 from 1.0e-12 to 1.0 {train.origin = #positive} : tensor<8x8xf32>
    %3 = train.log %2 {train.origin = #log} : tensor<8x8xf32>
    %4 = train.tanh %x {train.origin = #t} : tensor<8x8xf32>
    %5 = train.mul %4, %large {train.origin = #much} : tensor<8x8xf32>, tensor<f32>
    // CHECK: train.mul {{.*}}elements may reach 360000{{.*}} : tensor<8x8xf32>, tensor<8x8xf32>
    %6 = train.mul %5, %5 {train.origin = #more} : tensor<8x8xf32>, tensor<8x8xf32>
    train.return %3, %6 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
// EXPLAIN: norm: train.cast computes in 'f32' (statistic): single numbers (counts, losses, cotangents of losses) stay in f32
// EXPLAIN: masked: train.select computes in 'f32' (range): the constant -1e+09 overflows in f16
