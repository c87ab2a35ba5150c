// Constraints of products, beside the constraints of all kernels with a body.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --split-input-file --verify-diagnostics

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#y = affine_map<(d0, d1, d2) -> (d2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @line(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) {
// constraint kernel.gemm 1
// expected-error @below {{expected a space of at least two dimensions, a depth of at least 1 and two operand maps, but got [4], 8 and 2 maps}}
  %0 = kernel.gemm %x, %y : tensor<4x8xf32>, tensor<8x6xf32> acc f32 maps [#x, #y] space [4] depth 8 epilogue () maps [] -> [affine_map<(d0) -> (d0)>] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<4xf32>
  kernel.return
}

// -----

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#y = affine_map<(d0, d1, d2) -> (d2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @no_depth(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) {
// constraint kernel.gemm 1
// expected-error @below {{expected a space of at least two dimensions, a depth of at least 1 and two operand maps, but got [4, 6], 0 and 2 maps}}
  %0 = kernel.gemm %x, %y : tensor<4x8xf32>, tensor<8x6xf32> acc f32 maps [#x, #y] space [4, 6] depth 0 epilogue () maps [] -> [#id] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<4x6xf32>
  kernel.return
}

// -----

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#y = affine_map<(d0, d1, d2) -> (d2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @one_map(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) {
// constraint kernel.gemm 1
// expected-error @below {{expected a space of at least two dimensions, a depth of at least 1 and two operand maps, but got [4, 6], 8 and 1 maps}}
  %0 = kernel.gemm %x, %y : tensor<4x8xf32>, tensor<8x6xf32> acc f32 maps [#x] space [4, 6] depth 8 epilogue () maps [] -> [#id] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<4x6xf32>
  kernel.return
}

// -----

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#y = affine_map<(d0, d1, d2) -> (d2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @without_k(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) {
// constraint kernel.gemm 2
// expected-error @below {{expected a map from the space and k to 'tensor<4x8xf32>', but got affine_map<(d0, d1) -> (d0, d1)>}}
  %0 = kernel.gemm %x, %y : tensor<4x8xf32>, tensor<8x6xf32> acc f32 maps [#id, #y] space [4, 6] depth 8 epilogue () maps [] -> [#id] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<4x6xf32>
  kernel.return
}

// -----

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#y = affine_map<(d0, d1, d2) -> (d2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @divided(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) {
// constraint kernel.gemm 3
// expected-error @below {{expected operand 0 to be read by a linear map that does not depend on d1, but got affine_map<(d0, d1, d2) -> (d1 floordiv 6, d2)>}}
  %0 = kernel.gemm %x, %y : tensor<4x8xf32>, tensor<8x6xf32> acc f32 maps [affine_map<(d0, d1, d2) -> (d1 floordiv 6, d2)>, #y] space [4, 6] depth 8 epilogue () maps [] -> [#id] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<4x6xf32>
  kernel.return
}

// -----

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#y = affine_map<(d0, d1, d2) -> (d2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @other_side(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) {
// constraint kernel.gemm 3
// expected-error @below {{expected operand 1 to be read by a linear map that does not depend on d0, but got affine_map<(d0, d1, d2) -> (d2, d0)>}}
  %0 = kernel.gemm %x, %y : tensor<4x8xf32>, tensor<8x6xf32> acc f32 maps [#x, affine_map<(d0, d1, d2) -> (d2, d0)>] space [4, 6] depth 8 epilogue () maps [] -> [#id] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<4x6xf32>
  kernel.return
}

// -----

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#y = affine_map<(d0, d1, d2) -> (d2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @too_deep(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) {
// constraint kernel.gemm 4
// expected-error @below {{expected a map that stays inside 'tensor<4x8xf32>' over [4, 6, 9], but got affine_map<(d0, d1, d2) -> (d0, d2)>}}
  %0 = kernel.gemm %x, %y : tensor<4x8xf32>, tensor<8x6xf32> acc f32 maps [#x, #y] space [4, 6] depth 9 epilogue () maps [] -> [#id] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<4x6xf32>
  kernel.return
}

