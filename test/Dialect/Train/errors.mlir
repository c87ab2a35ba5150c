// RUN: %ampc-opt %s --split-input-file --verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

train.model @m {
  train.func @f(%x: tensor<4xf32>, %y: tensor<5xf32>) {
    // expected-error @below {{expected shapes that broadcast, but got 'tensor<4xf32>' and 'tensor<5xf32>'}}
    %0 = train.add %x, %y : tensor<4xf32>, tensor<5xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4xi32>) {
    // expected-error @below {{must be ranked tensor of}}
    %0 = train.exp %x : tensor<4xi32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4xf32>) {
    // expected-error @below {{expected low <= high, but got 2.000000e+00 and 1.000000e+00}}
    %0 = train.clamp %x from 2.0 to 1.0 : tensor<4xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>) {
    // expected-error @below {{expected a slice inside 'tensor<4x8xf32>', but in dimension 1 the slice goes from 0 to 8}}
    %0 = train.slice %x from [0, 0] sizes [4, 5] strides [1, 2] : tensor<4x8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>) {
    // expected-error @below {{expected an offset, a positive size and a positive stride per dimension}}
    %0 = train.slice %x from [0] sizes [4] strides [1] : tensor<4x8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4xf32>) {
    // expected-error @below {{expected three non-negative numbers per dimension}}
    %0 = train.pad %x value 0.0 low [-1] high [0] interior [0] : tensor<4xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>, %y: tensor<5x7xf32>) {
    // expected-error @below {{expected tensors that differ only in dimension 1, but got 'tensor<4x8xf32>' and 'tensor<5x7xf32>'}}
    %0 = train.concat %x, %y along 1 : tensor<4x8xf32>, tensor<5x7xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>) {
    // expected-error @below {{expected positive sizes with sum 8, but got [3, 4]}}
    %0:2 = train.split %x into [3, 4] along 1 : tensor<4x8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>) {
    // expected-error @below {{expected a dimension of 'tensor<4x8xi32>', but got 2}}
    %0 = train.iota along 2 : tensor<4x8xi32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>, %i: tensor<3xf32>) {
    // expected-error @below {{8-bit unsigned integer values, but got 'tensor<3xf32>'}}
    %0 = train.gather %x at %i : tensor<4x8xf32>, tensor<3xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8x2xf32>, %i: tensor<3xi32>) {
    // expected-error @below {{expected a table of vectors, but got 'tensor<4x8x2xf32>'}}
    %0 = train.embedding %x at %i : tensor<4x8x2xf32>, tensor<3xi32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>, %i: tensor<3xi32>) {
    // expected-error @below {{expected updates of type 'tensor<3x8xf32>', but got 'tensor<4x8xf32>'}}
    %0 = train.scatter_add %x at %i : tensor<4x8xf32>, tensor<3xi32> to tensor<9x8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>) {
    // expected-error @below {{expected ascending dimensions of 'tensor<4x8xf32>', but got [1, 0]}}
    %0 = train.reduce_max %x over [1, 0] : tensor<4x8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<f32>) {
    // expected-error @below {{expected at least one element along the last dimension, but got 'tensor<f32>'}}
    %0 = train.softmax %x : tensor<f32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<f32>) {
    // expected-error @below {{expected at least one dimension, but got 'tensor<f32>'}}
    %0 = train.argmax %x : tensor<f32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>, %v: tensor<4xf32>) {
    // expected-error @below {{expected a value per channel of type 'tensor<8xf32>', but got 'tensor<4xf32>'}}
    %0 = train.layer_norm %x, %v, %v eps 1.0e-5 : tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>, %v: tensor<8xf32>) {
    // expected-error @below {{expected a positive eps, but got 0.000000e+00}}
    %0 = train.rms_norm %x, %v eps 0.0 : tensor<4x8xf32>, tensor<8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>, %v: tensor<8xf32>) {
    // expected-error @below {{expected a positive eps, but got -1.500000e+00}}
    %0, %1 = train.rms_norm_grad %x, %v, %x eps -1.5 : tensor<4x8xf32>, tensor<8xf32>, tensor<4x8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>, %v: tensor<8xf32>) {
    // expected-error @below {{expected a buffer, but @none is none}}
    %0 = train.batch_norm %x, %v, %v running @none, @none momentum 0.1 eps 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>, %v: tensor<8xf32>) {
    // expected-error @below {{expected a momentum in [0, 1], but got 1.500000e+00}}
    %0 = train.batch_norm %x, %v, %v running @none, @none momentum 1.5 eps 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>) {
    // expected-error @below {{expected an image NHWC, but got 'tensor<4x8xf32>'}}
    %0:2 = train.max_pool %x window [2, 2] strides [2, 2] padding [0, 0, 0, 0] : tensor<4x8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<1x4x4x2xf32>) {
    // expected-error @below {{expected a window that fits into 'tensor<1x4x4x2xf32>' and is larger than the padding}}
    %0:2 = train.max_pool %x window [2, 2] strides [2, 2] padding [2, 0, 0, 0] : tensor<1x4x4x2xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<1x16x16x2xf32>) {
    // expected-error @below {{expected a window of at most 127 elements, but got [16, 16]}}
    %0:2 = train.max_pool %x window [16, 16] strides [2, 2] padding [0, 0, 0, 0] : tensor<1x16x16x2xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<1x2x2x2xf32>) {
    // expected-error @below {{expected a cotangent of type 'tensor<1x3x3x2xf32>', but got 'tensor<1x2x2x2xf32>'}}
    %0 = train.avg_pool_grad %x window [2, 2] strides [2, 2] padding [0, 0, 0, 0] : tensor<1x2x2x2xf32> to tensor<1x6x6x2xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x10xf32>, %t: tensor<5xi32>) {
    // expected-error @below {{expected one class, an integer, per row of 'tensor<4x10xf32>' or a distribution of that type, but got 'tensor<5xi32>'}}
    %0 = train.softmax_cross_entropy %x, %t : tensor<4x10xf32>, tensor<5xi32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x10xf32>, %t: tensor<4xi32>) {
    // expected-error @below {{expected a smoothing in [0, 1), but got 1.000000e+00}}
    %0 = train.softmax_cross_entropy %x, %t smoothing 1.0 : tensor<4x10xf32>, tensor<4xi32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x10xf32>, %t: tensor<4x10xf32>) {
    // expected-error @below {{expected classes with `ignore`, but got 'tensor<4x10xf32>'}}
    %0 = train.softmax_cross_entropy %x, %t ignore 3 : tensor<4x10xf32>, tensor<4x10xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x10xf32>, %t: tensor<4x9xf32>) {
    // expected-error @below {{expected a target of type 'tensor<4x10xf32>', but got 'tensor<4x9xf32>'}}
    %0 = train.mse %x, %t : tensor<4x10xf32>, tensor<4x9xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x10xf32>) {
    // expected-error @below {{expected a leading dimension with equal parts for 3 rows, but got 'tensor<4x10xf32>'}}
    %0 = train.l1 %x, %x {batch_rows = 3 : i64} : tensor<4x10xf32>, tensor<4x10xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x10xf32>) {
    // expected-error @below {{expected a positive beta, but got 0.000000e+00}}
    %0 = train.smooth_l1 %x, %x beta 0.0 : tensor<4x10xf32>, tensor<4x10xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%t: tensor<4xi32>) {
    // expected-error @below {{expected the shape of 'tensor<4xi32>' and a dimension of classes, but got 'tensor<5x10xf32>'}}
    %0 = train.one_hot %t : tensor<4xi32> to tensor<5x10xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4xf32>) {
    // expected-error @below {{expected a rate in [0, 1), but got 1.000000e+00}}
    %0 = train.dropout %x rate 1.0 : tensor<4xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4xf32>) {
    // expected-error @below {{expected a probability in [0, 1], but got 1.500000e+00}}
    %0 = train.random_bernoulli 1.5 : tensor<4xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%s: tensor<2xi64>) {
    // expected-error @below {{expected the random state twice (a body reads both elements), and at most the number of a part of the batch, but got 1 operands}}
    %0 = train.random_uniform from 0.0 to 1.0 state(%s) : tensor<4xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4xf32>) {
    // expected-error @below {{expected a standard deviation of at least 0, but got -1.000000e+00}}
    %0 = train.random_normal mean 0.0 std -1.0 : tensor<4xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>, %w: tensor<7x2xf32>) {
    // expected-error @below {{expected a weight of [8, out] for 'tensor<4x8xf32>', but got 'tensor<7x2xf32>'}}
    %0 = train.linear %x, %w : tensor<4x8xf32>, tensor<7x2xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %b: tensor<3xf32>) {
    // expected-error @below {{expected a bias of type 'tensor<2xf32>', but got 'tensor<3xf32>'}}
    %0 = train.linear %x, %w, %b : tensor<4x8xf32>, tensor<8x2xf32>, tensor<3xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>) {
    // expected-error @below {{expected a permutation of the dimensions of 'tensor<4x8xf32>', but got [0, 0]}}
    %0 = train.transpose %x [0, 0] : tensor<4x8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>) {
    // expected-error @below {{expected the elements of 'tensor<4x8xf32>', but got 'tensor<31xf32>'}}
    %0 = train.reshape %x : tensor<4x8xf32> to tensor<31xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>) {
    // expected-error @below {{expected a shape that 'tensor<4x8xf32>' broadcasts to, but got 'tensor<8xf32>'}}
    %0 = train.broadcast_to %x : tensor<4x8xf32> to tensor<8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xf32>) {
    // expected-error @below {{expected the shape of 'tensor<4x8xf32>', but got 'tensor<4xbf16>'}}
    %0 = train.cast %x : tensor<4x8xf32> to tensor<4xbf16>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4xf32>) {
    // expected-error @below {{expected a condition of i1, but got 'tensor<4xf32>'}}
    %0 = train.select %x, %x, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4x8xbf16>, %y: tensor<8x4xbf16>) {
    // expected-error @below {{expected a result in 'f32', the accumulator of 'bf16', but got 'bf16'}}
    %0 = train.matmul %x, %y : (tensor<4x8xbf16>, tensor<8x4xbf16>) -> tensor<4x4xbf16>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%u: tensor<12x4xf32>, %i: tensor<12xi32>) {
    // expected-error @below {{expected sums of shape [7, 4], but got 'tensor<12x4xf32>'}}
    %s, %r = train.segment_sum %u at %i of 7 : tensor<12x4xf32>, tensor<12xi32> to tensor<12x4xf32>, tensor<12xi32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%u: tensor<12x4xf32>, %i: tensor<11xi32>) {
    // expected-error @below {{expected an update per index of 'tensor<11xi32>', but got 'tensor<12x4xf32>'}}
    %s, %r = train.segment_sum %u at %i of 70 : tensor<12x4xf32>, tensor<11xi32> to tensor<11x4xf32>, tensor<11xi32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%u: tensor<12x4xf32>, %i: tensor<12xi32>) {
    // expected-error @below {{expected rows of type 'tensor<12xi32>', but got 'tensor<13xi32>'}}
    %s, %r = train.segment_sum %u at %i of 70 : tensor<12x4xf32>, tensor<12xi32> to tensor<12x4xf32>, tensor<13xi32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%r: tensor<12x5xf32>, %i: tensor<12xi32>, %t: tensor<70x4xf32>) {
    // expected-error @below {{expected rows of type 'tensor<12x4xf32>', but got 'tensor<12x5xf32>'}}
    %y = train.scatter_rows %r at %i into %t : tensor<12x5xf32>, tensor<12xi32>, tensor<70x4xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<f32> {
    %l = train.mse %x, %y : tensor<4xf32>, tensor<4xf32>
    train.return %l : tensor<f32>
  }
  // expected-error @below {{expected moments in bf16 or f32, but got 'f16'}}
  train.step @fit minimize @f over [] with #train.adam<lr = 0.1, moments = f16>
}
