// RUN: %ampc-opt %s --split-input-file --verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

train.model @m {
  train.func @f(%x: f32[2, 9, 4], %w: f32[6, 3, 3]) {
    // expected-error @below {{expected 1 groups that divide the channels of 'tensor<2x9x4xf32>' and the outputs of 'tensor<6x3x3xf32>'}}
    %0 = train.conv1d %x, %w strides [1] padding [0, 0]
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[2, 9, 4], %w: f32[6, 3, 1, 4]) {
    // expected-error @below {{expected an image (N, ..., C) and a filter (O, ..., I) of 1 dimensions in between, but got 'tensor<2x9x4xf32>' and 'tensor<6x3x1x4xf32>'}}
    %0 = train.conv1d %x, %w strides [1] padding [0, 0]
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[2, 4, 4, 4, 3], %w: f32[6, 3, 3, 3, 3]) {
    // expected-error @below {{expected 3 strides, 3 dilations and 6 paddings, each less than 2^31, but got [1, 1], [1, 1, 1] and [0, 0, 0, 0, 0, 0]}}
    %0 = train.conv3d %x, %w strides [1, 1] padding [0, 0, 0, 0, 0, 0]
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[2, 4, 4, 4, 3], %w: f32[6, 3, 3, 3, 3]) {
    // expected-error @below {{expected a filter that fits into the padded image, but got 'tensor<6x3x3x3x3xf32>' and 'tensor<2x4x4x4x3xf32>'}}
    %0 = train.conv3d %x, %w strides [1, 1, 1] padding [0, 0, 0, 0, 0, 0] dilations [2, 1, 1]
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[2, 4, 4, 4, 3], %w: f32[6, 3, 3, 3, 1]) {
    // expected-error @below {{expected groups that divide the outputs of 'tensor<6x3x3x3x1xf32>', but got 4}}
    %0 = train.conv3d %x, %w strides [1, 1, 1] padding [0, 0, 0, 0, 0, 0] groups 4
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[2, 9, 4], %w: f32[6, 3, 3]) {
    // expected-error @below {{expected a filter with an output per channel of 'tensor<2x9x4xf32>', but got 'tensor<6x3x3xf32>'}}
    %0 = train.conv_transpose %x, %w strides [1] padding [0, 0]
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[2, 9, 4], %w: f32[4, 3, 3]) {
    // expected-error @below {{expected a result with elements, and less output padding than the stride, but got 21 elements with output padding 3 in dimension 1}}
    %0 = train.conv_transpose %x, %w strides [2] padding [0, 1] output_padding [3]
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[2, 9, 4], %w: f32[4, 3, 3]) {
    // expected-error @below {{expected 1 numbers of output padding, but got [-1]}}
    %0 = train.conv_transpose %x, %w strides [2] padding [0, 1] output_padding [-1]
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[2, 1, 4], %w: f32[4, 1, 3]) {
    // expected-error @below {{expected a result with elements, and less output padding than the stride, but got 0 elements with output padding 0 in dimension 1}}
    %0 = train.conv_transpose %x, %w strides [2] padding [1, 0]
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[2, 4], %w: f32[4, 3]) {
    // expected-error @below {{expected an image (N, ..., C) of one to three dimensions, but got 'tensor<2x4xf32>'}}
    %0 = train.conv_transpose %x, %w strides [] padding []
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[2, 4]) {
    // expected-error @below {{expected an image (N, ..., C), but got 'tensor<2x4xf32>'}}
    %0 = train.pool max %x window [] strides [] padding []
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[2, 9, 4]) {
    // expected-error @below {{expected a window of 1, 1 strides, 1 dilations and 2 paddings, each less than 2^31, but got [3], [0], [1] and [0, 0]}}
    %0 = train.pool max %x window [3] strides [0] padding [0, 0]
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[2, 9, 4]) {
    // expected-error @below {{expected a window that fits into 'tensor<2x9x4xf32>', but got [5] with padding [0, 0]}}
    %0 = train.pool mean %x window [5] strides [1] padding [0, 0] dilations [3]
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[2, 900, 4]) {
    // expected-error @below {{expected windows of at most 127 elements along a dimension for maxima, but got 128}}
    %0 = train.pool max %x window [128] strides [1] padding [0, 0]
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[2, 90000000, 4]) {
    // expected-error @below {{expected at most 16777216 elements in all windows along a dimension}}
    %0 = train.pool mean %x window [2] strides [1] padding [0, 0] ceil
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[2, 300, 4]) {
    // expected-error @below {{expected windows of at most 127 elements along a dimension for maxima, but got 150}}
    %0 = train.adaptive_pool max %x to [2]
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[2, 9, 4]) {
    // expected-error @below {{expected 1 sizes, each less than 2^31, but got [2, 2]}}
    %0 = train.adaptive_pool mean %x to [2, 2]
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[2, 3], %y: f32[3, 4]) {
    // expected-error @below {{expected an equation with letters for every operand, but got ij,jk,kl}}
    %0 = train.einsum "ij,jk,kl" %x, %y
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[2, 3], %y: f32[3, 4]) {
    // expected-error @below {{expected a letter for every dimension of 'tensor<3x4xf32>', but got jkl}}
    %0 = train.einsum "ij,jkl" %x, %y
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[2, 3], %y: f32[3, 4]) {
    // expected-error @below {{expected one size for every letter, but got 2 and 3 for i}}
    %0 = train.einsum "ij,ik" %x, %y
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[2, 3], %y: f32[3, 4]) {
    // expected-error @below {{expected one size for every letter, but got 3 and 4 for a dimension of ...}}
    %0 = train.einsum "i...,j..." %x, %y
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[2, 3], %y: f32[3, 4]) {
    // expected-error @below {{expected letters of the operands in the result, each once, but got ij,jk->im}}
    %0 = train.einsum "ij,jk->im" %x, %y
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[50000, 50000]) {
    // expected-error @below {{expected a diagonal of at most 46340 elements, but got 50000}}
    %0 = train.einsum "ii->i" %x
    train.return
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[2, 3], %y: bf16[3, 4]) {
    // expected-error @below {{expected operands of one element type}}
    %0 = train.einsum "ij,jk" %x, %y
    train.return
  }
}
