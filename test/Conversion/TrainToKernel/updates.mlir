// RUN: ampc-opt %s --convert-train-to-kernel --cse | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

train.model @updates {
  // One kernel per parameter; values of step number and rate alone are computed once.
  // CHECK-LABEL: kernel.program @pointwise
  // CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<4x8xf32> {train.is = #train.input<"p">}
  // CHECK-SAME: %[[M:[a-z0-9]+]]: tensor<4x8xf32> {train.is = #train.input<"m">}
  // CHECK-SAME: %[[V:[a-z0-9]+]]: tensor<4x8xf32> {train.is = #train.input<"v">}
  // CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<4x8xf32> {train.is = #train.input<"q">}
  // CHECK-SAME: %[[QM:[a-z0-9]+]]: tensor<4x8xf32> {train.is = #train.input<"qm">}
  // CHECK-SAME: %[[QV:[a-z0-9]+]]: tensor<4x8xf32> {train.is = #train.input<"qv">}
  // CHECK-SAME: %[[PG:[a-z0-9]+]]: tensor<4x8xf32> {train.is = #train.input<"pg">}
  // CHECK-SAME: %[[QG:[a-z0-9]+]]: tensor<4x8xf32> {train.is = #train.input<"qg">}
  // CHECK-COUNT-2: math.exp
  // CHECK-NOT: math.exp
  // CHECK: %[[PN:.*]]:3 = kernel.map(%[[M]], %[[PG]], %[[V]], %[[MF:[^,]*]], %[[VF:[^,]*]], %[[LR:[^,]*]], %[[P]], %[[SKIP:[^ ]*]] : {{.*}}) space [4, 8]
  // CHECK: math.sqrt
  // CHECK-COUNT-3: arith.select
  // CHECK: %[[QN:.*]]:3 = kernel.map(%[[QM]], %[[QG]], %[[QV]], %[[MF]], %[[VF]], %[[LR]], %[[Q]], %[[SKIP]] : {{.*}}) space [4, 8]
  // CHECK: math.sqrt
  // CHECK-COUNT-3: arith.select
  // CHECK-NOT: kernel.map
  // CHECK: kernel.return %[[PN]]#0, %[[PN]]#1, %[[PN]]#2, %[[QN]]#0, %[[QN]]#1, %[[QN]]#2
  train.func @pointwise(%p: tensor<4x8xf32>, %m: tensor<4x8xf32>, %v: tensor<4x8xf32>, %q: tensor<4x8xf32>, %qm: tensor<4x8xf32>, %qv: tensor<4x8xf32>,
                        %pg: tensor<4x8xf32>, %qg: tensor<4x8xf32>, %n: tensor<i64>, %lr: tensor<f32>, %skip: tensor<i1>)
      -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) attributes {role = #train.role<export>} {
    %p1, %pm1:2 = train.update %p by #train.adam<lr = 0.1> from %pg moments(%m, %v) count %n rate %lr unless %skip
        : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<i64>, tensor<f32>, tensor<i1>
    %q1, %qm1:2 = train.update %q by #train.adam<lr = 0.1> from %qg moments(%qm, %qv) count %n rate %lr unless %skip
        : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<i64>, tensor<f32>, tensor<i1>
    train.return %p1, %pm1#0, %pm1#1, %q1, %qm1#0, %qm1#1
        : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
  }

  // Zeros in place of a gradient are a literal in the kernel of the first parameter, and not in the kernel of the second.
  // CHECK-LABEL: kernel.program @zeros
  // CHECK: kernel.map(%[[LR:[^,]*]], %[[P:[^ ]*]] : tensor<f32>, tensor<4xf32>) space [4]
  // CHECK: kernel.map(%[[LR]], %{{[^,]*}}, %[[P]] : tensor<f32>, tensor<4xf32>, tensor<4xf32>) space [4]
  train.func @zeros(%p: tensor<4xf32>, %g: tensor<4xf32>, %n: tensor<i64>, %lr: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
      attributes {role = #train.role<export>} {
    %zero = train.constant dense<0.0> : tensor<f32>
    %zeros = train.broadcast_to %zero : tensor<f32> to tensor<4xf32>
    %a = train.update %p by #train.sgd<lr = 0.1> from %zeros count %n rate %lr : tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>
    %b = train.update %p by #train.sgd<lr = 0.1> from %g count %n rate %lr : tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>
    train.return %a, %b : tensor<4xf32>, tensor<4xf32>
  }

  // Moments in 16 bits: the same kernel draws the random bits.
  // CHECK-LABEL: kernel.program @rounded
  // CHECK: kernel.map({{.*}} : {{.*}}tensor<4xbf16>{{.*}}) space [4]
  // CHECK-NEXT: ^bb0
  // CHECK: kernel.linear_index
  // CHECK: } : tensor<4xf32>, tensor<4xbf16>
  // CHECK-NEXT: kernel.return
  train.func @rounded(%p: tensor<4xf32>, %m: tensor<4xbf16>, %n: tensor<i64>, %lr: tensor<f32>) -> (tensor<4xf32>, tensor<4xbf16>)
      attributes {role = #train.role<export>} {
    %p1, %m1 = train.update %p by #train.sgd<lr = 0.1, momentum = 0.5, moments = bf16> from %p moments(%m) count %n rate %lr keys [3]
        : tensor<4xf32>, tensor<4xf32>, tensor<4xbf16>, tensor<i64>, tensor<f32>
    train.return %p1, %m1 : tensor<4xf32>, tensor<4xbf16>
  }

  // An accumulator per row: a sum, and kernels as in any function. A vector's accumulator has the shape of the vector, and is pointwise.
  // CHECK-LABEL: kernel.program @rows
  // CHECK: kernel.map({{.*}} space [4]
  // CHECK: } : tensor<4xf32>, tensor<4xf32>
  // CHECK: kernel.row_reduce sum
  // CHECK: kernel.return
  train.func @rows(%b: tensor<4xf32>, %bs: tensor<4xf32>, %w: tensor<4x8xf32>, %s: tensor<4x1xf32>, %n: tensor<i64>, %lr: tensor<f32>)
      -> (tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<4x1xf32>) attributes {role = #train.role<export>} {
    %b1, %bs1 = train.update %b by #train.rowwise_adagrad<lr = 0.1> from %b moments(%bs) count %n rate %lr
        : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>
    %w1, %s1 = train.update %w by #train.rowwise_adagrad<lr = 0.1> from %w moments(%s) count %n rate %lr
        : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>, tensor<i64>, tensor<f32>
    train.return %b1, %bs1, %w1, %s1 : tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<4x1xf32>
  }
}
