// Convolutions of one and three dimensions, transposed convolutions, and pools of any number of
// dimensions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_WINDOWS
#define AMPC_TRAIN_WINDOWS
include "mlir-dialects/Train/Base.td"

class Train_WindowOp<string mnemonic, Category category, list<Trait> traits = []>
    : Train_CompositeOp<mnemonic, category,
                        traits#[InferTypeOpAdaptor, DeclareOpInterfaceMethods<BatchedOpInterface>]>;

// ---- Convolutions ----
class Train_WindowProductOp<string mnemonic, dag more = (ins), string moreFormat = "">
    : Train_WindowOp<mnemonic, LowPrecision, [DeclareOpInterfaceMethods<FanOpInterface>]> {
  let arguments = !con((ins RealTensor:$x, RealTensor:$filter, DenseI64ArrayAttr:$strides,
                           DenseI64ArrayAttr:$padding, OptionalAttr<DenseI64ArrayAttr>:$dilations,
                           DefaultValuedAttr<SignedI64Attr, "1">:$groups),
                       more);
  let assemblyFormat =
      !strconcat([{$x `,` $filter `strides` custom<Numbers>($strides, "\"strides\"")
      `padding` custom<Numbers>($padding, "\"padding\"") (`dilations` custom<Dilations>($dilations)^)? (`groups` custom<Groups>($groups)^)? }],
                 moreFormat, [{
      attr-dict custom<Types>(ref($x), type($x), ref($filter), type($filter))}]);
}
def Train_Conv1dOp : Train_WindowProductOp<"conv1d"> {
  let summary = "Convolution (correlation) of signals in (N, L, C) with a filter in (O, K, I)";
  let doc = [{
    Padding is [before, behind]. With groups, output channels of group i see the input channels of group i, and I is C / groups. }];
  let example = "%y = train.conv1d %x, %w strides [2] padding [1, 1] : tensor<8x32x3xf32>, "
                "tensor<16x3x3xf32>";
  let parts = "`train.conv2d` of an image of height 1";
}
def Train_Conv3dOp : Train_WindowProductOp<"conv3d"> {
  let summary = "Convolution (correlation) of volumes in (N, D, H, W, C) with a filter in (O, KD, "
                "KH, KW, I)";
  let doc = [{
    Padding is two numbers per dimension. With groups, output channels of group i see the input channels of group
    i, and I is C / groups. Every depth of the result is one image, whose channels are the channels of the KD
    depths in its window: all products of an element form one sum in f32 with one rounding, and the output is
    written once, at the cost of KD copies of the input. A filter of width and height 1 needs no copies. }];
  let example = "%y = train.conv3d %x, %w strides [1, 2, 2] padding [1, 1, 1, 1, 1, 1] : "
                "tensor<2x4x8x8x3xf32>, tensor<16x3x3x3x3xf32>";
  let parts = "`train.conv2d`, with adjacent depths as channels";
}
def Train_ConvTransposeOp
    : Train_WindowProductOp<"conv_transpose", (ins OptionalAttr<DenseI64ArrayAttr>:$output_padding),
                            "(`output_padding` $output_padding^)?"> {
  let summary = "Transposed convolution of one to three dimensions: the adjoint of a convolution "
                "applied to x";
  let doc = [{
    The filter is the convolution's: (O, K..., I), where O is the number of channels of x; the result has I *
    groups channels. The size along a dimension is (size - 1) * stride - padding + (K - 1) * dilation + 1 +
    output_padding. }];
  let example = "%y = train.conv_transpose %x, %w strides [2, 2] padding [1, 1, 1, 1] "
                "output_padding [1, 1] : tensor<8x16x16x16xf32>, tensor<16x3x3x3xf32>";
  let parts = "`train.conv2d_grad_input`";
}

// ---- Pools ----
def Train_PoolMode : I32EnumAttr<"PoolMode", "reduction of a window",
                                 [I32EnumAttrCase<"max", 0>, I32EnumAttrCase<"mean", 1>,
                                  I32EnumAttrCase<"sum", 2>]> {
  let cppNamespace = "::ampc::train";
}
class Train_AnyPoolOp<string mnemonic> : Train_WindowOp<mnemonic, Passthrough> {
  let lists = ["propagate=infer"];
  let parts = "`train.max_pool` or `train.avg_pool`";
}
def Train_PoolOp : Train_AnyPoolOp<"pool"> {
  let summary = "Pooling: maximum, mean or sum of every window of (N, ..., C), of any number of "
                "dimensions";
  let doc = [{
    Padding is two numbers per dimension. With `ceil`, a last window that begins inside or in the padding in front
    may end beyond the padding. Padding is never a maximum and counts as zeros in means, except elements added by
    `ceil`, which do not count; with `exclude_padding`, means are over inside elements only, and 0 for windows
    without inside elements. Windows of a maximum have at most 127 elements along a dimension. The gradient of a
    maximum goes to the first maximal element. }];
  let arguments = (ins Train_PoolMode:$mode, RealTensor:$x, DenseI64ArrayAttr:$window,
      DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$padding,
      OptionalAttr<DenseI64ArrayAttr>:$dilations, UnitAttr:$ceil, UnitAttr:$exclude_padding);
  let assemblyFormat =
      [{$mode $x `window` custom<Numbers>($window, "\"window\"") `strides` custom<Numbers>($strides, "\"strides\"")
      `padding` custom<Numbers>($padding, "\"padding\"") (`dilations` custom<Dilations>($dilations)^)? (`ceil` $ceil^)?
      (`exclude_padding` $exclude_padding^)? attr-dict custom<Types>(ref($x), type($x))}];
  let example = "%y = train.pool max %x window [2, 2, 2] strides [2, 2, 2] padding [0, 0, 0, 0, "
                "0, 0] : tensor<8x4x6x6x3xf32>";
}
def Train_AdaptivePoolOp : Train_AnyPoolOp<"adaptive_pool"> {
  let summary = "Adaptive pooling: maximum, mean or sum of a given number of windows along the "
                "dimensions of (N, ..., C)";
  let doc = [{
    Window i of n over a dimension of size m goes from floor(i m / n) up to ceil((i + 1) m / n). One window is
    global pooling. Windows of a maximum have at most 127 elements along a dimension. }];
  let arguments = (ins Train_PoolMode:$mode, RealTensor:$x, DenseI64ArrayAttr:$sizes);
  let assemblyFormat =
      [{$mode $x `to` custom<Numbers>($sizes, "\"sizes\"") attr-dict custom<Types>(ref($x), type($x))}];
  let example = "%y = train.adaptive_pool mean %x to [3, 3] : tensor<8x7x7x3xf32>";
}
#endif
