// RUN: %ampc-opt %s --split-input-file --verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dimensions that ops look along.

train.model @m {
  train.func @f(%x: tensor<4x6xf32>) {
    // expected-error @below {{expected a dimension of 'tensor<4x6xf32>', but got 2}}
    %0 = train.softmax %x along 2 : tensor<4x6xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x6xf32>) {
    // expected-error @below {{expected a dimension of 'tensor<4x6xf32>', but got -2}}
    %0 = train.argmax %x along -2 : tensor<4x6xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<2x33554432xf32>) {
    // expected-error @below {{expected a dimension of less than 2^24, but got 33554432}}
    %0 = train.argmax %x along 1 : tensor<2x33554432xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x6x5xf32>, %l: tensor<4x6xi32>) {
    // expected-error @below {{expected one class, an integer, per row of 'tensor<4x6x5xf32>' or a distribution of that type, but got 'tensor<4x6xi32>'}}
    %0 = train.softmax_cross_entropy %x, %l along 1 : tensor<4x6x5xf32>, tensor<4x6xi32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x6x5xf32>, %l: tensor<4x5xi32>, %w: tensor<5xf32>) {
    // expected-error @below {{expected a weight per class of type 'tensor<6xf32>', but got 'tensor<5xf32>'}}
    %0 = train.weighted_cross_entropy %x, %l, %w along 1 : tensor<4x6x5xf32>, tensor<4x5xi32>, tensor<5xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x6x5xf32>, %l: tensor<4x5xi32>) {
    // expected-error @below {{expected a dimension of 'tensor<4x6x5xf32>', but got 3}}
    %0 = train.nll %x, %l along 3 : tensor<4x6x5xf32>, tensor<4x5xi32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x6x5xf32>, %g: tensor<5xf32>) {
    // expected-error @below {{expected a value per channel of type 'tensor<6xf32>', but got 'tensor<5xf32>'}}
    %0 = train.rms_norm %x, %g along 1 eps 1.0e-5 : tensor<4x6x5xf32>, tensor<5xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x6x5xf32>, %g: tensor<4xf32>) {
    // expected-error @below {{expected channels along another dimension than the first of 'tensor<4x6x5xf32>'}}
    %0 = train.instance_norm %x, %g, %g along 0 eps 1.0e-5 : tensor<4x6x5xf32>, tensor<4xf32>, tensor<4xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x6x5xf32>, %g: tensor<6xf32>) {
    // expected-error @below {{expected groups that 6 channels are a multiple of, but got 5}}
    %0 = train.group_norm %x, %g, %g along 1 groups 5 eps 1.0e-5 : tensor<4x6x5xf32>, tensor<6xf32>, tensor<6xf32>
    train.return
  }
}
