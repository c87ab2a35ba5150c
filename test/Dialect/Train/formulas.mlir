// Numbers of attributes that follow from sizes: as text, in modules with other sizes, and set from outside.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s | FileCheck %s
// RUN: %ampc-opt %s -o %t.once && ampc-opt %t.once | diff %t.once -
// RUN: %ampc-opt %s --train-expand-modules | FileCheck %s --check-prefix=EXPAND
// RUN: %ampc-opt %t.once --train-expand-modules | FileCheck %s --check-prefix=EXPAND
// RUN: ampc compile %s --set width=16,steps=50 --compile-to=import -o - | FileCheck %s --check-prefix=SET

// CHECK-LABEL: train.model @line
train.model @line(batch = 8, width = 4, steps = 1000) {
  train.model @layer(out = width, depth = 2) {
    // CHECK: train.param @w : tensor<4x4xf32> = #train.normal<std = 2.500000e-01> {train.sizes = {init = "#train.normal<std = 0.5 / sqrt(out)>", type = "width, out"}}
    train.param @w : f32[width, out] = #train.normal<std = 0.5 / sqrt(out)> // not > this
    // A formula without names is evaluated at once.
    // CHECK: train.param @b : tensor<4xf32> = #train.uniform<low = -2.500000e-01, high = 2.500000e-01> {train.sizes = {type = "out"}}
    train.param @b : f32[out] = #train.uniform<low = -1 / 4, high = sqrt(0.25) / 2>
    train.func @apply(%x: f32[batch, width]) {
      %y = train.linear %x, %w, %b
      train.return %y
    }
  }
  train.use @layer as @first
  train.use @layer as @second (out = 1)
  train.func @loss(%x: f32[batch, width], %y: f32[batch, 1]) {
    %h = train.apply @first(%x)
    %p = train.apply @second(%h)
    %l = train.mse %p, %y
    train.return %l
  }
  // CHECK:      train.step @fit minimize @loss over {{.*}} with #train.adamw<lr = 2.500000e-03> groups [#train.group<params = ["*.b"], optimizer = #train.sgd<lr = 5.000000e-01>>]
  // CHECK-SAME: schedule #train.cosine<steps = 1000, warmup = 100>
  // CHECK-SAME: clip_norm = 2.000000e+00
  // CHECK-SAME: groups = "[#train.group<params = [\22*.b\22], optimizer = #train.sgd<lr = 2.0 / width>>]"
  // CHECK-SAME: optimizer = "#train.adamw<lr = 0.01 / width>"
  // CHECK-SAME: schedule = "#train.cosine<steps = steps, warmup = steps / 10>"
  train.step @fit minimize @loss over all with #train.adamw<lr = 0.01 / width> groups [#train.group<params = ["*.b"], optimizer = #train.sgd<lr = 2.0 / width>>]
    schedule #train.cosine<steps = steps, warmup = steps / 10> {clip_norm = sqrt(width)}
}
// EXPAND-DAG: train.param @first.w : tensor<4x4xf32> = #train.normal<std = 2.500000e-01>{{$}}
// EXPAND-DAG: train.param @second.w : tensor<4x1xf32> = #train.normal<std = 5.000000e-01>{{$}}
// EXPAND-DAG: train.step @fit {{.*}} #train.adamw<lr = 2.500000e-03>

// SET-DAG: train.param @first.w : tensor<16x16xf32> = #train.normal<std = 1.250000e-01>
// SET-DAG: train.param @second.w : tensor<16x1xf32> = #train.normal<std = 5.000000e-01>
// SET-DAG: train.step @fit {{.*}} #train.adamw<lr = 6.250000e-04> {{.*}} #train.sgd<lr = 1.250000e-01>{{.*}} schedule #train.cosine<steps = 50, warmup = 5> {clip_norm = 4.000000e+00
