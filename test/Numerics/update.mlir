// RUN: rm -rf %t && mkdir %t && ampc compile %s -o %t
// RUN: ampc-opt %s --train-expand-updates -o %t/written.mlir && ampc compile %t/written.mlir -o %t/written
// RUN: for dir in %t %t/written; do %cc -shared -o $dir/update.so -Wl,--whole-archive $dir/libupdate.a -Wl,--no-whole-archive -pthread -lm || exit 1; done
// RUN: %python %S/Inputs/update.py %t/update.so %t/written/update.so | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of updates give the bits of the expanded ops; a skipped update changes nothing.
// CHECK: 0 of 33 results differ
train.model @update {
  train.func @adam(%p: tensor<33x7xf32>, %g: tensor<33x7xf32>, %m: tensor<33x7xf32>, %v: tensor<33x7xf32>, %lr: tensor<f32>) -> (tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>) {
    %n = train.constant dense<4> : tensor<i64>
    %p1, %m1:2 = train.update %p by #train.adam<lr = 0.1, weight_decay = 0.01> from %g moments(%m, %v) count %n rate %lr
        : tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>, tensor<i64>, tensor<f32>
    train.return %p1, %m1#0, %m1#1 : tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>
  }
  // Two updates of the same shape: the second has a copy of the first update's code.
  train.func @adamw(%p: tensor<33x7xf32>, %g: tensor<33x7xf32>, %m: tensor<33x7xf32>, %v: tensor<33x7xf32>, %lr: tensor<f32>)
      -> (tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>) {
    %n = train.constant dense<4> : tensor<i64>
    %p1, %m1:2 = train.update %p by #train.adamw<lr = 0.1> from %g moments(%m, %v) count %n rate %lr
        : tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>, tensor<i64>, tensor<f32>
    %p2, %m2:2 = train.update %g by #train.adamw<lr = 0.1> from %p moments(%p1, %v) count %n rate %lr
        : tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>, tensor<i64>, tensor<f32>
    train.return %p1, %m1#0, %m1#1, %p2, %m2#0, %m2#1
        : tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>
  }
  train.func @rounded(%p: tensor<33x7xf32>, %g: tensor<33x7xf32>, %m: tensor<33x7xf32>, %v: tensor<33x7xf32>, %lr: tensor<f32>) -> (tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>) {
    %n = train.constant dense<4> : tensor<i64>
    %ml = train.cast %m : tensor<33x7xf32> to tensor<33x7xbf16>
    %vl = train.cast %v : tensor<33x7xf32> to tensor<33x7xbf16>
    %p1, %m1:2 = train.update %p by #train.adamw<lr = 0.1, moments = bf16> from %g moments(%ml, %vl) count %n rate %lr keys [5, 6]
        : tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xbf16>, tensor<33x7xbf16>, tensor<i64>, tensor<f32>
    %m2 = train.cast %m1#0 : tensor<33x7xbf16> to tensor<33x7xf32>
    %v2 = train.cast %m1#1 : tensor<33x7xbf16> to tensor<33x7xf32>
    train.return %p1, %m2, %v2 : tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>
  }
  train.func @narrow(%p: tensor<33x7xf32>, %g: tensor<33x7xf32>, %m: tensor<33x7xf32>, %v: tensor<33x7xf32>, %lr: tensor<f32>) -> (tensor<33x7xf32>, tensor<33x7xf32>) {
    %n = train.constant dense<4> : tensor<i64>
    %pl = train.cast %p : tensor<33x7xf32> to tensor<33x7xbf16>
    %p1, %m1 = train.update %pl by #train.sgd<lr = 0.1, momentum = 0.7, nesterov = true> from %g moments(%m) count %n rate %lr
        : tensor<33x7xbf16>, tensor<33x7xf32>, tensor<33x7xf32>, tensor<i64>, tensor<f32>
    %p2 = train.cast %p1 : tensor<33x7xbf16> to tensor<33x7xf32>
    train.return %p2, %m1 : tensor<33x7xf32>, tensor<33x7xf32>
  }
  train.func @rmsprop(%p: tensor<33x7xf32>, %g: tensor<33x7xf32>, %m: tensor<33x7xf32>, %v: tensor<33x7xf32>, %lr: tensor<f32>) -> (tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>) {
    %n = train.constant dense<4> : tensor<i64>
    %p1, %m1:2 = train.update %p by #train.rmsprop<lr = 0.1, momentum = 0.9> from %g moments(%v, %m) count %n rate %lr
        : tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>, tensor<i64>, tensor<f32>
    train.return %p1, %m1#0, %m1#1 : tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>
  }
  // A sum makes several kernels.
  train.func @lamb(%p: tensor<33x7xf32>, %g: tensor<33x7xf32>, %m: tensor<33x7xf32>, %v: tensor<33x7xf32>, %lr: tensor<f32>) -> (tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>) {
    %n = train.constant dense<4> : tensor<i64>
    %p1, %m1:2 = train.update %p by #train.lamb<lr = 0.1> from %g moments(%m, %v) count %n rate %lr
        : tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>, tensor<i64>, tensor<f32>
    train.return %p1, %m1#0, %m1#1 : tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>
  }
  train.func @lion(%p: tensor<33x7xf32>, %g: tensor<33x7xf32>, %m: tensor<33x7xf32>, %v: tensor<33x7xf32>, %lr: tensor<f32>) -> (tensor<33x7xf32>, tensor<33x7xf32>) {
    %n = train.constant dense<4> : tensor<i64>
    %p1, %m1 = train.update %p by #train.lion<lr = 0.1, weight_decay = 0.1> from %g moments(%m) count %n rate %lr
        : tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>, tensor<i64>, tensor<f32>
    train.return %p1, %m1 : tensor<33x7xf32>, tensor<33x7xf32>
  }
  // Products.
  train.func @muon(%p: tensor<33x7xf32>, %g: tensor<33x7xf32>, %m: tensor<33x7xf32>, %v: tensor<33x7xf32>, %lr: tensor<f32>) -> (tensor<33x7xf32>, tensor<33x7xf32>) {
    %n = train.constant dense<4> : tensor<i64>
    %p1, %m1 = train.update %p by #train.muon<lr = 0.1> from %g moments(%m) count %n rate %lr
        : tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>, tensor<i64>, tensor<f32>
    train.return %p1, %m1 : tensor<33x7xf32>, tensor<33x7xf32>
  }
  train.func @rounded_products(%p: tensor<33x7xf32>, %g: tensor<33x7xf32>, %m: tensor<33x7xf32>, %v: tensor<33x7xf32>, %lr: tensor<f32>) -> (tensor<33x7xf32>, tensor<33x7xf32>) {
    %n = train.constant dense<4> : tensor<i64>
    %p1, %m1 = train.update %p by #train.muon<lr = 0.1> from %g moments(%m) count %n rate %lr products bf16
        : tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>, tensor<i64>, tensor<f32>
    train.return %p1, %m1 : tensor<33x7xf32>, tensor<33x7xf32>
  }
  // The given momentum in place of the rule's.
  train.func @momentum(%p: tensor<33x7xf32>, %g: tensor<33x7xf32>, %m: tensor<33x7xf32>, %v: tensor<33x7xf32>, %lr: tensor<f32>) -> (tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>) {
    %n = train.constant dense<4> : tensor<i64>
    %p1, %m1:2 = train.update %p by #train.adam<lr = 0.1, weight_decay = 0.01> from %g moments(%m, %v) count %n rate %lr numbers ["beta1"] (%lr)
        : tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>, tensor<i64>, tensor<f32>, tensor<f32>
    train.return %p1, %m1#0, %m1#1 : tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>
  }
  train.func @skipped(%p: tensor<33x7xf32>, %g: tensor<33x7xf32>, %m: tensor<33x7xf32>, %v: tensor<33x7xf32>, %lr: tensor<f32>) -> (tensor<33x7xf32>, tensor<33x7xf32>) {
    %n = train.constant dense<4> : tensor<i64>
    %zero = train.constant dense<0.0> : tensor<f32>
    %skip = train.compare gt %lr, %zero : tensor<f32>, tensor<f32>
    %p1, %m1 = train.update %p by #train.adagrad<lr = 0.1> from %g moments(%v) count %n rate %lr unless %skip
        : tensor<33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>, tensor<i64>, tensor<f32>, tensor<i1>
    train.return %p1, %m1 : tensor<33x7xf32>, tensor<33x7xf32>
  }
  train.export @adam as "adam"
  train.export @adamw as "adamw"
  train.export @rounded as "rounded"
  train.export @narrow as "narrow"
  train.export @rmsprop as "rmsprop"
  train.export @lamb as "lamb"
  train.export @lion as "lion"
  train.export @muon as "muon"
  train.export @rounded_products as "rounded_products"
  train.export @momentum as "momentum"
  train.export @skipped as "skipped"
}
