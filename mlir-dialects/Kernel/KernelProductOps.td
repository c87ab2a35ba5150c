// Matrix products and convolutions, with a body as epilogue on the sums.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_KERNEL_PRODUCT_OPS
#define AMPC_KERNEL_PRODUCT_OPS

def Kernel_GemmOp
    : Kernel_LaunchOp<
          "gemm", [FusedKernelOpInterface, IsolatedFromAbove,
                   DeclareOpInterfaceMethods<KernelOpInterface, ["canFuseReductions"]>]> {
  let summary = "Matrix product with an explicit accumulator and a body as epilogue";
  let description = [{
    For every point (batch..., m, n) of the space, the sum over k of lhs * rhs in type `acc`, then the body.
    Indexing maps of the operands go from (batch..., m, n, k) to elements, and are linear: a side may be
    transposed, a slice of a tensor, or have interleaved heads. A side may be prepacked (`#kernel.packed`), if
    equal for the whole batch. GPUs store their choice of an algorithm as `plan`; with split-K, the sum is made of
    partial sums over slices of k, in the workspace, added in order. CPUs store `blockings`, one per tier with code of
    its own.

    Constraints:

    1. The space has at least two dimensions, `depth` is at least 1, and there are two operand maps.
    2. An operand's map goes from the space and k to its dimensions, without symbols.
    3. Maps are linear, and the map of a side does not depend on the lines of the other side.
    4. Maps stay inside the operand.
    5. Operands are real; `acc` is a real type of at least 32 bits, and at least as wide as the operands.
    6. The body's first argument, the sum, is of type `acc`.
    7. `compute` holds two real types.
    8. A packed operand is packed for its side and read as (line, k), whatever the batch.
    9. A packed operand has as many lines as the space, and `depth` points each.
    10. With a packed operand, both operands have the same type, and `acc` is f64 only for f64.

    ```mlir
    %y = kernel.gemm %x, %w : tensor<4x6xbf16>, tensor<6x8xbf16> acc f32
        maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>] space [4, 8] depth 6
        epilogue(%bias : tensor<8xf32>) maps [affine_map<(d0, d1) -> (d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>] {
    ^bb0(%sum: f32, %b: f32):
      %0 = arith.addf %sum, %b : f32
      kernel.yield %0 : f32
    } : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs,
      Variadic<AnyRankedTensor>:$inputs, DenseI64ArrayAttr:$space, SignedI64Attr:$depth,
      AffineMapArrayAttr:$operand_maps, AffineMapArrayAttr:$input_maps,
      AffineMapArrayAttr:$result_maps, TypeAttr:$acc, Kernel_Compute:$compute,
      OptionalAttr<Kernel_PlanAttr>:$plan, OptionalAttr<Kernel_Blockings>:$blockings,
      Kernel_Workspace:$workspace_bytes);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat =
      [{$lhs `,` $rhs `:` type($lhs) `,` type($rhs) `acc` $acc `maps` $operand_maps
    `space` $space `depth` $depth `epilogue` `(` ($inputs^ `:` type($inputs))? `)` `maps` $input_maps `->` $result_maps
    attr-dict-with-keyword $body `:` type($outs)}];
  let hasVerifier = 1;
  let extraClassDeclaration = "unsigned getNumLeadingArguments() { return 1; }";
}

// Geometry of a two-dimensional window; images are NHWC [N, H, W, C], or NCHW when read as such.
class Kernel_ConvLikeOp<string mnemonic, dag choices>
    : Kernel_LaunchOp<
          mnemonic, [FusedKernelOpInterface, IsolatedFromAbove,
                     DeclareOpInterfaceMethods<KernelOpInterface, ["canFuseReductions"]>]> {
  let arguments =
      !con((ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs, Variadic<AnyRankedTensor>:$inputs,
               DenseI64ArrayAttr:$space, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$padding,
               DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$input_dilations,
               SignedI64Attr:$groups, AffineMapArrayAttr:$input_maps,
               AffineMapArrayAttr:$result_maps, TypeAttr:$acc, Kernel_Compute:$compute),
           choices, (ins Kernel_Workspace:$workspace_bytes, UnitAttr:$channels_first));
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat =
      [{$lhs `,` $rhs `:` type($lhs) `,` type($rhs) `acc` $acc `strides` $strides `padding` $padding
    `dilations` $dilations `input_dilations` $input_dilations `groups` $groups
    (`channels_first` $channels_first^)? `space` $space
    `epilogue` `(` ($inputs^ `:` type($inputs))? `)` `maps` $input_maps `->` $result_maps
    attr-dict-with-keyword $body `:` type($outs)}];
  let hasVerifier = 1;
  let extraClassDeclaration = "unsigned getNumLeadingArguments() { return 1; }";
}
// A dilated image makes several products, one per phase of the output.
def Kernel_ConvOp : Kernel_ConvLikeOp<"conv", (ins OptionalAttr<Kernel_Plans>:$plans,
                                                  OptionalAttr<Kernel_Blockings>:$blockings)> {
  let summary =
      "Convolution of an NHWC image (lhs) with an OHWI filter (rhs); space [N, OH, OW, O]";
  let description = [{
    Padding is [top, bottom, left, right]. The image may be dilated by zeros (`input_dilations`), by which the op
    also computes the gradient of an image, on a rotated filter with inputs and outputs exchanged. With
    `channels_first` the image is NCHW in memory; the order of sums and of results is the same. The filter may be
    prepacked (`#kernel.packed`), also in rotated order, as given by the encoding; the shape of the type is
    unchanged. GPUs store their choice of an algorithm as `plans`: one per product, of which a dilated image has
    several, for the phases of the output. CPUs store `blockings`, one per product and tier with code of its own.

    Constraints:

    1. Operands and the space have four dimensions.
    2. There are 2 strides, dilations and input dilations, which are positive, and 4 paddings, all below 2^31.
    3. `groups` divides the channels of the image and the outputs of the filter, which has the channels of one group.
    4. Image, window and output have shapes that go together.
    5. Operands are real; `acc` is a real type of at least 32 bits, and at least as wide as the operands.
    6. The body's first argument, the sum, is of type `acc`.
    7. `compute` holds two real types.
    8. With a packed filter, there is one group, and the image is not dilated.
    9. The image then has the filter's type, and `acc` is f64 only for f64.

    ```mlir
    %y = kernel.conv %image, %filter : tensor<2x6x9x3xf32>, tensor<5x3x3x3xf32> acc f32 strides [1, 1] padding [1, 1, 1, 1]
        dilations [1, 1] input_dilations [1, 1] groups 1 space [2, 6, 9, 5]
        epilogue() maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    } : tensor<2x6x9x5xf32>
    ```
  }];
}
def Kernel_ConvFilterOp
    : Kernel_ConvLikeOp<"conv_filter", (ins OptionalAttr<Kernel_PlanAttr>:$plan,
                                           OptionalAttr<Kernel_FilterBlockings>:$blockings,
                                           Kernel_Parts:$parts)> {
  let summary = "Gradient for an OHWI filter from image (lhs) and cotangent (rhs); space [O, KH, "
                "KW, I/groups]";
  let description = [{
    The sum over pixels is one of `parts` partial sums, each over a range of the images, added in order: the result
    does not depend on the number of threads. A `plan` with tiles has a number of slices of its own. Partial sums
    are in the workspace. GPUs store a `plan`, CPUs `blockings`, one per tier with code of its own. With `channels_first` the image is NCHW in memory.

    Constraints:

    1. Operands and the space have four dimensions.
    2. There are 2 strides, dilations and input dilations, which are positive, and 4 paddings, all below 2^31.
    3. `groups` divides the channels of the image and the outputs of the filter, which has the channels of one group.
    4. Image, window and output have shapes that go together.
    5. Operands are real; `acc` is a real type of at least 32 bits, and at least as wide as the operands.
    6. The body's first argument, the sum, is of type `acc`.
    7. `compute` holds two real types.

    ```mlir
    %dw = kernel.conv_filter %image, %dy : tensor<2x6x9x3xf32>, tensor<2x6x9x5xf32> acc f32 strides [1, 1] padding [1, 1, 1, 1]
        dilations [1, 1] input_dilations [1, 1] groups 1 space [5, 3, 3, 3]
        epilogue() maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    } : tensor<5x3x3x3xf32>
    ```
  }];
  let extraClassDeclaration = [{
    unsigned getNumLeadingArguments() { return 1; }
    /// Whether the image is dilated: zeros between rows or columns.
    bool hasDilatedImage();
  }];
}

