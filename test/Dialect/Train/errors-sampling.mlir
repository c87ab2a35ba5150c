// RUN: %ampc-opt %s --split-input-file --verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

train.model @m {
  train.func @f(%x: tensor<4x8xf32>) {
    // expected-error @below {{expected two numbers per dimension of 'tensor<4x8xf32>', but got [1] and [0, 0]}}
    %0 = train.pad_mode edge %x low [1] high [0, 0] : tensor<4x8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>) {
    // expected-error @below {{expected a dimension with elements, of at most 16777216, but got -2 and -2 around 4}}
    %0 = train.pad_mode reflect %x low [-2, 0] high [-2, 0] : tensor<4x8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>) {
    // expected-error @below {{expected an offset, a positive size and a stride other than 0 per dimension of 'tensor<4x8xf32>', but got [0, 7], [4, 8] and [1, 0]}}
    %0 = train.strided_slice %x from [0, 7] sizes [4, 8] strides [1, 0] : tensor<4x8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>) {
    // expected-error @below {{expected a slice inside 'tensor<4x8xf32>', but in dimension 1 the slice goes from 7 to -1}}
    %0 = train.strided_slice %x from [0, 7] sizes [4, 5] strides [1, -2] : tensor<4x8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xi32>) {
    // expected-error @below {{expected real elements for sums, but got 'tensor<4x8xi32>'}}
    %0 = train.resize linear %x to [4, 16] : tensor<4x8xi32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>) {
    // expected-error @below {{expected at most 16777216 shares of elements along a dimension, but got 8 elements for 4194304}}
    %0 = train.resize cubic %x to [4, 4194304] : tensor<4x8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>) {
    // expected-error @below {{expected a positive scale per dimension of 'tensor<4x8xf32>'}}
    %0 = train.resize linear %x to [4, 16] scales [1.0, -2.0] : tensor<4x8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>) {
    // expected-error @below {{expected places of elements up to 16777216, but got 16 elements at a scale of 1.0}}
    %0 = train.resize linear %x to [4, 16] scales [1.0, 1.0e-12] antialias : tensor<4x8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<8192xf32>) {
    // expected-error @below {{expected at most 16777216 shares of elements along a dimension, but got 8192 elements for 8192}}
    %0 = train.resize linear %x to [8192] scales [0.5] : tensor<8192xf32>
    train.return
  }
}
