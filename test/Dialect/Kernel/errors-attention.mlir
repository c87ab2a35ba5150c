// RUN: %ampc-opt %s --split-input-file --verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
kernel.program @narrow_accumulator(%q: tensor<2x8x4xbf16>) {
  // expected-error @below {{expected an accumulator of at least 'f32', but got 'bf16'}}
  %o = kernel.attention(%q, %q, %q : tensor<2x8x4xbf16>, tensor<2x8x4xbf16>, tensor<2x8x4xbf16>) acc bf16
    batch [2] queries 8 keys 8 width 4 scale 0.5 maps [#rows, #rows, #rows] -> [#rows] : tensor<2x8x4xbf16>
  kernel.return
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
kernel.program @accumulator_of_f64(%q: tensor<2x8x4xf64>) {
  // expected-error @below {{expected an accumulator of at least 'f64', but got 'f32'}}
  %o = kernel.attention(%q, %q, %q : tensor<2x8x4xf64>, tensor<2x8x4xf64>, tensor<2x8x4xf64>) acc f32
    batch [2] queries 8 keys 8 width 4 scale 0.5 maps [#rows, #rows, #rows] -> [#rows] : tensor<2x8x4xf64>
  kernel.return
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#number = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @rounded_logsumexp(%q: tensor<2x8x4xbf16>) {
  // expected-error @below {{expected a logsumexp in 'f32', but got 'tensor<2x8xbf16>'}}
  %o:2 = kernel.attention(%q, %q, %q : tensor<2x8x4xbf16>, tensor<2x8x4xbf16>, tensor<2x8x4xbf16>) acc f32
    batch [2] queries 8 keys 8 width 4 scale 0.5 maps [#rows, #rows, #rows] -> [#rows, #number] : tensor<2x8x4xbf16>, tensor<2x8xbf16>
  kernel.return
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#flat = affine_map<(d0, d1, d2) -> (d0 floordiv 2, d1, d2)>
kernel.program @not_linear(%q: tensor<2x8x4xf32>) {
  // expected-error @below {{expected a linear map from 3 dimensions to 'tensor<2x8x4xf32>'}}
  %o = kernel.attention(%q, %q, %q : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>) acc f32
    batch [2] queries 8 keys 8 width 4 scale 0.5 maps [#rows, #flat, #rows] -> [#rows] : tensor<2x8x4xf32>
  kernel.return
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
kernel.program @bias_missing(%q: tensor<2x8x4xf32>) {
  // expected-error @below {{expected 4 tensors and one map per tensor and result, but got 3 tensors, 3 and 1 maps}}
  %o = kernel.attention(%q, %q, %q : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>) acc f32
    batch [2] queries 8 keys 8 width 4 scale 0.5 biased maps [#rows, #rows, #rows] -> [#rows] : tensor<2x8x4xf32>
  kernel.return
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#number = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @scores_without_bias(%q: tensor<2x8x4xf32>, %lse: tensor<2x8xf32>) {
  // expected-error @below {{expected three results, and a fourth only with a bias, but got 4}}
  %o:4 = kernel.attention_grad(%q, %q, %q, %q, %lse, %q : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>,
      tensor<2x8x4xf32>, tensor<2x8xf32>, tensor<2x8x4xf32>) acc f32 batch [2] queries 8 keys 8 width 4 scale 0.5
    maps [#rows, #rows, #rows, #rows, #number, #rows] -> [#rows, #rows, #rows, #rows]
    : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x8xf32>
  kernel.return
}
