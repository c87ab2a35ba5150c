// Values that the cut leaves in f32 to keep the error within the error of autocast, and values that no policy may round.
// RUN: %ampc-opt %s --train-name-ops --amp-assign-precision="precision=bf16" --train-strip-origins | FileCheck %s
// RUN: %ampc-opt %s --train-name-ops --amp-assign-precision="precision=bf16 policy=autocast-cpu" --train-strip-origins | FileCheck %s --check-prefix=LIST
// RUN: %ampc-opt %s --train-name-ops --amp-assign-precision="precision=bf16 policy=propagate" --train-strip-origins | FileCheck %s --check-prefix=LIST
// RUN: %ampc-opt %s --train-name-ops --amp-assign-precision="precision=bf16 policy=narrow" --train-strip-origins | FileCheck %s --check-prefix=LIST
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @sensitive {
  train.param @w : tensor<16x16xf32> = #train.zeros
  train.param @table : tensor<50x16xf32> = #train.zeros
  // 1 - sigmoid(x) is 0 in bf16 from x = 6 on.
  // CHECK-LABEL: train.func @difference
  // LIST-LABEL:  train.func @difference
  train.func @difference(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
    %w = train.read @w : tensor<16x16xf32>
    %one = train.constant dense<1.0> : tensor<f32>
    %z = train.matmul %x, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    // CHECK: train.sigmoid {{.*}}amp.decision<"cancellation", "{{.*}}a singularity of train.log at {{.*}} : tensor<8x16xf32>
    // LIST:  train.sigmoid {{.*}} : tensor<8x16xf32>
    %p = train.sigmoid %z : tensor<8x16xf32>
    // CHECK: train.sub {{.*}} : tensor<f32>, tensor<8x16xf32>
    // LIST:  train.sub {{.*}} : tensor<f32>, tensor<8x16xf32>
    %q = train.sub %one, %p : tensor<f32>, tensor<8x16xf32>
    %l = train.log %q : tensor<8x16xf32>
    %m = train.matmul %l, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %n = train.matmul %p, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %s = train.add %m, %n : tensor<8x16xf32>, tensor<8x16xf32>
    train.return %s : tensor<8x16xf32>
  }
  // A loss that is written out, from the last product on.
  // CHECK-LABEL: train.func @written_out
  train.func @written_out(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<16x16xf32>
    %z = train.matmul %x, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    // CHECK: train.tanh {{.*}}amp.decision<"loss"{{.*}} : tensor<8x16xf32>
    %t = train.tanh %z : tensor<8x16xf32>
    // CHECK: train.sub {{.*}}amp.decision<"loss"{{.*}} : tensor<8x16xf32>, tensor<8x16xf32>
    %d = train.sub %t, %y : tensor<8x16xf32>, tensor<8x16xf32>
    // CHECK: train.square {{.*}}amp.decision<"loss"{{.*}} : tensor<8x16xf32>
    %s = train.square %d : tensor<8x16xf32>
    %a = train.mul %d, %t : tensor<8x16xf32>, tensor<8x16xf32>
    %b = train.add %a, %s : tensor<8x16xf32>, tensor<8x16xf32>
    %l = train.reduce_mean %b over [0, 1] : tensor<8x16xf32>
    train.return %l : tensor<f32>
  }
  // Rows of a table, and terms added to the rows, are f32 until a product reads the rows.
  // CHECK-LABEL: train.func @stream
  train.func @stream(%i: tensor<8xi32>) -> tensor<8x16xf32> {
    %w = train.read @w : tensor<16x16xf32>
    %table = train.read @table : tensor<50x16xf32>
    // CHECK: %[[E:.*]] = train.gather {{.*}}amp.decision<"unrounded"{{.*}} : tensor<50x16xf32>, tensor<8xi32>
    %e = train.gather %table at %i : tensor<50x16xf32>, tensor<8xi32>
    // CHECK: %[[M:.*]] = train.matmul
    %m = train.matmul %e, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    // CHECK: train.add %[[E]], {{.*}}amp.decision<"unrounded"{{.*}} : tensor<8x16xf32>, tensor<8x16xf32>
    %s = train.add %e, %m : tensor<8x16xf32>, tensor<8x16xf32>
    %n = train.matmul %s, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    // A value between two products is rounded once.
    // CHECK: %[[T:.*]] = train.tanh {{.*}}amp.decision<"cut"
    // CHECK-NEXT: train.cast %[[T]] {{.*}}: tensor<8x16xf32> to tensor<8x16xbf16>
    %t = train.tanh %n : tensor<8x16xf32>
    %o = train.matmul %t, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %r = train.add %s, %o : tensor<8x16xf32>, tensor<8x16xf32>
    %k = train.matmul %r, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    train.return %k : tensor<8x16xf32>
  }
  // Without a contraction nothing is rounded.
  // CHECK-LABEL: train.func @factors
  // CHECK-NOT: bf16
  train.func @factors(%i: tensor<8xi32>, %j: tensor<8xi32>) -> tensor<8xf32> {
    %table = train.read @table : tensor<50x16xf32>
    %a = train.gather %table at %i : tensor<50x16xf32>, tensor<8xi32>
    %b = train.gather %table at %j : tensor<50x16xf32>, tensor<8xi32>
    %p = train.mul %a, %b : tensor<8x16xf32>, tensor<8x16xf32>
    %s = train.reduce_sum %p over [1] : tensor<8x16xf32>
    train.return %s : tensor<8xf32>
  }
}
