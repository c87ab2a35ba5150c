// Constants and ops that move data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_SHAPE
#define AMPC_TRAIN_SHAPE
include "mlir-dialects/Train/Base.td"

def Train_ConstantOp
    : Train_Op<"constant", Passthrough, [AllTypesMatch<["value", "result"]>, ConstantLike]> {
  let summary = "Constant tensor";
  let arguments = (ins ElementsAttr:$value);
  let assemblyFormat = "custom<Constant>($value) attr-dict";
  let example = "%c = train.constant dense<[1.0, 2.0]> : tensor<2xf32>";
  let differentiable = 0;
  let hasFolder = 1;
}
def Train_IotaOp : Train_Op<"iota", Passthrough, [DeclareOpInterfaceMethods<ScalarOpInterface>]> {
  let summary = "Index along one dimension";
  let arguments = (ins SignedI64Attr:$dim);
  let assemblyFormat = "`along` custom<Dim>($dim) attr-dict `:` custom<ResultType>(type($result))";
  let example = "%i = train.iota along 0 : tensor<4x8xi32>";
  let differentiable = 0;
  let hasVerifier = 1;
}
def Train_StopGradientOp : Train_UnaryOp<"stop_gradient", Passthrough> {
  let summary = "Identity without a gradient";
  let lists = ["propagate=clear"];
  let extraClassDeclaration = "static bool stopsGradient() { return true; }";
  let range = [{ return x(0); }];
  let scalar = [{ return x[0]; }];
  let adjoint = [{ return {Value()}; }];
}
def Train_ReshapeOp
    : Train_Op<
          "reshape",
          Passthrough, [MovesOnly, GivesElements, DeclareOpInterfaceMethods<BatchedOpInterface>]> {
  let summary = "Reshape: the elements in row-major order with another shape";
  let lists = ["propagate=clear"];
  let range = [{ return x(0); }];
  let arguments = (ins AnyRankedTensor:$x);
  let assemblyFormat = "$x attr-dict custom<TypeTo>(ref($x), type($x), type($result))";
  let example = "%y = train.reshape %x : tensor<4x8xf32> to tensor<2x2x8xf32>";
  let adjoint = [{ return {b.reshape(g, getX().getType())}; }];
  let hasVerifier = 1;
  let hasFolder = 1;
}
def Train_TransposeOp
    : Train_Op<"transpose", Passthrough,
               [MovesOnly, GivesElements, InferTypeOpAdaptor,
                DeclareOpInterfaceMethods<ScalarOpInterface, ["getOperandMap"]>]> {
  let summary = "Transposition: result dimension i is operand dimension permutation[i]";
  let lists = ["propagate=clear"];
  let range = [{ return x(0); }];
  let arguments = (ins AnyRankedTensor:$x, DenseI64ArrayAttr:$permutation);
  let assemblyFormat =
      "$x custom<Permutation>($permutation) attr-dict custom<Types>(ref($x), type($x))";
  let example = "%y = train.transpose %x [1, 0] : tensor<4x8xf32>";
  let scalar = [{ return x[0]; }];
  let adjoint = [{ return {b.transpose(g, ::ampc::inversePermutation(getPermutation()))}; }];
  let hasFolder = 1;
}
def Train_BroadcastToOp
    : Train_Op<
          "broadcast_to",
          Passthrough, [MovesOnly, GivesElements, DeclareOpInterfaceMethods<ScalarOpInterface>]> {
  let summary = "Broadcast along new leading dimensions and dimensions of size 1";
  let lists = ["propagate=clear"];
  let range = [{ return x(0); }];
  let arguments = (ins AnyRankedTensor:$x);
  let assemblyFormat = "$x attr-dict custom<TypeTo>(ref($x), type($x), type($result))";
  let example = "%y = train.broadcast_to %x : tensor<1x8xf32> to tensor<4x8xf32>";
  let scalar = [{ return x[0]; }];
  let adjoint = [{ return {g}; }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

// ---- Parts of tensors ----
def Train_SliceOp : Train_Op<"slice", Passthrough,
                             [GivesElements, InferTypeOpAdaptor,
                              DeclareOpInterfaceMethods<ScalarOpInterface, ["getOperandMap"]>]> {
  let summary = "Slice: in every dimension `size` elements from `offset` on, `stride` apart";
  let lists = ["propagate=clear"];
  let range = [{ return x(0); }];
  let arguments = (ins AnyRankedTensor:$x, DenseI64ArrayAttr:$offsets, DenseI64ArrayAttr:$sizes,
      DenseI64ArrayAttr:$strides);
  let assemblyFormat =
      [{$x `from` custom<Numbers>($offsets, "\"offsets\"") `sizes` custom<Numbers>($sizes, "\"sizes\"")
      `strides` custom<Numbers>($strides, "\"strides\"") attr-dict custom<Types>(ref($x), type($x))}];
  let example = "%y = train.slice %x from [1, 0] sizes [3, 4] strides [1, 2] : tensor<4x8xf32>";
  let scalar = [{ return x[0]; }];
  let hasFolder = 1;
}
def Train_PadOp
    : Train_Op<"pad",
               Passthrough, [InferTypeOpAdaptor, DeclareOpInterfaceMethods<BatchedOpInterface>]> {
  let summary = "Padding by `low` elements before, `high` behind and `interior` between the "
                "elements of every dimension";
  let lists = ["propagate=clear"];
  let arguments = (ins AnyRankedTensor:$x, F64Attr:$value, DenseI64ArrayAttr:$low,
      DenseI64ArrayAttr:$high, DenseI64ArrayAttr:$interior);
  let assemblyFormat =
      [{$x `value` custom<Value>($value) `low` custom<Numbers>($low, "\"low\"") `high` custom<Numbers>($high, "\"high\"")
      `interior` custom<Numbers>($interior, "\"interior\"") attr-dict custom<Types>(ref($x), type($x))}];
  let example =
      "%y = train.pad %x value 0.0 low [1, 0] high [1, 0] interior [0, 1] : tensor<4x8xf32>";
  let hasVerifier = 1;
  let hasFolder = 1;
}
def Train_ConcatOp
    : Train_Op<"concat", Passthrough,
               [GivesElements, InferTypeOpAdaptor, DeclareOpInterfaceMethods<BatchedOpInterface>]> {
  let summary = "Concatenation of tensors along a dimension";
  let lists = ["autocast-cpu=promote", "propagate=clear"];
  let range = [{
    ::ampc::Range all = x(0);
    for (unsigned i = 1; all && i < getNumOperands(); ++i)
      all = ::ampc::hull(all, x(i));
    return all; }];
  let arguments = (ins Variadic<AnyRankedTensor>:$parts, SignedI64Attr:$dim);
  let assemblyFormat =
      "$parts `along` custom<Dim>($dim) attr-dict custom<Types>(ref($parts), type($parts))";
  let example = "%y = train.concat %a, %b along 1 : tensor<4x8xf32>, tensor<4x3xf32>";
  let hasFolder = 1;
}
def Train_SplitOp : Train_CompositeOp<"split", Passthrough,
                                      [GivesElements, InferTypeOpAdaptor,
                                       DeclareOpInterfaceMethods<BatchedOpInterface>]> {
  let summary = "Split into consecutive parts along a dimension";
  let arguments = (ins AnyRankedTensor:$x, DenseI64ArrayAttr:$sizes, SignedI64Attr:$dim);
  let results = (outs Variadic<AnyRankedTensor>:$parts);
  let assemblyFormat =
      [{$x `into` custom<Numbers>($sizes, "\"sizes\"") `along` custom<Dim>($dim) attr-dict
      custom<Types>(ref($x), type($x))}];
  let example = "%a, %b = train.split %x into [3, 5] along 1 : tensor<4x8xf32>";
  let parts = "`train.slice` ops";
}
#endif
