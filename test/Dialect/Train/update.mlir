// The update of a parameter: text, expansion into ops, and the op in training and inference.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s | %ampc-opt | FileCheck %s
// RUN: %ampc-opt %s --train-expand-updates | FileCheck %s --check-prefix=EXPANDED
// RUN: %ampc-opt %s --train-instantiate | FileCheck %s --check-prefix=KEPT

// KEPT: train.update
train.model @update {
  // Moments of another type are cast for the rule, and rounded behind the rule with a key each; a skipped update gives the old values.
  // CHECK: train.update %{{.*}} by #train.adam<lr = 1.000000e-03, moments = bf16> from %{{.*}} moments(%{{.*}}, %{{.*}}) count %{{.*}} rate %{{.*}} unless %{{.*}} keys [7, -8] : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<i64>, tensor<f32>, tensor<i1>
  // EXPANDED-LABEL: train.func @adam(
  // EXPANDED-SAME: %[[P:[a-z0-9]+]]: tensor<4x8xf32> {train.is = #train.input<"p">}
  // EXPANDED-SAME: %[[G:[a-z0-9]+]]: tensor<4x8xf32> {train.is = #train.input<"g">}
  // EXPANDED-SAME: %[[M:[a-z0-9]+]]: tensor<4x8xbf16> {train.is = #train.input<"m">}
  // EXPANDED-SAME: %[[V:[a-z0-9]+]]: tensor<4x8xbf16> {train.is = #train.input<"v">}
  // EXPANDED-SAME: %[[N:[a-z0-9]+]]: tensor<i64> {train.is = #train.input<"n">}
  // EXPANDED-SAME: %[[LR:[a-z0-9]+]]: tensor<f32> {train.is = #train.input<"lr">}
  // EXPANDED-SAME: %[[SKIP:[a-z0-9]+]]: tensor<i1> {train.is = #train.input<"skip">}
  // EXPANDED: %[[NEXT:.*]] = train.add %[[N]], %{{.*}} : tensor<i64>, tensor<i64>
  // EXPANDED: train.cast %[[NEXT]] : tensor<i64> to tensor<f32>
  // EXPANDED: train.cast %[[M]] : tensor<4x8xbf16> to tensor<4x8xf32>
  // EXPANDED: train.cast %[[V]] : tensor<4x8xbf16> to tensor<4x8xf32>
  // EXPANDED: %[[STEP:.*]] = train.mul %[[LR]], %{{.*}} : tensor<f32>, tensor<4x8xf32>
  // EXPANDED: %[[NEW:.*]] = train.sub %[[P]], %[[STEP]]
  // EXPANDED: %[[M1:.*]] = train.stochastic_round %{{.*}} count %[[N]] key 7
  // EXPANDED: %[[V1:.*]] = train.stochastic_round %{{.*}} count %[[N]] key -8
  // EXPANDED: %[[R0:.*]] = train.select %[[SKIP]], %[[P]], %[[NEW]]
  // EXPANDED: %[[R1:.*]] = train.select %[[SKIP]], %[[M]], %[[M1]]
  // EXPANDED: %[[R2:.*]] = train.select %[[SKIP]], %[[V]], %[[V1]]
  // EXPANDED-NOT: train.update
  // EXPANDED: train.return %[[R0]], %[[R1]], %[[R2]]
  train.func @adam(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %m: tensor<4x8xbf16>, %v: tensor<4x8xbf16>, %n: tensor<i64>, %lr: tensor<f32>, %skip: tensor<i1>)
      -> (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4x8xbf16>) {
    %p1, %m1:2 = train.update %p by #train.adam<lr = 1.0e-3, moments = bf16> from %g moments(%m, %v) count %n rate %lr unless %skip keys [7, -8]
        : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<i64>, tensor<f32>, tensor<i1>
    train.return %p1, %m1#0, %m1#1 : tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4x8xbf16>
  }

  // A rule without moments.
  // CHECK: train.update %{{.*}} by #train.sgd<lr = 1.000000e-01> from %{{.*}} count %{{.*}} rate %{{.*}} : tensor<8xf64>, tensor<8xf64>, tensor<i64>, tensor<f64>
  // EXPANDED-LABEL: train.func @sgd(
  // EXPANDED-SAME: %[[P:[a-z0-9]+]]: tensor<8xf64> {train.is = #train.input<"p">}
  // EXPANDED-SAME: %[[G:[a-z0-9]+]]: tensor<8xf64> {train.is = #train.input<"g">}
  // EXPANDED-SAME: %[[N:[a-z0-9]+]]: tensor<i64> {train.is = #train.input<"n">}
  // EXPANDED-SAME: %[[LR:[a-z0-9]+]]: tensor<f64> {train.is = #train.input<"lr">}
  // EXPANDED: %[[STEP:.*]] = train.mul %[[LR]], %[[G]] : tensor<f64>, tensor<8xf64>
  // EXPANDED: %[[NEW:.*]] = train.sub %[[P]], %[[STEP]]
  // EXPANDED: train.return %[[NEW]]
  train.func @sgd(%p: tensor<8xf64>, %g: tensor<8xf64>, %n: tensor<i64>, %lr: tensor<f64>) -> tensor<8xf64> {
    %p1 = train.update %p by #train.sgd<lr = 0.1> from %g count %n rate %lr : tensor<8xf64>, tensor<8xf64>, tensor<i64>, tensor<f64>
    train.return %p1 : tensor<8xf64>
  }
  // A parameter in 16 bits: the rule computes in f32, and the result is rounded stochastically.
  // CHECK: train.update %{{.*}} by #train.sgd<lr = 1.000000e-01> from %{{.*}} count %{{.*}} rate %{{.*}} param_key -3 : tensor<8xf16>, tensor<8xf32>, tensor<i64>, tensor<f32>
  // EXPANDED-LABEL: train.func @half(
  // EXPANDED-SAME: %[[P:[a-z0-9]+]]: tensor<8xf16> {train.is = #train.input<"p">}
  // EXPANDED: %[[WIDE:.*]] = train.cast %[[P]] : tensor<8xf16> to tensor<8xf32>
  // EXPANDED: %[[NEW:.*]] = train.sub %[[WIDE]], %{{.*}} : tensor<8xf32>, tensor<8xf32>
  // EXPANDED: %[[ROUNDED:.*]] = train.round_weight %[[NEW]] count %{{.*}} key -3 : tensor<8xf32>, tensor<i64> to tensor<8xf16>
  // EXPANDED: train.return %[[ROUNDED]]
  train.func @half(%p: tensor<8xf16>, %g: tensor<8xf32>, %n: tensor<i64>, %lr: tensor<f32>) -> tensor<8xf16> {
    %p1 = train.update %p by #train.sgd<lr = 0.1> from %g count %n rate %lr param_key -3 : tensor<8xf16>, tensor<8xf32>, tensor<i64>, tensor<f32>
    train.return %p1 : tensor<8xf16>
  }
  train.export @sgd as "sgd"
}
