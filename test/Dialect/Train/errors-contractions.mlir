// RUN: %ampc-opt %s --split-input-file --verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

train.model @m {
  train.func @f(%x: tensor<2x8x8x4xf32>, %w: tensor<6x3x3x4xf32>) {
    // expected-error @below {{expected an output of shape [2, 4, 4, 6], but got 'tensor<2x8x8x6xf32>'}}
    %0 = train.conv2d %x, %w strides [2, 2] padding [1, 1, 1, 1] : (tensor<2x8x8x4xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x6xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<2x8x8x4xf32>, %w: tensor<6x3x3x3xf32>) {
    // expected-error @below {{expected 1 groups that divide the channels of 'tensor<2x8x8x4xf32>' and the outputs of 'tensor<6x3x3x3xf32>'}}
    %0 = train.conv2d %x, %w strides [1, 1] padding [1, 1, 1, 1] : (tensor<2x8x8x4xf32>, tensor<6x3x3x3xf32>) -> tensor<2x8x8x6xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<2x8x8x4xf32>, %w: tensor<6x3x3x4xf32>) {
    // expected-error @below {{expected 2 strides, 2 dilations and 4 paddings, each less than 2^31, but got [0, 1], [1, 1] and [1, 1, 1, 1]}}
    %0 = train.conv2d %x, %w strides [0, 1] padding [1, 1, 1, 1] : (tensor<2x8x8x4xf32>, tensor<6x3x3x4xf32>) -> tensor<2x8x8x6xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: tensor<2x8x8x4xbf16>, %w: tensor<6x3x3x4xbf16>) {
    // expected-error @below {{expected operands of one element type and a result in 'f32'}}
    %0 = train.conv2d %x, %w strides [1, 1] padding [1, 1, 1, 1] : (tensor<2x8x8x4xbf16>, tensor<6x3x3x4xbf16>) -> tensor<2x8x8x6xbf16>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%q: tensor<2x8x4xf32>, %k: tensor<2x8x5xf32>) {
    // expected-error @below {{expected a query [..., queries, width] and keys and values [..., keys, width] of one element type}}
    %0 = train.attention %q, %k, %k : tensor<2x8x4xf32>, tensor<2x8x5xf32>, tensor<2x8x5xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%q: tensor<2x8x4xf32>, %k: tensor<2x6x4xf32>, %b: tensor<8x8xf32>) {
    // expected-error @below {{expected at least as many keys as queries with `causal`}}
    %0 = train.attention %q, %k, %k causal : tensor<2x8x4xf32>, tensor<2x6x4xf32>, tensor<2x6x4xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%q: tensor<2x8x4xf32>, %k: tensor<2x6x4xf32>, %b: tensor<8x8xf32>) {
    // expected-error @below {{expected a bias that broadcasts to 'tensor<2x8x6xf32>', but got 'tensor<8x8xf32>'}}
    %1 = train.attention %q, %k, %k bias %b : tensor<2x8x4xf32>, tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<8x8xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%q: tensor<2x8x4xbf16>) {
    // expected-error @below {{expected a result 'tensor<2x8x4xbf16>', or results 'tensor<2x8x4xf32>' and 'tensor<2x2x8xf32>', but got 'tensor<2x8x4xbf16>', 'tensor<2x8xbf16>'}}
    %0, %lse = train.attention %q, %q, %q : tensor<2x8x4xbf16>, tensor<2x8x4xbf16>, tensor<2x8x4xbf16> -> tensor<2x8x4xbf16>, tensor<2x8xbf16>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%q: tensor<2x8x4xf32>, %lse: tensor<2x8x1xf32>) {
    // expected-error @below {{expected a result and a cotangent of the shape of 'tensor<2x8x4xf32>' and a logsumexp 'tensor<2x2x8xf32>', but got 'tensor<2x8x4xf32>', 'tensor<2x8x4xf32>' and 'tensor<2x8x1xf32>'}}
    %0, %1, %2 = train.attention_grad %q, %q, %q from %q, %lse, %q
      : (tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x1xf32>, tensor<2x8x4xf32>)
      -> (tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>)
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%q: tensor<2x8x4xf32>, %lse: tensor<2x2x8xf32>) {
    // expected-error @below {{expected results 'tensor<2x8x4xf32>', twice 'tensor<2x8x4xf32>' and, with a bias, 'tensor<2x8x8xf32>', but got}}
    %0, %1, %2, %3 = train.attention_grad %q, %q, %q from %q, %lse, %q
      : (tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x2x8xf32>, tensor<2x8x4xf32>)
      -> (tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x8xf32>)
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%a: tensor<3x1x8x4xf32>, %b: tensor<2x5x4x6xf32>) {
    // expected-error @below {{expected leading dimensions that broadcast, but got 'tensor<3x1x8x4xf32>' and 'tensor<2x5x4x6xf32>'}}
    %0 = train.matmul %a, %b : (tensor<3x1x8x4xf32>, tensor<2x5x4x6xf32>) -> tensor<3x5x8x6xf32>
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%q: tensor<2x8x4xf32>, %v: tensor<2x8x5xf32>, %lse: tensor<2x2x8xf32>) {
    // expected-error @below {{expected keys and values of one type, but got 'tensor<2x8x4xf32>' and 'tensor<2x8x5xf32>'}}
    %0, %1, %2 = train.attention_grad %q, %q, %v from %v, %lse, %v : (tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x5xf32>,
      tensor<2x8x5xf32>, tensor<2x2x8xf32>, tensor<2x8x5xf32>) -> (tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x5xf32>)
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%a: tensor<4x8xi1>, %b: tensor<8x4xi1>) -> tensor<4x4xi1> {
    // expected-error@+1 {{operand #0 must be ranked tensor of 64-bit float or 32-bit float or bfloat16 type or 16-bit float values}}
    %0 = train.matmul %a, %b : (tensor<4x8xi1>, tensor<8x4xi1>) -> tensor<4x4xi1>
    train.return %0 : tensor<4x4xi1>
  }
}