def Kernel_WinogradFilterOp : Kernel_DataOp<"winograd_filter"> {
  let summary = "Transforms an OHWI filter of 3x3 taps for `kernel.winograd`";
  let description = [{
    For tiles of `tile` x `tile` outputs a filter of one channel and output becomes a square of `tile` + 2 numbers,
    G w G'. G, of `tile` + 2 rows and 3 columns, is the matrix of Winograd's minimal algorithm (Lavin and Gray,
    2015) at the points 0, 1, -1 and, for tiles of 4, 2 and -2. For each position in the square, in row-major
    order, the numbers are a matrix of O lines and depth I; all matrices are packed together as one right-hand
    side.

    Constraints:

    1. `tile` is 2 or 4.
    2. The filter is of f32 and has 3x3 taps, a multiple of 32 outputs and a multiple of 16 channels.
    3. The result is a matrix of f32 with (`tile` + 2)^2 O lines, packed as a right side of depth I.

    ```mlir
    %w = kernel.winograd_filter %filter tile 2 : tensor<32x3x3x16xf32> -> tensor<512x16xf32, #kernel.packed<rhs, depth = 1, bytes = 32768>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$filter, SignedI64Attr:$tile);
  let assemblyFormat = "$filter `tile` $tile attr-dict `:` type($filter) `->` type($result)";
}
def Kernel_WinogradOp
    : Kernel_LaunchOp<
          "winograd", [FusedKernelOpInterface, IsolatedFromAbove,
                       DeclareOpInterfaceMethods<KernelOpInterface, ["canFuseReductions"]>]> {
  let summary = "Winograd convolution of an NHWC image with 3x3 taps by tiles of outputs; space "
                "[N, OH, OW, O]";
  let description = [{
    Tiles of `tile` x `tile` outputs read squares of `tile` + 2 pixels, d, which become B' d B. For each position,
    the squares are multiplied by the transformed filter (rhs, from `kernel.winograd_filter`) and summed over
    channels in f32, in ascending order; a tile is A' m A of the square m of sums, followed by the body. This takes
    4 or 2.25 products per output and channel in place of 9. Matrices B and A belong to G of the filter; all three
    are multiplied out row by row, ascending, without their zeros. Sums differ from those of `kernel.conv` by
    rounding. Padding is [top, bottom, left, right].

    Constraints:

    1. `tile` is 2 or 4.
    2. The image is of f32 and has four dimensions, and so has the space; there are 4 paddings of at least 0, below 2^31.
    3. The filter is packed as a right side of (`tile` + 2)^2 O lines with the image's channels as depth.
    4. Image, padding and output have shapes that go together.
    5. The body's first argument, the sum, is of f32.

    ```mlir
    %y = kernel.winograd %image, %w tile 2 : tensor<2x6x9x16xf32>, tensor<512x16xf32, #kernel.packed<rhs, depth = 1, bytes = 32768>> padding [1, 1, 1, 1]
        space [2, 6, 9, 32] epilogue() maps [] -> [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    } : tensor<2x6x9x32xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs,
      Variadic<AnyRankedTensor>:$inputs, SignedI64Attr:$tile, DenseI64ArrayAttr:$space,
      DenseI64ArrayAttr:$padding, AffineMapArrayAttr:$input_maps, AffineMapArrayAttr:$result_maps);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat =
      [{$lhs `,` $rhs `tile` $tile `:` type($lhs) `,` type($rhs) `padding` $padding `space` $space
    `epilogue` `(` ($inputs^ `:` type($inputs))? `)` `maps` $input_maps `->` $result_maps
    attr-dict-with-keyword $body `:` type($outs)}];
  let hasVerifier = 1;
  let extraClassDeclaration = "unsigned getNumLeadingArguments() { return 1; }";
}
#endif
