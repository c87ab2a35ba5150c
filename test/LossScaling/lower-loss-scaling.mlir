// The state machine of the scale in train ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --amp-lower-loss-scaling | FileCheck %s

train.model @machine {
  // CHECK-LABEL: train.func @torch
  // CHECK-SAME:  %[[S:[a-z0-9]+]]: tensor<f32> {{.*}}, %[[N:[a-z0-9]+]]: tensor<i32> {{.*}}, %[[L:[a-z0-9]+]]: tensor<i32> {{.*}}, %[[BAD:[a-z0-9]+]]: tensor<i1>
  train.func @torch(%s: tensor<f32>, %n: tensor<i32>, %l: tensor<i32>, %bad: tensor<i1>) -> (tensor<f32>, tensor<i32>) {
    // CHECK:      %[[ONE:.*]] = train.constant dense<1> : tensor<i32>
    // CHECK:      %[[COUNT:.*]] = train.add %[[N]], %[[ONE]]
    // CHECK:      %[[DUE:.*]] = train.compare ge %[[COUNT]],
    // CHECK:      %[[GROWN:.*]] = train.mul %[[S]],
    // CHECK:      %[[FITS:.*]] = train.compare le %[[GROWN]],
    // CHECK:      %[[SAFE:.*]] = train.select %[[FITS]], %[[GROWN]], %[[S]]
    // CHECK:      train.constant dense<2.500000e-01>
    // CHECK:      %[[BACK:.*]] = train.mul %[[S]],
    // CHECK:      %[[LOWER:.*]] = train.select %{{.*}}, %[[S]], %[[BACK]]
    // CHECK:      %[[GOOD:.*]] = train.select %[[DUE]], %[[SAFE]], %[[S]]
    // CHECK:      %[[NEW:.*]] = train.select %[[BAD]], %[[LOWER]], %[[GOOD]]
    %0:3 = amp.update_scale %s, %n, %l found_inf %bad with <initial = 4.0, interval = 2, backoff = 0.25>
    // CHECK:      train.return %[[NEW]]
    train.return %0#0, %0#1 : tensor<f32>, tensor<i32>
  }
  // A scale that never moves.
  // CHECK-LABEL: train.func @static
  // CHECK-SAME:  %[[S:[a-z0-9]+]]: tensor<f32>
  train.func @static(%s: tensor<f32>, %n: tensor<i32>, %l: tensor<i32>, %bad: tensor<i1>) -> tensor<f32> {
    // CHECK-NEXT: train.return %[[S]]
    %0:3 = amp.update_scale %s, %n, %l found_inf %bad with <dynamic = false, initial = 4.0>
    train.return %0#0 : tensor<f32>
  }
  // The count is of values that the update applies, so a product with an infinite reciprocal counts; the factor 1 / scale is computed once, and
  // is NaN where the quotient would be 0.
  // CHECK-LABEL: train.func @gradients
  // CHECK-SAME:  %[[G:[a-z0-9]+]]: tensor<4x2xf16> {{.*}}, %[[H:[a-z0-9]+]]: tensor<f32> {{.*}}, %[[S:[a-z0-9]+]]: tensor<f32>
  train.func @gradients(%g: tensor<4x2xf16>, %h: tensor<f32>, %s: tensor<f32>) -> (tensor<4x2xf32>, tensor<f32>, tensor<i64>, tensor<i64>) {
    // CHECK:      %[[QUOTIENT:.*]] = train.div %{{.*}}, %[[S]]
    // CHECK:      %[[VANISHES:.*]] = train.compare eq %[[QUOTIENT]],
    // CHECK:      %[[NO_NUMBER:.*]] = train.constant dense<0x7FC00000> : tensor<f32>
    // CHECK:      %[[INV:.*]] = train.select %[[VANISHES]], %[[NO_NUMBER]], %[[QUOTIENT]]
    // CHECK-NOT:  train.div
    %0 = amp.mark_scaled %g : tensor<4x2xf16>
    %1 = amp.mark_scaled %h : tensor<f32>
    // CHECK:      %[[WIDE:.*]] = train.cast %[[G]] {{.*}}: tensor<4x2xf16> to tensor<4x2xf32>
    // CHECK:      %[[UNSCALED:.*]] = train.mul %[[WIDE]], %[[INV]] : tensor<4x2xf32>, tensor<f32>
    // CHECK:      %[[NAN:.*]] = train.mul %[[UNSCALED]],
    // CHECK:      %[[IS:.*]] = train.compare ne %[[NAN]],
    // CHECK:      %[[ONES:.*]] = train.cast %[[IS]] {{.*}}: tensor<4x2xi1> to tensor<4x2xi32>
    // CHECK:      %[[SUM:.*]] = train.reduce_sum %[[ONES]] over [0, 1]
    // CHECK:      %[[A:.*]] = train.cast %[[SUM]] {{.*}}: tensor<i32> to tensor<i64>
    %2, %a = amp.unscale %0 by %s : !amp.scaled<tensor<4x2xf16>> to tensor<4x2xf32>
    // CHECK:      %[[UNSCALED1:.*]] = train.mul %[[H]], %[[INV]]
    // CHECK:      %[[NAN1:.*]] = train.mul %[[UNSCALED1]],
    // CHECK:      %[[IS1:.*]] = train.compare ne %[[NAN1]],
    // CHECK-NOT:  train.reduce_sum
    %3, %b = amp.unscale %1 by %s : !amp.scaled<tensor<f32>> to tensor<f32>
    // CHECK:      train.return %[[UNSCALED]], %[[UNSCALED1]], %[[A]], %{{.*}}
    train.return %2, %3, %a, %b : tensor<4x2xf32>, tensor<f32>, tensor<i64>, tensor<i64>
  }
  // Numbers that f64 holds and f32 does not are finite.
  // CHECK-LABEL: train.func @wide
  // CHECK-SAME:  %[[G:[a-z0-9]+]]: tensor<4xf64>
  train.func @wide(%g: tensor<4xf64>) -> tensor<i64> {
    // CHECK:      train.mul %[[G]], %{{.*}} : tensor<4xf64>, tensor<f64>
    %0 = amp.non_finite %g : tensor<4xf64>
    train.return %0 : tensor<i64>
  }
}