// -----

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#y = affine_map<(d0, d1, d2) -> (d2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @narrow_accumulator(%x: tensor<4x8xbf16>, %y: tensor<8x6xbf16>) {
// constraint kernel.gemm 5
// expected-error @below {{expected an accumulator of at least 'f32', but got 'bf16'}}
  %0 = kernel.gemm %x, %y : tensor<4x8xbf16>, tensor<8x6xbf16> acc bf16 maps [#x, #y] space [4, 6] depth 8 epilogue () maps [] -> [#id] {
  ^bb0(%sum: bf16):
    kernel.yield %sum : bf16
  } : tensor<4x6xbf16>
  kernel.return
}

// -----

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#y = affine_map<(d0, d1, d2) -> (d2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @right_side(%x: tensor<4x8xf32>, %y: tensor<8x6xf64>) {
// constraint kernel.gemm 5
// expected-error @below {{expected an accumulator of at least 'f64', but got 'f32'}}
  %0 = kernel.gemm %x, %y : tensor<4x8xf32>, tensor<8x6xf64> acc f32 maps [#x, #y] space [4, 6] depth 8 epilogue () maps [] -> [#id] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<4x6xf32>
  kernel.return
}

// -----

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#y = affine_map<(d0, d1, d2) -> (d2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @integers(%x: tensor<4x8xi32>, %y: tensor<8x6xi32>) {
// constraint kernel.gemm 5
// expected-error @below {{expected tensors of reals, but got 'tensor<4x8xi32>'}}
  %0 = kernel.gemm %x, %y : tensor<4x8xi32>, tensor<8x6xi32> acc f32 maps [#x, #y] space [4, 6] depth 8 epilogue () maps [] -> [#id] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<4x6xf32>
  kernel.return
}

// -----

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#y = affine_map<(d0, d1, d2) -> (d2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @other_sum(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) {
// constraint kernel.gemm 6
// expected-error @below {{expected the body's first argument, the sum, to be of type 'f32', but got 'f64'}}
  %0 = kernel.gemm %x, %y : tensor<4x8xf32>, tensor<8x6xf32> acc f32 maps [#x, #y] space [4, 6] depth 8 epilogue () maps [] -> [#id] {
  ^bb0(%sum: f64):
    kernel.yield %sum : f64
  } : tensor<4x6xf64>
  kernel.return
}

// -----

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#y = affine_map<(d0, d1, d2) -> (d2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @one_mode(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) {
// constraint kernel.gemm 7
// expected-error @below {{expected two real types to multiply in, but got [tf32]}}
  %0 = kernel.gemm %x, %y : tensor<4x8xf32>, tensor<8x6xf32> acc f32 maps [#x, #y] space [4, 6] depth 8 epilogue () maps [] -> [#id]
      attributes {compute = [tf32]} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<4x6xf32>
  kernel.return
}

// -----

kernel.program @rank(%x: tensor<2x6x9x4xf32>, %y: tensor<6x3x3xf32>) {
// constraint kernel.conv 1
// expected-error @below {{expected operands and a space of four dimensions, but got 'tensor<2x6x9x4xf32>', 'tensor<6x3x3xf32>' and [2, 6, 9, 6]}}
  %0 = kernel.conv %x, %y : tensor<2x6x9x4xf32>, tensor<6x3x3xf32> acc f32 strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1]
      input_dilations [1, 1] groups 1 space [2, 6, 9, 6] epilogue () maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<2x6x9x6xf32>
  kernel.return
}

// -----

kernel.program @stride(%x: tensor<2x6x9x4xf32>, %y: tensor<6x3x3x4xf32>) {
// constraint kernel.conv 2
// expected-error @below {{expected 2 positive strides, dilations and input dilations, and 4 paddings, each below 2^31, but got [0, 1], [1, 1], [1, 1] and [1, 1, 1, 1]}}
  %0 = kernel.conv %x, %y : tensor<2x6x9x4xf32>, tensor<6x3x3x4xf32> acc f32 strides [0, 1] padding [1, 1, 1, 1] dilations [1, 1]
      input_dilations [1, 1] groups 1 space [2, 6, 9, 6] epilogue () maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<2x6x9x6xf32>
  kernel.return
}

// -----

kernel.program @paddings(%x: tensor<2x6x9x4xf32>, %y: tensor<6x3x3x4xf32>) {
// constraint kernel.conv 2
// expected-error @below {{expected 2 positive strides, dilations and input dilations, and 4 paddings, each below 2^31, but got [1, 1], [1, 1], [1, 1] and [1, 1]}}
  %0 = kernel.conv %x, %y : tensor<2x6x9x4xf32>, tensor<6x3x3x4xf32> acc f32 strides [1, 1] padding [1, 1] dilations [1, 1]
      input_dilations [1, 1] groups 1 space [2, 6, 9, 6] epilogue () maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<2x6x9x6xf32>
  kernel.return
}

