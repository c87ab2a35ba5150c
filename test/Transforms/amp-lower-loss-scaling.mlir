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
  // Checked before unscaling; one comparison for all gradients; the factor 1 / scale is formed once.
  // CHECK-LABEL: train.func @gradients
  // CHECK-SAME:  %[[G:[a-z0-9]+]]: tensor<4x2xf16> {{.*}}, %[[H:[a-z0-9]+]]: tensor<f32> {{.*}}, %[[S:[a-z0-9]+]]: tensor<f32>
  train.func @gradients(%g: tensor<4x2xf16>, %h: tensor<f32>, %s: tensor<f32>) -> (tensor<4x2xf32>, tensor<f32>, tensor<i1>) {
    // CHECK:      %[[INV:.*]] = train.div %{{.*}}, %[[S]]
    // CHECK-NOT:  train.div
    %0 = amp.mark_scaled %g : tensor<4x2xf16>
    %1 = amp.mark_scaled %h : tensor<f32>
    // CHECK:      %[[WIDE:.*]] = train.cast %[[G]] : tensor<4x2xf16> to tensor<4x2xf32>
    // CHECK:      %[[NAN:.*]] = train.mul %[[WIDE]],
    // CHECK:      %[[A:.*]] = train.reduce_sum %[[NAN]] over [0, 1]
    // CHECK:      train.mul %{{.*}}, %[[INV]] : tensor<4x2xf32>, tensor<f32>
    %2, %a = amp.unscale %0 by %s : !amp.scaled<tensor<4x2xf16>> to tensor<4x2xf32>
    // CHECK:      %[[B:.*]] = train.mul %[[H]],
    // CHECK:      train.mul %[[H]], %[[INV]]
    %3, %b = amp.unscale %1 by %s : !amp.scaled<tensor<f32>> to tensor<f32>
    // CHECK:      %[[SUM:.*]] = train.add %[[A]], %[[B]]
    // CHECK:      %[[BAD:.*]] = train.compare ne %[[SUM]],
    // CHECK:      train.return %{{.*}}, %{{.*}}, %[[BAD]]
    %4 = amp.any %a, %b
    train.return %2, %3, %4 : tensor<4x2xf32>, tensor<f32>, tensor<i1>
  }
  // Flags that are no checks of gradients: each of them counts.
  // CHECK-LABEL: train.func @flags
  // CHECK-SAME:  %[[A:[a-z0-9]+]]: tensor<i1> {{.*}}, %[[B:[a-z0-9]+]]: tensor<i1> {{.*}}, %[[C:[a-z0-9]+]]: tensor<i1>
  train.func @flags(%a: tensor<i1>, %b: tensor<i1>, %c: tensor<i1>) -> tensor<i1> {
    // CHECK-NEXT: %[[AB:.*]] = train.select %[[A]], %[[A]], %[[B]]
    // CHECK-NEXT: %[[ANY:.*]] = train.select %[[AB]], %[[AB]], %[[C]]
    // CHECK-NEXT: train.return %[[ANY]]
    %0 = amp.any %a, %b, %c
    train.return %0 : tensor<i1>
  }
}
