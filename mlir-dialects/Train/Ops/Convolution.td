// Two-dimensional convolutions and both gradients, each linear in both operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_CONVOLUTION
#define AMPC_TRAIN_CONVOLUTION
include "mlir-dialects/Train/Base.td"

class Train_ConvolutionOp<string mnemonic, string first, string second, list<Trait> traits = []>
    : Train_Op<mnemonic, LowPrecision, traits> {
  let arguments = !con(!dag(ins, [RealTensor, RealTensor], [first, second]),
                       (ins DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$padding,
                           DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$dilations,
                           DefaultValuedAttr<SignedI64Attr, "1">:$groups));
  let results = (outs RealTensor:$result);
  let assemblyFormat =
      "$"#first#" `,` $"#second#[{ `strides` custom<Numbers>($strides, "\"strides\"")
      `padding` custom<Numbers>($padding, "\"padding\"") (`dilations` custom<Dilations>($dilations)^)?
      (`groups` custom<Groups>($groups)^)? attr-dict custom<ProductTypes>(}]#"ref($"#first#"), type($"#first#"), "
      "ref("
      "$"#second#"), type($"#second#"), type($result))";
  let saves = ["0", "1"];
  let hasVerifier = 1;
  let extraClassDeclaration = "int64_t getFlops();";
}
def Train_Conv2dOp : Train_ConvolutionOp<"conv2d", "image", "filter",
                                         [DeclareOpInterfaceMethods<BatchedOpInterface>,
                                          DeclareOpInterfaceMethods<FanOpInterface>]> {
  let summary = "Convolution (correlation) of an NHWC image with an OHWI filter";
  let lists = ["autocast=low", "autocast-cpu=low", "propagate=allow"];
  let doc = [{
    Padding is [top, bottom, left, right], filled with zeros. With groups, output channels of group i see the input channels of
    group i, and the filter is [O, KH, KW, I / groups]. The result's element type is the accumulator's: operands of
    16 bits need a result in f32.
  }];
  let example = [{%y = train.conv2d %x, %w strides [2, 2] padding [1, 1, 1, 1]
        : (tensor<8x32x32x3xf32>, tensor<16x3x3x3xf32>) -> tensor<8x16x16x16xf32>}];
  let adjoint = [{
    return {b.op<Conv2dGradInputOp>(accumulatorsOf(getImage()), g, getFilter(), getStrides(), getPadding(), getDilations(), getGroups()),
            b.op<Conv2dGradFilterOp>(accumulatorsOf(getFilter()), getImage(), g, getStrides(), getPadding(), getDilations(), getGroups())}; }];
}
def Train_Conv2dGradInputOp
    : Train_ConvolutionOp<"conv2d_grad_input", "g",
                          "filter", [DeclareOpInterfaceMethods<FanOpInterface>]> {
  let summary = "Cotangent of a convolution's image, from the filter and the cotangent of the "
                "result";
  let lists = ["autocast=low", "autocast-cpu=low", "propagate=allow"];
  let example = [{%dx = train.conv2d_grad_input %g, %w strides [2, 2] padding [1, 1, 1, 1]
        : (tensor<8x16x16x16xf32>, tensor<16x3x3x3xf32>) -> tensor<8x32x32x3xf32>}];
  let adjoint = [{
    return {b.op<Conv2dOp>(accumulatorsOf(getG()), g, getFilter(), getStrides(), getPadding(), getDilations(), getGroups()),
            b.op<Conv2dGradFilterOp>(accumulatorsOf(getFilter()), g, getG(), getStrides(), getPadding(), getDilations(), getGroups())}; }];
}
def Train_Conv2dGradFilterOp : Train_ConvolutionOp<"conv2d_grad_filter", "image", "g"> {
  let summary = "Cotangent of a convolution's filter, from the image and the cotangent of the "
                "result";
  let lists = ["autocast=low", "autocast-cpu=low", "propagate=allow"];
  let example = [{%dw = train.conv2d_grad_filter %x, %g strides [2, 2] padding [1, 1, 1, 1]
        : (tensor<8x32x32x3xf32>, tensor<8x16x16x16xf32>) -> tensor<16x3x3x3xf32>}];
  let adjoint = [{
    return {b.op<Conv2dGradInputOp>(accumulatorsOf(getImage()), getG(), g, getStrides(), getPadding(), getDilations(), getGroups()),
            b.op<Conv2dOp>(accumulatorsOf(getG()), getImage(), g, getStrides(), getPadding(), getDilations(), getGroups())}; }];
}
#endif