// -----

kernel.program @groups(%x: tensor<2x6x9x4xf32>, %y: tensor<6x3x3x4xf32>) {
// constraint kernel.conv 3
// expected-error @below {{expected 2 groups that divide the channels of 'tensor<2x6x9x4xf32>' and the 6 outputs of a filter with 4 channels}}
  %0 = kernel.conv %x, %y : tensor<2x6x9x4xf32>, tensor<6x3x3x4xf32> acc f32 strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1]
      input_dilations [1, 1] groups 2 space [2, 6, 9, 6] epilogue () maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<2x6x9x6xf32>
  kernel.return
}

// -----

kernel.program @planes(%x: tensor<2x6x9x4xf32>, %y: tensor<6x3x3x4xf32>) {
// expected-error @below {{expected 1 groups that divide the channels of 'tensor<2x6x9x4xf32>' and the 6 outputs of a filter with 4 channels}}
  %0 = kernel.conv %x, %y : tensor<2x6x9x4xf32>, tensor<6x3x3x4xf32> acc f32 strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1]
      input_dilations [1, 1] groups 1 channels_first space [2, 6, 9, 6] epilogue () maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<2x6x9x6xf32>
  kernel.return
}

// -----

kernel.program @reach(%x: tensor<2x6x9x4xf32>, %y: tensor<6x3x3x4xf32>) {
// constraint kernel.conv 4
// expected-error @below {{expected outputs of shape [2, 4, 7, 6], but got [2, 6, 9, 6]}}
  %0 = kernel.conv %x, %y : tensor<2x6x9x4xf32>, tensor<6x3x3x4xf32> acc f32 strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1]
      input_dilations [1, 1] groups 1 space [2, 6, 9, 6] epilogue () maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<2x6x9x6xf32>
  kernel.return
}

// -----

kernel.program @accumulator(%x: tensor<2x6x9x4xf32>, %y: tensor<6x3x3x4xf64>) {
// constraint kernel.conv 5
// expected-error @below {{expected an accumulator of at least 'f64', but got 'f32'}}
  %0 = kernel.conv %x, %y : tensor<2x6x9x4xf32>, tensor<6x3x3x4xf64> acc f32 strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1]
      input_dilations [1, 1] groups 1 space [2, 6, 9, 6] epilogue () maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<2x6x9x6xf32>
  kernel.return
}

// -----

kernel.program @sum(%x: tensor<2x6x9x4xf32>, %y: tensor<6x3x3x4xf32>) {
// constraint kernel.conv 6
// expected-error @below {{expected the body's first argument, the sum, to be of type 'f32', but got 'f64'}}
  %0 = kernel.conv %x, %y : tensor<2x6x9x4xf32>, tensor<6x3x3x4xf32> acc f32 strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1]
      input_dilations [1, 1] groups 1 space [2, 6, 9, 6] epilogue () maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] {
  ^bb0(%sum: f64):
    kernel.yield %sum : f64
  } : tensor<2x6x9x6xf64>
  kernel.return
}

// -----

kernel.program @mode(%x: tensor<2x6x9x4xf32>, %y: tensor<6x3x3x4xf32>) {
// constraint kernel.conv 7
// expected-error @below {{expected two real types to multiply in, but got [tf32, i8]}}
  %0 = kernel.conv %x, %y : tensor<2x6x9x4xf32>, tensor<6x3x3x4xf32> acc f32 strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1]
      input_dilations [1, 1] groups 1 space [2, 6, 9, 6] epilogue () maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>]
      attributes {compute = [tf32, i8]} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<2x6x9x6xf32>
  kernel.return
}

// -----

kernel.program @rank(%x: tensor<2x6x9x4xf32>, %y: tensor<2x6x9xf32>) {
// constraint kernel.conv_filter 1
// expected-error @below {{expected operands and a space of four dimensions, but got 'tensor<2x6x9x4xf32>', 'tensor<2x6x9xf32>' and [6, 3, 3, 4]}}
  %0 = kernel.conv_filter %x, %y : tensor<2x6x9x4xf32>, tensor<2x6x9xf32> acc f32 strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1]
      input_dilations [1, 1] groups 1 space [6, 3, 3, 4] epilogue () maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<6x3x3x4xf32>
  kernel.return
}

