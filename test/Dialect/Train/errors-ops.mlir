// RUN: %ampc-opt %s --split-input-file --verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

train.model @m {
  train.func @f(%x: tensor<4xf32>) {
    // expected-error @below {{expected a positive alpha, but got 0.000000e+00}}
    %0 = train.celu %x alpha 0.0 : tensor<4xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4xf32>, %y: tensor<4xi1>) {
    // expected-error @below {{expected operands of one element type, but got 'tensor<4xf32>' and 'tensor<4xi1>'}}
    %0 = train.logical_and %x, %y : tensor<4xf32>, tensor<4xi1>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4xf32>) {
    // expected-error @below {{must be ranked tensor of 1-bit signless integer}}
    %0 = train.logical_and %x, %x : tensor<4xf32>, tensor<4xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f() {
    // expected-error @below {{expected a finite high, but got}}
    %0 = train.random_uniform from 0.0 to 0x7FF0000000000000 : tensor<4xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4xi1>) {
    // expected-error @below {{must be ranked tensor of}}
    %0 = train.sign %x : tensor<4xi1>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>) {
    // expected-error @below {{expected ascending dimensions of 'tensor<4x8xf32>', but got [1, 0]}}
    %0 = train.reverse %x over [1, 0] : tensor<4x8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>) {
    // expected-error @below {{expected a dimension of 'tensor<4x8xf32>', but got 2}}
    %0 = train.roll %x by 1 along 2 : tensor<4x8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>) {
    // expected-error @below {{expected a positive number per dimension of 'tensor<4x8xf32>', but got [2]}}
    %0 = train.tile %x times [2] : tensor<4x8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>) {
    // expected-error @below {{expected sizes of 64 bits, but got 9223372036854775807 times 8}}
    %0 = train.tile %x times [1, 9223372036854775807] : tensor<4x8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4xf32>) {
    // expected-error @below {{expected matrices, but got 'tensor<4xf32>'}}
    %0 = train.trilu %x : tensor<4xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>) {
    // expected-error @below {{expected a dimension of 'tensor<4x8xf32>', but got -1}}
    %0 = train.cumsum %x along -1 : tensor<4x8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>) {
    // expected-error @below {{expected a dimension of 'tensor<4x8xf32>', but got 2}}
    %0 = train.cumprod %x along 2 : tensor<4x8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>) {
    // expected-error @below {{expected ascending dimensions of 'tensor<4x8xf32>', but got [2]}}
    %0 = train.reduce_prod %x over [2] : tensor<4x8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x10xf32>) {
    // expected-error @below {{expected a positive delta, but got -1.000000e+00}}
    %0 = train.huber %x, %x delta -1.0 : tensor<4x10xf32>, tensor<4x10xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x10xf32>, %y: tensor<4x9xf32>) {
    // expected-error @below {{expected a target of type 'tensor<4x10xf32>', but got 'tensor<4x9xf32>'}}
    %0 = train.kl_div %x, %y : tensor<4x10xf32>, tensor<4x9xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x10xf32>, %l: tensor<5xi32>) {
    // expected-error @below {{expected one i32 class per row of 'tensor<4x10xf32>', but got 'tensor<5xi32>'}}
    %0 = train.nll %x, %l : tensor<4x10xf32>, tensor<5xi32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x10xf32>, %l: tensor<4xi32>, %w: tensor<4xf32>) {
    // expected-error @below {{expected a weight per class of type 'tensor<10xf32>', but got 'tensor<4xf32>'}}
    %0 = train.weighted_cross_entropy %x, %l, %w : tensor<4x10xf32>, tensor<4xi32>, tensor<4xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x10xf32>, %l: tensor<4xi32>, %w: tensor<10xf32>) {
    // expected-error @below {{expected a smoothing in [0, 1), but got 1.000000e+00}}
    %0 = train.weighted_cross_entropy %x, %l, %w smoothing 1.0 : tensor<4x10xf32>, tensor<4xi32>, tensor<10xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x10xf32>, %w: tensor<10xf32>) {
    // expected-error @below {{expected classes with `ignore`, but got 'tensor<4x10xf32>'}}
    %0 = train.weighted_cross_entropy %x, %x, %w ignore 1 : tensor<4x10xf32>, tensor<4x10xf32>, tensor<10xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x10xf32>) {
    // expected-error @below {{expected a gamma of at least 0, but got -1.000000e+00}}
    %0 = train.focal %x, %x gamma -1.0 : tensor<4x10xf32>, tensor<4x10xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x10xf32>) {
    // expected-error @below {{expected an alpha in [0, 1], but got 2.000000e+00}}
    %0 = train.focal %x, %x gamma 1.0 alpha 2.0 : tensor<4x10xf32>, tensor<4x10xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x10xf32>) {
    // expected-error @below {{expected a positive eps, but got 0.000000e+00}}
    %0 = train.cosine_loss %x, %x eps 0.0 : tensor<4x10xf32>, tensor<4x10xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x10xf32>, %y: tensor<4x9xf32>) {
    // expected-error @below {{expected operands of one type, but got 'tensor<4x10xf32>', 'tensor<4x10xf32>', 'tensor<4x9xf32>'}}
    %0 = train.triplet %x, %x, %y margin 1.0 : tensor<4x10xf32>, tensor<4x10xf32>, tensor<4x9xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x10xf32>, %v: tensor<i32>) {
    // expected-error @below {{expected a leading dimension with equal parts for 3 rows, but got 'tensor<4xf32>'}}
    %0 = train.cosine_loss %x, %x eps 1.0 valid %v {batch_rows = 3} : tensor<4x10xf32>, tensor<4x10xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x5x6xf32>, %c: tensor<6xf32>) {
    // expected-error @below {{expected groups that 6 channels are a multiple of, but got 4}}
    %0 = train.group_norm %x, %c, %c groups 4 eps 1.0e-5 : tensor<4x5x6xf32>, tensor<6xf32>, tensor<6xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<6xf32>) {
    // expected-error @below {{expected at least 2 dimensions, but got 'tensor<6xf32>'}}
    %0 = train.group_norm %x, %x, %x groups 2 eps 1.0e-5 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x6xf32>, %c: tensor<6xf32>) {
    // expected-error @below {{expected at least 3 dimensions, but got 'tensor<4x6xf32>'}}
    %0 = train.instance_norm %x, %c, %c eps 1.0e-5 : tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x6xf32>) {
    // expected-error @below {{expected a size from 1 to 64, but got 0}}
    %0 = train.lrn %x size 0 : tensor<4x6xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x6xf32>) {
    // expected-error @below {{expected a positive bias and an alpha of at least 0, but got 0.000000e+00 and 1.000000e-04}}
    %0 = train.lrn %x size 3 bias 0.0 : tensor<4x6xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x6xf32>) {
    // expected-error @below {{expected p 1 or 2, but got 3.000000e+00}}
    %0 = train.normalize %x along 1 p 3.0 : tensor<4x6xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x6xf32>) {
    // expected-error @below {{expected a dimension of 'tensor<4x6xf32>', but got 2}}
    %0 = train.normalize %x along 2 : tensor<4x6xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x6xf32>, %g: tensor<4xf32>) {
    // expected-error @below {{expected a value per element of dimension 1 of type 'tensor<6xf32>', but got 'tensor<4xf32>'}}
    %0 = train.weight_norm %x, %g along 1 : tensor<4x6xf32>, tensor<4xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x6xf32>, %u: tensor<4xf32>) {
    // expected-error @below {{expected 0 to 100 iterations, but got 101}}
    %0, %1 = train.spectral_norm %x, %u along 0 iterations 101 : tensor<4x6xf32>, tensor<4xf32>
    train.return
  }
}
