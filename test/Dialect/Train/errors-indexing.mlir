// RUN: %ampc-opt %s --split-input-file --verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

train.model @m {
  train.func @f(%x: tensor<4x8xf32>, %i: tensor<3x5xi32>) {
    // expected-error @below {{expected an index that differs from 'tensor<4x8xf32>' only in the size of dimension 1, but got 'tensor<3x5xi32>'}}
    %0 = train.take_along_axis %x at %i along 1 : tensor<4x8xf32>, tensor<3x5xi32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>, %i: tensor<4x5xi32>) {
    // expected-error @below {{expected a dimension of 'tensor<4x8xf32>', but got -1}}
    %0 = train.take_along_axis %x at %i along -1 : tensor<4x8xf32>, tensor<4x5xi32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>, %i: tensor<4x5xi32>) {
    // expected-error @below {{expected an index per update of 'tensor<4x8xf32>', but got 'tensor<4x5xi32>'}}
    %0 = train.add_along_axis %x at %i along 1 of 3 : tensor<4x8xf32>, tensor<4x5xi32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>, %i: tensor<4x8xi32>) {
    // expected-error @below {{expected a size of at least 1, but got 0}}
    %0 = train.add_along_axis %x at %i along 1 of 0 : tensor<4x8xf32>, tensor<4x8xi32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xi32>) {
    // expected-error @below {{expected a limit from 1 to 2^31 - 1, but got 2147483648}}
    %0 = train.argsort %x below 2147483648 : tensor<4x8xi32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>) {
    // expected-error @below {{expected i32 in ascending order below a limit, but got 'tensor<4x8xf32>'}}
    %0 = train.argsort %x below 7 : tensor<4x8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x65536x32768xf32>) {
    // expected-error @below {{expected less than 2^31 elements, but got 'tensor<4x65536x32768xf32>'}}
    %0, %1 = train.sort %x along 1 : tensor<4x65536x32768xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>) {
    // expected-error @below {{expected a number of elements from 1 to 8, but got 9}}
    %0, %1 = train.top_k %x of 9 along 1 : tensor<4x8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>, %u: tensor<4x4xf32>, %i: tensor<4x5xi32>) {
    // expected-error @below {{expected updates of type 'tensor<4x5xf32>', but got 'tensor<4x4xf32>'}}
    %0 = train.scatter max %u at %i into %x along 1 : tensor<4x4xf32>, tensor<4x5xi32>, tensor<4x8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%t: tensor<7x8xf32>, %i: tensor<5xi32>) {
    // expected-error @below {{expected an index with a row per bag, or a list of indices with their bags, but got 'tensor<5xi32>'}}
    %0 = train.embedding_bag sum %t at %i : tensor<7x8xf32>, tensor<5xi32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%t: tensor<7x8xf32>, %i: tensor<5xi32>, %b: tensor<4xi32>) {
    // expected-error @below {{expected a bag per index of 'tensor<5xi32>', but got 'tensor<4xi32>'}}
    %0 = train.embedding_bag sum %t at %i bags %b of 3 : tensor<7x8xf32>, tensor<5xi32>, tensor<4xi32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%t: tensor<7x8xf32>, %i: tensor<5xi32>, %b: tensor<5xi32>) {
    // expected-error @below {{expected at least one bag, but got 0}}
    %0 = train.embedding_bag sum %t at %i bags %b of 0 : tensor<7x8xf32>, tensor<5xi32>, tensor<5xi32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%t: tensor<7x8xf32>, %i: tensor<5x2xi32>, %w: tensor<5x2xf32>) {
    // expected-error @below {{expected weights for a sum}}
    %0 = train.embedding_bag max %t at %i weights %w : tensor<7x8xf32>, tensor<5x2xi32>, tensor<5x2xf32>
    train.return
  }
}
