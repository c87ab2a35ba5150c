// Real sizes: as text, in clauses, attributes and modules, and set from outside.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s | FileCheck %s
// RUN: %ampc-opt %s -o %t.once && ampc-opt %t.once | diff %t.once -
// RUN: %ampc-opt %s --train-expand-modules | FileCheck %s --check-prefix=EXPAND
// RUN: %ampc-opt %t.once --train-expand-modules | FileCheck %s --check-prefix=EXPAND
// RUN: ampc compile %s --set beta=7.5e-1,rate=0.25,share=2,width=2 --compile-to=import -o - | FileCheck %s --check-prefix=SET

// The kind of a size is the kind of its formula.
// CHECK: train.model @m (batch = 8, width = 4, beta = 0.5, rate = 0.001, share = 1.0, keep = 1 - beta, half = width / 8.0, root = sqrt(width)) {
train.model @m(batch = 8, width = 4, beta = 0.5, rate = 1.0e-3, share = 1.0, keep = 1 - beta, half = width / 8.0, root = sqrt(width)) {
  train.model @layer(slope = 0.25, steep = 2 * slope, groups = 2) {
    train.param @g : f32[width] = #train.normal<std = slope>
    train.param @b : f32[width] = #train.uniform<low = 0 - steep, high = steep>
    train.func @apply(%x: f32[batch, 1, 1, width]) {
      // CHECK: train.leaky_relu %{{.*}} slope 2.500000e-01 {train.sizes = {slope = "slope"}} : tensor<8x1x1x4xf32>
      %y = train.leaky_relu %x slope slope
      // CHECK: train.group_norm {{.*}} groups 2 eps 5.000000e-06 {train.sizes = {eps = "slope * 2e-5", groups = "groups"}}
      %z = train.group_norm %y, %g, %b groups groups eps slope * 2e-5
      train.return %z
    }
  }
  // CHECK: train.use @layer as @first{{$}}
  train.use @layer as @first
  // CHECK: train.use @layer as @second (groups = 1, slope = beta / 10)
  train.use @layer as @second (slope = beta / 10, groups = 1)
  // A whole number where the module declares a real one.
  // CHECK: train.use @layer as @third (slope = 3)
  train.use @layer as @third (slope = 3)
  train.func @loss(%x: f32[batch, 1, 1, width]) {
    %a = train.apply @first(%x)
    %b = train.apply @second(%a)
    %c = train.apply @third(%b)
    // CHECK: train.clamp %{{.*}} from -5.000000e-01 to 2.000000e+00 {train.sizes = {high = "root", low = "-keep"}}
    %d = train.clamp %c from -keep to root
    // CHECK: train.dropout %{{.*}} rate 5.000000e-01 {train.sizes = {rate = "half"}}
    %e = train.dropout %d rate half
    %m = train.reduce_mean %e over [0, 1, 2, 3]
    train.return %m
  }
  // CHECK: train.step @fit {{.*}} #train.sgd<lr = 1.000000e-03, momentum = 5.000000e-01> {clip_norm = 1.000000e+00
  train.step @fit minimize @loss over all with #train.sgd<lr = rate * share, momentum = beta> {clip_norm = share}
}
// EXPAND-DAG: train.param @first.g : tensor<4xf32> = #train.normal<std = 2.500000e-01>{{$}}
// EXPAND-DAG: train.param @second.g : tensor<4xf32> = #train.normal<std = 5.000000e-02>{{$}}
// EXPAND-DAG: train.param @third.g : tensor<4xf32> = #train.normal<std = 3.000000e+00>{{$}}
// EXPAND-DAG: train.param @third.b : tensor<4xf32> = #train.uniform<low = -6.000000e+00, high = 6.000000e+00>{{$}}
// EXPAND-DAG: train.leaky_relu %{{.*}} slope 5.000000e-02 :
// EXPAND-DAG: train.leaky_relu %{{.*}} slope 3.000000e+00 :
// EXPAND-DAG: train.group_norm {{.*}} groups 1 eps 1.0000000000000002E-6 :
// SET-DAG: train.clamp {{.*}} from -2.500000e-01 to 1.414213562373095{{.*}}
// SET-DAG: train.dropout %{{.*}} rate 2.500000e-01
// SET-DAG: #train.sgd<lr = 5.000000e-01, momentum = 7.500000e-01> {clip_norm = 2.000000e+00