// -----

kernel.program @stride(%x: tensor<2x6x9x4xf32>, %y: tensor<2x6x9x6xf32>) {
// constraint kernel.conv_filter 2
// expected-error @below {{expected 2 positive strides, dilations and input dilations, and 4 paddings, each below 2^31, but got [0, 1], [1, 1], [1, 1] and [1, 1, 1, 1]}}
  %0 = kernel.conv_filter %x, %y : tensor<2x6x9x4xf32>, tensor<2x6x9x6xf32> acc f32 strides [0, 1] padding [1, 1, 1, 1] dilations [1, 1]
      input_dilations [1, 1] groups 1 space [6, 3, 3, 4] epilogue () maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<6x3x3x4xf32>
  kernel.return
}

// -----

kernel.program @paddings(%x: tensor<2x6x9x4xf32>, %y: tensor<2x6x9x6xf32>) {
// constraint kernel.conv_filter 2
// expected-error @below {{expected 2 positive strides, dilations and input dilations, and 4 paddings, each below 2^31, but got [1, 1], [1, 1], [1, 1] and [1, 1]}}
  %0 = kernel.conv_filter %x, %y : tensor<2x6x9x4xf32>, tensor<2x6x9x6xf32> acc f32 strides [1, 1] padding [1, 1] dilations [1, 1]
      input_dilations [1, 1] groups 1 space [6, 3, 3, 4] epilogue () maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<6x3x3x4xf32>
  kernel.return
}

// -----

kernel.program @groups(%x: tensor<2x6x9x4xf32>, %y: tensor<2x6x9x6xf32>) {
// constraint kernel.conv_filter 3
// expected-error @below {{expected 2 groups that divide the channels of 'tensor<2x6x9x4xf32>' and the 6 outputs of a filter with 4 channels}}
  %0 = kernel.conv_filter %x, %y : tensor<2x6x9x4xf32>, tensor<2x6x9x6xf32> acc f32 strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1]
      input_dilations [1, 1] groups 2 space [6, 3, 3, 4] epilogue () maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<6x3x3x4xf32>
  kernel.return
}

// -----

kernel.program @reach(%x: tensor<2x6x9x4xf32>, %y: tensor<2x6x9x6xf32>) {
// constraint kernel.conv_filter 4
// expected-error @below {{expected outputs of shape [2, 4, 7, 6], but got [2, 6, 9, 6]}}
  %0 = kernel.conv_filter %x, %y : tensor<2x6x9x4xf32>, tensor<2x6x9x6xf32> acc f32 strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1]
      input_dilations [1, 1] groups 1 space [6, 3, 3, 4] epilogue () maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<6x3x3x4xf32>
  kernel.return
}

// -----

kernel.program @accumulator(%x: tensor<2x6x9x4xf32>, %y: tensor<2x6x9x6xf64>) {
// constraint kernel.conv_filter 5
// expected-error @below {{expected an accumulator of at least 'f64', but got 'f32'}}
  %0 = kernel.conv_filter %x, %y : tensor<2x6x9x4xf32>, tensor<2x6x9x6xf64> acc f32 strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1]
      input_dilations [1, 1] groups 1 space [6, 3, 3, 4] epilogue () maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<6x3x3x4xf32>
  kernel.return
}

// -----

kernel.program @sum(%x: tensor<2x6x9x4xf32>, %y: tensor<2x6x9x6xf32>) {
// constraint kernel.conv_filter 6
// expected-error @below {{expected the body's first argument, the sum, to be of type 'f32', but got 'f64'}}
  %0 = kernel.conv_filter %x, %y : tensor<2x6x9x4xf32>, tensor<2x6x9x6xf32> acc f32 strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1]
      input_dilations [1, 1] groups 1 space [6, 3, 3, 4] epilogue () maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] {
  ^bb0(%sum: f64):
    kernel.yield %sum : f64
  } : tensor<6x3x3x4xf64>
  kernel.return
}

// -----

