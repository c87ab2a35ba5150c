// Pooling of NHWC images.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_POOL
#define AMPC_TRAIN_POOL
include "mlir-dialects/Train/Base.td"

defvar poolFormat =
    [{`window` custom<Numbers>($window, "\"window\"") `strides` custom<Numbers>($strides, "\"strides\"")
      `padding` custom<Numbers>($padding, "\"padding\"") attr-dict }];
defvar poolDoc = "Padding is [top, bottom, left, right] and smaller than the window. ";
class Train_PoolOp<string mnemonic>
    : Train_Op<mnemonic,
               Passthrough, [InferTypeOpAdaptor, DeclareOpInterfaceMethods<BatchedOpInterface>]> {
  let arguments = (ins RealTensor:$x, DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides,
      DenseI64ArrayAttr:$padding);
  let assemblyFormat = !strconcat("$x ", poolFormat, "custom<Types>(ref($x), type($x))");
}
def Train_MaxPoolOp : Train_PoolOp<"max_pool"> {
  let summary = "Max pooling: maximum of every window, and its position in the window";
  let lists = ["propagate=clear"];
  let doc = !strconcat(poolDoc, [{
    The second result, i8, is for the adjoint: the row-major position of the first maximum in a window of at most
    127 elements. }]);
  let results = (outs RealTensor:$result, RankedTensorOf<[I8]>:$where);
  let example = "%y, %where = train.max_pool %x window [2, 2] strides [2, 2] padding [0, 0, 0, 0] "
                ": tensor<8x6x6x3xf32>";
  let saves = ["result"];
  let adjoint = [{
    return {b.op<MaxPoolGradOp>(getX().getType(), g, getWhere(), getWindow(), getStrides(), getPadding())}; }];
}
def Train_AvgPoolOp : Train_PoolOp<"avg_pool"> {
  let summary = "Average pooling: mean of every window; padding counts as zeros";
  let lists = ["propagate=infer"];
  let doc = poolDoc;
  let example = "%y = train.avg_pool %x window [2, 2] strides [2, 2] padding [0, 0, 0, 0] : "
                "tensor<8x6x6x3xf32>";
  let adjoint =
      [{ return {b.op<AvgPoolGradOp>(getX().getType(), g, getWindow(), getStrides(), getPadding())}; }];
}
def Train_MaxPoolGradOp : Train_Op<"max_pool_grad", Passthrough> {
  let summary = "Adjoint of max pooling: every element of g at the position of its window's "
                "maximum; overlapping windows are summed";
  let lists = ["propagate=clear"];
  let arguments = (ins RealTensor:$g, RankedTensorOf<[I8]>:$where, DenseI64ArrayAttr:$window,
      DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$padding);
  let assemblyFormat =
      !strconcat("$g `,` $where ", poolFormat, "`:` type($g) `,` type($where) `to` type($result)");
  let example =
      [{%dx = train.max_pool_grad %g, %where window [2, 2] strides [2, 2] padding [0, 0, 0, 0]
        : tensor<8x3x3x3xf32>, tensor<8x3x3x3xi8> to tensor<8x6x6x3xf32>}];
  let saves = ["1"];
  let hasVerifier = 1;
}
def Train_AvgPoolGradOp : Train_Op<"avg_pool_grad", Passthrough> {
  let summary = "Adjoint of average pooling: every element of g, divided by the window's size, "
                "at all positions of its window; overlapping windows are summed";
  let lists = ["propagate=infer"];
  let arguments = (ins RealTensor:$g, DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides,
      DenseI64ArrayAttr:$padding);
  let assemblyFormat = !strconcat("$g ", poolFormat, "`:` type($g) `to` type($result)");
  let example = [{%dx = train.avg_pool_grad %g window [2, 2] strides [2, 2] padding [0, 0, 0, 0]
        : tensor<8x3x3x3xf32> to tensor<8x6x6x3xf32>}];
  let adjoint = [{ return {b.op<AvgPoolOp>(g, getWindow(), getStrides(), getPadding())}; }];
  let hasVerifier = 1;
}
def Train_GlobalAvgPoolOp
    : Train_CompositeOp<
          "global_avg_pool",
          Passthrough, [InferTypeOpAdaptor, DeclareOpInterfaceMethods<BatchedOpInterface>]> {
  let summary = "Global average pooling: mean of every channel of an image, NHWC to NC";
  let lists = ["autocast=pass"];
  let range = [{ return x(0); }];
  let arguments = (ins RealTensor:$x);
  let assemblyFormat = "$x attr-dict custom<Types>(ref($x), type($x))";
  let example = "%y = train.global_avg_pool %x : tensor<8x6x6x3xf32>";
  let parts = "`train.reduce_mean`";
}
#endif
