// RUN: %ampc-opt %s --split-input-file --verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
kernel.program @narrow_accumulator(%q: tensor<2x8x4xbf16>) {
  // constraint kernel.attention 5
  // expected-error @below {{expected an accumulator of at least 'f32', but got 'bf16'}}
  %o = kernel.attention(%q, %q, %q : tensor<2x8x4xbf16>, tensor<2x8x4xbf16>, tensor<2x8x4xbf16>) acc bf16
    batch [2] queries 8 keys 8 width 4 scale 0.5 maps [#rows, #rows, #rows] -> [#rows] : tensor<2x8x4xbf16>
  kernel.return
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
kernel.program @accumulator_of_f64(%q: tensor<2x8x4xf64>) {
  // constraint kernel.attention 5
  // expected-error @below {{expected an accumulator of at least 'f64', but got 'f32'}}
  %o = kernel.attention(%q, %q, %q : tensor<2x8x4xf64>, tensor<2x8x4xf64>, tensor<2x8x4xf64>) acc f32
    batch [2] queries 8 keys 8 width 4 scale 0.5 maps [#rows, #rows, #rows] -> [#rows] : tensor<2x8x4xf64>
  kernel.return
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#number = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @rounded_logsumexp(%q: tensor<2x8x4xbf16>) {
  // constraint kernel.attention 8
  // expected-error @below {{expected a logsumexp in 'f32', but got 'tensor<2x2x8xbf16>'}}
  %o:2 = kernel.attention(%q, %q, %q : tensor<2x8x4xbf16>, tensor<2x8x4xbf16>, tensor<2x8x4xbf16>) acc f32
    batch [2] queries 8 keys 8 width 4 scale 0.5 maps [#rows, #rows, #rows] -> [#rows, #rows] : tensor<2x8x4xbf16>, tensor<2x2x8xbf16>
  kernel.return
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#flat = affine_map<(d0, d1, d2) -> (d0 floordiv 2, d1, d2)>
kernel.program @not_linear(%q: tensor<2x8x4xf32>) {
  // constraint kernel.attention 3
  // expected-error @below {{expected a linear map from 3 dimensions to 'tensor<2x8x4xf32>'}}
  %o = kernel.attention(%q, %q, %q : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>) acc f32
    batch [2] queries 8 keys 8 width 4 scale 0.5 maps [#rows, #flat, #rows] -> [#rows] : tensor<2x8x4xf32>
  kernel.return
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
kernel.program @bias_missing(%q: tensor<2x8x4xf32>) {
  // constraint kernel.attention 2
  // expected-error @below {{expected 4 tensors and one map per tensor and result, but got 3 tensors, 3 and 1 maps}}
  %o = kernel.attention(%q, %q, %q : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>) acc f32
    batch [2] queries 8 keys 8 width 4 scale 0.5 biased maps [#rows, #rows, #rows] -> [#rows] : tensor<2x8x4xf32>
  kernel.return
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#number = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @scores_without_bias(%q: tensor<2x8x4xf32>, %lse: tensor<2x2x8xf32>) {
  // constraint kernel.attention_grad 7
  // expected-error @below {{expected three results, and a fourth only with a bias, but got 4}}
  %o:4 = kernel.attention_grad(%q, %q, %q, %q, %lse, %q : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>,
      tensor<2x8x4xf32>, tensor<2x2x8xf32>, tensor<2x8x4xf32>) acc f32 batch [2] queries 8 keys 8 width 4 scale 0.5
    maps [#rows, #rows, #rows, #rows, #rows, #rows] -> [#rows, #rows, #rows, #rows]
    : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x8xf32>
  kernel.return
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#number = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @no_keys_attention(%q: tensor<2x8x4xf32>, %k: tensor<2x9x4xf32>) {
  // constraint kernel.attention 1
  // expected-error @below {{expected sizes of at least 1, but got a batch of [2], 8 queries, 0 keys and a width of 4}}
  %o = kernel.attention(%q, %k, %k : tensor<2x8x4xf32>, tensor<2x9x4xf32>, tensor<2x9x4xf32>) acc f32 batch [2] queries 8 keys 0 width 4 scale 0.5
    maps [#rows, #rows, #rows] -> [#rows] : tensor<2x8x4xf32>
  kernel.return
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#number = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @two_dimensions_attention(%q: tensor<2x8x4xf32>, %k: tensor<2x9x4xf32>) {
  // constraint kernel.attention 3
  // expected-error @below {{expected a linear map from 3 dimensions to 'tensor<2x9x4xf32>', but got affine_map<(d0, d1) -> (d0, d1)>}}
  %o = kernel.attention(%q, %k, %k : tensor<2x8x4xf32>, tensor<2x9x4xf32>, tensor<2x9x4xf32>) acc f32 batch [2] queries 8 keys 9 width 4 scale 0.5
    maps [#rows, #number, #number] -> [#rows] : tensor<2x8x4xf32>
  kernel.return
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#number = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @outside_attention(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>) {
  // constraint kernel.attention 4
  // expected-error @below {{expected a map that stays inside 'tensor<2x8x4xf32>' over [2, 9, 4], but got affine_map<(d0, d1, d2) -> (d0, d1, d2)>}}
  %o = kernel.attention(%q, %k, %k : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>) acc f32 batch [2] queries 8 keys 9 width 4 scale 0.5
    maps [#rows, #rows, #rows] -> [#rows] : tensor<2x8x4xf32>
  kernel.return
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#number = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @integers_attention(%q: tensor<2x8x4xf32>, %k: tensor<2x9x4xi32>) {
  // constraint kernel.attention 5
  // expected-error @below {{expected tensors of reals, but got 'tensor<2x9x4xi32>'}}
  %o = kernel.attention(%q, %k, %k : tensor<2x8x4xf32>, tensor<2x9x4xi32>, tensor<2x9x4xi32>) acc f32 batch [2] queries 8 keys 9 width 4 scale 0.5
    maps [#rows, #rows, #rows] -> [#rows] : tensor<2x8x4xf32>
  kernel.return
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#number = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @overlap_attention(%q: tensor<2x8x4xf32>, %k: tensor<2x9x4xf32>) {
  // constraint kernel.attention 6
  // expected-error @below {{expected an injective map into 'tensor<2x8x4xf32>', but got affine_map<(d0, d1, d2) -> (0, d1, d2)>}}
  %o = kernel.attention(%q, %k, %k : tensor<2x8x4xf32>, tensor<2x9x4xf32>, tensor<2x9x4xf32>) acc f32 batch [2] queries 8 keys 9 width 4 scale 0.5
    maps [#rows, #rows, #rows] -> [affine_map<(d0, d1, d2) -> (0, d1, d2)>] : tensor<2x8x4xf32>
  kernel.return
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#number = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @no_keys_attention_grad(%q: tensor<2x8x4xf32>, %k: tensor<2x9x4xf32>, %l: tensor<2x2x8xf32>) {
  // constraint kernel.attention_grad 1
  // expected-error @below {{expected sizes of at least 1, but got a batch of [2], 8 queries, 0 keys and a width of 4}}
  %o:3 = kernel.attention_grad(%q, %k, %k, %q, %l, %q : tensor<2x8x4xf32>, tensor<2x9x4xf32>, tensor<2x9x4xf32>, tensor<2x8x4xf32>, tensor<2x2x8xf32>, tensor<2x8x4xf32>) acc f32 batch [2] queries 8 keys 0 width 4 scale 0.5
    maps [#rows, #rows, #rows, #rows, #rows, #rows] -> [#rows, #rows, #rows] : tensor<2x8x4xf32>, tensor<2x9x4xf32>, tensor<2x9x4xf32>
  kernel.return
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#number = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @two_dimensions_attention_grad(%q: tensor<2x8x4xf32>, %k: tensor<2x9x4xf32>, %l: tensor<2x2x8xf32>) {
  // constraint kernel.attention_grad 3
  // expected-error @below {{expected a linear map from 3 dimensions to 'tensor<2x9x4xf32>', but got affine_map<(d0, d1) -> (d0, d1)>}}
  %o:3 = kernel.attention_grad(%q, %k, %k, %q, %l, %q : tensor<2x8x4xf32>, tensor<2x9x4xf32>, tensor<2x9x4xf32>, tensor<2x8x4xf32>, tensor<2x2x8xf32>, tensor<2x8x4xf32>) acc f32 batch [2] queries 8 keys 9 width 4 scale 0.5
    maps [#rows, #number, #number, #rows, #rows, #rows] -> [#rows, #rows, #rows] : tensor<2x8x4xf32>, tensor<2x9x4xf32>, tensor<2x9x4xf32>
  kernel.return
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#number = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @outside_attention_grad(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %l: tensor<2x2x8xf32>) {
  // constraint kernel.attention_grad 4
  // expected-error @below {{expected a map that stays inside 'tensor<2x8x4xf32>' over [2, 9, 4], but got affine_map<(d0, d1, d2) -> (d0, d1, d2)>}}
  %o:3 = kernel.attention_grad(%q, %k, %k, %q, %l, %q : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x2x8xf32>, tensor<2x8x4xf32>) acc f32 batch [2] queries 8 keys 9 width 4 scale 0.5
    maps [#rows, #rows, #rows, #rows, #rows, #rows] -> [#rows, #rows, #rows] : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>
  kernel.return
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#number = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @integers_attention_grad(%q: tensor<2x8x4xf32>, %k: tensor<2x9x4xi32>, %l: tensor<2x2x8xf32>) {
  // constraint kernel.attention_grad 5
  // expected-error @below {{expected tensors of reals, but got 'tensor<2x9x4xi32>'}}
  %o:3 = kernel.attention_grad(%q, %k, %k, %q, %l, %q : tensor<2x8x4xf32>, tensor<2x9x4xi32>, tensor<2x9x4xi32>, tensor<2x8x4xf32>, tensor<2x2x8xf32>, tensor<2x8x4xf32>) acc f32 batch [2] queries 8 keys 9 width 4 scale 0.5
    maps [#rows, #rows, #rows, #rows, #rows, #rows] -> [#rows, #rows, #rows] : tensor<2x8x4xf32>, tensor<2x9x4xi32>, tensor<2x9x4xi32>
  kernel.return
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#number = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @overlap_attention_grad(%q: tensor<2x8x4xf32>, %k: tensor<2x9x4xf32>, %l: tensor<2x2x8xf32>) {
  // constraint kernel.attention_grad 6
  // expected-error @below {{expected an injective map into 'tensor<2x8x4xf32>', but got affine_map<(d0, d1, d2) -> (0, d1, d2)>}}
  %o:3 = kernel.attention_grad(%q, %k, %k, %q, %l, %q : tensor<2x8x4xf32>, tensor<2x9x4xf32>, tensor<2x9x4xf32>, tensor<2x8x4xf32>, tensor<2x2x8xf32>, tensor<2x8x4xf32>) acc f32 batch [2] queries 8 keys 9 width 4 scale 0.5
    maps [#rows, #rows, #rows, #rows, #rows, #rows] -> [affine_map<(d0, d1, d2) -> (0, d1, d2)>, #rows, #rows] : tensor<2x8x4xf32>, tensor<2x9x4xf32>, tensor<2x9x4xf32>
  kernel.return
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#number = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @no_logsumexp_attention_grad(%q: tensor<2x8x4xf32>, %k: tensor<2x9x4xf32>, %l: tensor<2x2x8xf32>) {
  // constraint kernel.attention_grad 2
  // expected-error @below {{expected 6 tensors and one map per tensor and result, but got 3 tensors, 3 and 3 maps}}
  %o:3 = kernel.attention_grad(%q, %k, %k : tensor<2x8x4xf32>, tensor<2x9x4xf32>, tensor<2x9x4xf32>) acc f32 batch [2] queries 8 keys 9 width 4 scale 0.5
    maps [#rows, #rows, #rows] -> [#rows, #rows, #rows] : tensor<2x8x4xf32>, tensor<2x9x4xf32>, tensor<2x9x4xf32>
  kernel.return
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#number = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @three_results_attention(%q: tensor<2x8x4xf32>, %k: tensor<2x9x4xf32>) {
  // constraint kernel.attention 7
  // expected-error @below {{expected one or two results, but got 3}}
  %o:3 = kernel.attention(%q, %k, %k : tensor<2x8x4xf32>, tensor<2x9x4xf32>, tensor<2x9x4xf32>) acc f32 batch [2] queries 8 keys 9 width 4 scale 0.5
    maps [#rows, #rows, #rows] -> [#rows, #rows, #rows] : tensor<2x8x4xf32>, tensor<2x2x8xf32>, tensor<2x8x4xf32>
  kernel.return
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
kernel.program @tiles_of_forward(%q: tensor<2x8x4xf32>) {
  // constraint kernel.attention 9
  // expected-error @below {{expected a plan of one tile, but got #kernel.attention_plan<mma, tiles = [<warps = 4, rows = 16, columns = 64, stages = 2>, <}}
  %o = kernel.attention(%q, %q, %q : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>) acc f32
    batch [2] queries 8 keys 8 width 4 scale 0.5 maps [#rows, #rows, #rows] -> [#rows]
    {plan = #kernel.attention_plan<mma, tiles = [<warps = 4, rows = 16, columns = 64, stages = 2>, <warps = 4, rows = 16, columns = 64, stages = 2>]>} : tensor<2x8x4xf32>
  kernel.return
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
kernel.program @tiles_of_gradient(%q: tensor<2x8x4xf32>, %lse: tensor<2x2x8xf32>) {
  // constraint kernel.attention_grad 8
  // expected-error @below {{expected a plan of two or three tiles, but got #kernel.attention_plan<mma, tiles = [<warps = 4, rows = 16, columns = 64, stages = 2>]>}}
  %o:3 = kernel.attention_grad(%q, %q, %q, %q, %lse, %q : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x2x8xf32>,
    tensor<2x8x4xf32>) acc f32 batch [2] queries 8 keys 8 width 4 scale 0.5 maps [#rows, #rows, #rows, #rows, #rows, #rows] -> [#rows, #rows, #rows]
    {plan = #kernel.attention_plan<mma, tiles = [<warps = 4, rows = 16, columns = 64, stages = 2>]>} : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>
  kernel.return
}