kernel.program @mode(%x: tensor<2x6x9x4xf32>, %y: tensor<2x6x9x6xf32>) {
// constraint kernel.conv_filter 7
// expected-error @below {{expected two real types to multiply in, but got [tf32, i8]}}
  %0 = kernel.conv_filter %x, %y : tensor<2x6x9x4xf32>, tensor<2x6x9x6xf32> acc f32 strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1]
      input_dilations [1, 1] groups 1 space [6, 3, 3, 4] epilogue () maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>]
      attributes {compute = [tf32, i8]} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<6x3x3x4xf32>
  kernel.return
}

// -----

kernel.program @winograd_filter_tile(%w: tensor<32x3x3x16xf32>) {
// constraint kernel.winograd_filter 1
// expected-error @below {{expected tiles of 2 or 4 outputs, but got 3}}
  %0 = kernel.winograd_filter %w tile 3 : tensor<32x3x3x16xf32> -> tensor<512x16xf32, #kernel.packed<rhs, depth = 1, bytes = 32768>>
  kernel.return
}

// -----

kernel.program @winograd_filter_taps(%w: tensor<32x3x1x16xf32>) {
// constraint kernel.winograd_filter 2
// expected-error @below {{expected a filter of f32 with 3x3 taps, a multiple of 32 outputs and a multiple of 16 channels, but got}}
  %0 = kernel.winograd_filter %w tile 2 : tensor<32x3x1x16xf32> -> tensor<512x16xf32, #kernel.packed<rhs, depth = 1, bytes = 32768>>
  kernel.return
}

// -----

kernel.program @winograd_filter_outputs(%w: tensor<30x3x3x16xf32>) {
// constraint kernel.winograd_filter 2
// expected-error @below {{expected a filter of f32 with 3x3 taps, a multiple of 32 outputs and a multiple of 16 channels, but got}}
  %0 = kernel.winograd_filter %w tile 2 : tensor<30x3x3x16xf32> -> tensor<512x16xf32, #kernel.packed<rhs, depth = 1, bytes = 32768>>
  kernel.return
}

// -----

kernel.program @winograd_filter_lines(%w: tensor<32x3x3x16xf32>) {
// constraint kernel.winograd_filter 3
// expected-error @below {{expected a packed right side of 36 x 32 lines and depth 16, but got}}
  %0 = kernel.winograd_filter %w tile 4 : tensor<32x3x3x16xf32> -> tensor<512x16xf32, #kernel.packed<rhs, depth = 1, bytes = 32768>>
  kernel.return
}

// -----

kernel.program @winograd_filter_packed(%w: tensor<32x3x3x16xf32>) {
// constraint kernel.winograd_filter 3
// expected-error @below {{expected a packed right side of 16 x 32 lines and depth 16, but got}}
  %0 = kernel.winograd_filter %w tile 2 : tensor<32x3x3x16xf32> -> tensor<512x16xf32>
  kernel.return
}

// -----

#all = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
kernel.program @winograd_tile(%x: tensor<2x6x9x16xf32>, %f: tensor<32x3x3x16xf32>) {
  %w = kernel.winograd_filter %f tile 2 : tensor<32x3x3x16xf32> -> tensor<512x16xf32, #kernel.packed<rhs, depth = 1, bytes = 32768>>
// constraint kernel.winograd 1
// expected-error @below {{expected tiles of 2 or 4 outputs, but got 1}}
  %0 = kernel.winograd %x, %w tile 1 : tensor<2x6x9x16xf32>, tensor<512x16xf32, #kernel.packed<rhs, depth = 1, bytes = 32768>> padding [1, 1, 1, 1] space [2, 6, 9, 32] epilogue() maps [] -> [#all] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<2x6x9x32xf32>
  kernel.return
}

// -----

#all = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
kernel.program @winograd_image(%x: tensor<2x6x9x16xbf16>, %f: tensor<32x3x3x16xf32>) {
  %w = kernel.winograd_filter %f tile 2 : tensor<32x3x3x16xf32> -> tensor<512x16xf32, #kernel.packed<rhs, depth = 1, bytes = 32768>>
// constraint kernel.winograd 2
// expected-error @below {{expected an image of f32 and a space of four dimensions, and 4 paddings of at least 0, below 2^31, but got}}
  %0 = kernel.winograd %x, %w tile 2 : tensor<2x6x9x16xbf16>, tensor<512x16xf32, #kernel.packed<rhs, depth = 1, bytes = 32768>> padding [1, 1, 1, 1] space [2, 6, 9, 32] epilogue() maps [] -> [#all] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<2x6x9x32xf32>
  kernel.return
}

