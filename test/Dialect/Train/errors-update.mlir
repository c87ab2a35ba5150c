// Updates that are none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --split-input-file --verify-diagnostics

train.model @m {
  train.func @f(%p: tensor<4xf32>, %g: tensor<4xf32>, %n: tensor<i64>, %lr: tensor<f32>) {
    // constraint train.update 1
    // expected-error @below {{expected 2 moments for #train.adam<lr = 1.000000e-01>, but got 1}}
    %p1, %m1 = train.update %p by #train.adam<lr = 0.1> from %g moments(%p) count %n rate %lr
        : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%p: tensor<4x8xf32>, %n: tensor<i64>, %lr: tensor<f32>) {
    // constraint train.update 2
    // expected-error @below {{expected sum of type 'tensor<4x1xf32>', but got 'tensor<4x8xf32>'}}
    %p1, %m1 = train.update %p by #train.rowwise_adagrad<lr = 0.1> from %p moments(%p) count %n rate %lr
        : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<i64>, tensor<f32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%p: tensor<4xf32>, %v: tensor<4xbf16>, %n: tensor<i64>, %lr: tensor<f32>) {
    // constraint train.update 2
    // expected-error @below {{expected v of type 'tensor<4xf32>', but got 'tensor<4xbf16>'}}
    %p1, %m1:2 = train.update %p by #train.adam<lr = 0.1> from %p moments(%p, %v) count %n rate %lr
        : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xbf16>, tensor<i64>, tensor<f32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%p: tensor<4xf32>, %m: tensor<4xbf16>, %n: tensor<i64>, %lr: tensor<f32>) {
    // constraint train.update 3
    // expected-error @below {{expected 2 keys for moments of 'bf16', but got 1}}
    %p1, %m1:2 = train.update %p by #train.adam<lr = 0.1, moments = bf16> from %p moments(%m, %m) count %n rate %lr keys [1]
        : tensor<4xf32>, tensor<4xf32>, tensor<4xbf16>, tensor<4xbf16>, tensor<i64>, tensor<f32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%p: tensor<4xf32>, %n: tensor<i64>, %lr: tensor<f32>) {
    // constraint train.update 3
    // expected-error @below {{expected 0 keys for moments of 'f32', but got 1}}
    %p1, %m1 = train.update %p by #train.adagrad<lr = 0.1> from %p moments(%p) count %n rate %lr keys [1]
        : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%p: tensor<4xf32>, %g: tensor<3xf32>, %n: tensor<i64>, %lr: tensor<f32>) {
    // expected-error @below {{failed to verify that the parameter's shape in the type of its rule}}
    %p1 = train.update %p by #train.sgd<lr = 0.1> from %g count %n rate %lr : tensor<4xf32>, tensor<3xf32>, tensor<i64>, tensor<f32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%p: tensor<4xf32>, %n: tensor<i64>, %lr: tensor<f64>) {
    // expected-error @below {{failed to verify that a number of the type of the rule}}
    %p1 = train.update %p by #train.sgd<lr = 0.1> from %p count %n rate %lr : tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f64>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%p: tensor<4x8xf32>, %r: tensor<4x1xf32>, %n: tensor<i64>, %lr: tensor<f32>) {
    // constraint train.update 2
    // expected-error @below {{expected v_column of type 'tensor<1x8xf32>', but got 'tensor<4x1xf32>'}}
    %p1, %m1:2 = train.update %p by #train.adafactor<lr = 0.1> from %p moments(%r, %r) count %n rate %lr
        : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<i64>, tensor<f32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%p: tensor<4xf32>, %n: tensor<i64>, %lr: tensor<f32>) {
    // A vector has moments of AdamW.
    // constraint train.update 1
    // expected-error @below {{expected 2 moments for #train.muon<lr = 1.000000e-01>, but got 1}}
    %p1, %m1 = train.update %p by #train.muon<lr = 0.1> from %p moments(%p) count %n rate %lr
        : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%p: tensor<4x8xf32>, %n: tensor<i64>, %lr: tensor<f32>) {
    // constraint train.update 4
    // expected-error @below {{expected numbers of #train.sgd<lr = 5.000000e-01>, each once, but got momentum}}
    %0 = train.update %p by #train.sgd<lr = 0.5> from %p count %n rate %lr numbers ["momentum"] (%lr) : tensor<4x8xf32>, tensor<4x8xf32>, tensor<i64>, tensor<f32>, tensor<f32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%p: tensor<4x8xf32>, %n: tensor<i64>, %lr: tensor<f32>) {
    // constraint train.update 4
    // expected-error @below {{expected numbers of #train.sgd<lr = 5.000000e-01>, each once, but got beta1}}
    %0 = train.update %p by #train.sgd<lr = 0.5> from %p count %n rate %lr numbers ["beta1"] (%lr) : tensor<4x8xf32>, tensor<4x8xf32>, tensor<i64>, tensor<f32>, tensor<f32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%p: tensor<4x8xf32>, %n: tensor<i64>, %lr: tensor<f32>) {
    // constraint train.update 4
    // expected-error @below {{expected numbers of #train.sgd<lr = 5.000000e-01>, each once, but got weight_decay}}
    %0 = train.update %p by #train.sgd<lr = 0.5> from %p count %n rate %lr numbers ["weight_decay", "weight_decay"] (%lr, %lr) : tensor<4x8xf32>, tensor<4x8xf32>, tensor<i64>, tensor<f32>, tensor<f32>, tensor<f32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%p: tensor<4x8xf32>, %n: tensor<i64>, %lr: tensor<f32>) {
    // constraint train.update 4
    // expected-error @below {{expected a name per number, but got 2 names of 1 numbers}}
    %0 = train.update %p by #train.sgd<lr = 0.5> from %p count %n rate %lr numbers ["weight_decay", "lr"] (%lr) : tensor<4x8xf32>, tensor<4x8xf32>, tensor<i64>, tensor<f32>, tensor<f32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%p: tensor<4x8xf32>, %n: tensor<i64>, %lr: tensor<f32>) {
    // constraint train.update 5
    // expected-error @below {{expected no products for #train.sgd<lr = 5.000000e-01> on 'tensor<4x8xf32>'}}
    %0 = train.update %p by #train.sgd<lr = 0.5> from %p count %n rate %lr products bf16 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<i64>, tensor<f32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%p: tensor<4xf32>, %n: tensor<i64>, %lr: tensor<f32>) {
    // constraint train.update 6
    // expected-error @below {{expected no param_key for a parameter of 'f32'}}
    %p1 = train.update %p by #train.sgd<lr = 0.1> from %p count %n rate %lr param_key 7 : tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>
    train.return
  }
}

// -----

// A rule computes in f32 on a parameter in 16 bits.
train.model @m {
  train.func @f(%p: tensor<4xf16>, %n: tensor<i64>, %lr: tensor<f32>) {
    // expected-error @below {{failed to verify that the parameter's shape in the type of its rule}}
    %p1 = train.update %p by #train.sgd<lr = 0.1> from %p count %n rate %lr : tensor<4xf16>, tensor<4xf16>, tensor<i64>, tensor<f32>
    train.return
  }
}