// -----

#all = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
kernel.program @winograd_padding(%x: tensor<2x6x9x16xf32>, %f: tensor<32x3x3x16xf32>) {
  %w = kernel.winograd_filter %f tile 2 : tensor<32x3x3x16xf32> -> tensor<512x16xf32, #kernel.packed<rhs, depth = 1, bytes = 32768>>
// constraint kernel.winograd 2
// expected-error @below {{expected an image of f32 and a space of four dimensions, and 4 paddings of at least 0, below 2^31, but got}}
  %0 = kernel.winograd %x, %w tile 2 : tensor<2x6x9x16xf32>, tensor<512x16xf32, #kernel.packed<rhs, depth = 1, bytes = 32768>> padding [1, 1, 1, -1] space [2, 6, 7, 32] epilogue() maps [] -> [#all] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<2x6x7x32xf32>
  kernel.return
}

// -----

#all = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
kernel.program @winograd_lines(%x: tensor<2x6x9x16xf32>, %f: tensor<32x3x3x16xf32>) {
  %w = kernel.winograd_filter %f tile 2 : tensor<32x3x3x16xf32> -> tensor<512x16xf32, #kernel.packed<rhs, depth = 1, bytes = 32768>>
// constraint kernel.winograd 3
// expected-error @below {{expected a filter packed as a right side of 36 x 32 lines and depth 16, but got}}
  %0 = kernel.winograd %x, %w tile 4 : tensor<2x6x9x16xf32>, tensor<512x16xf32, #kernel.packed<rhs, depth = 1, bytes = 32768>> padding [1, 1, 1, 1] space [2, 6, 9, 32] epilogue() maps [] -> [#all] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<2x6x9x32xf32>
  kernel.return
}

// -----

#all = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
kernel.program @winograd_channels(%x: tensor<2x6x9x32xf32>, %f: tensor<32x3x3x16xf32>) {
  %w = kernel.winograd_filter %f tile 2 : tensor<32x3x3x16xf32> -> tensor<512x16xf32, #kernel.packed<rhs, depth = 1, bytes = 32768>>
// constraint kernel.winograd 3
// expected-error @below {{expected a filter packed as a right side of 16 x 32 lines and depth 32, but got}}
  %0 = kernel.winograd %x, %w tile 2 : tensor<2x6x9x32xf32>, tensor<512x16xf32, #kernel.packed<rhs, depth = 1, bytes = 32768>> padding [1, 1, 1, 1] space [2, 6, 9, 32] epilogue() maps [] -> [#all] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<2x6x9x32xf32>
  kernel.return
}

// -----

#all = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
kernel.program @winograd_space(%x: tensor<2x6x9x16xf32>, %f: tensor<32x3x3x16xf32>) {
  %w = kernel.winograd_filter %f tile 2 : tensor<32x3x3x16xf32> -> tensor<512x16xf32, #kernel.packed<rhs, depth = 1, bytes = 32768>>
// constraint kernel.winograd 4
// expected-error @below {{expected outputs of shape [2, 6, 8, 32], but got [2, 6, 9, 32]}}
  %0 = kernel.winograd %x, %w tile 2 : tensor<2x6x9x16xf32>, tensor<512x16xf32, #kernel.packed<rhs, depth = 1, bytes = 32768>> padding [1, 1, 1, 0] space [2, 6, 9, 32] epilogue() maps [] -> [#all] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<2x6x9x32xf32>
  kernel.return
}

// -----

#all = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
kernel.program @winograd_sum(%x: tensor<2x6x9x16xf32>, %f: tensor<32x3x3x16xf32>) {
  %w = kernel.winograd_filter %f tile 2 : tensor<32x3x3x16xf32> -> tensor<512x16xf32, #kernel.packed<rhs, depth = 1, bytes = 32768>>
// constraint kernel.winograd 5
// expected-error @below {{expected the body's first argument, the sum, to be of type}}
  %0 = kernel.winograd %x, %w tile 2 : tensor<2x6x9x16xf32>, tensor<512x16xf32, #kernel.packed<rhs, depth = 1, bytes = 32768>> padding [1, 1, 1, 1] space [2, 6, 9, 32] epilogue() maps [] -> [#all] {
  ^bb0(%sum: bf16):
    kernel.yield %sum : bf16
  } : tensor<2x6x9x32xbf16>
  kernel.return
}
