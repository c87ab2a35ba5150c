// Constants and ops that move data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_SHAPE_OPS
#define AMPC_TRAIN_SHAPE_OPS
include "mlir-dialects/Train/TrainBase.td"

def Train_ConstantOp : Train_Op<"constant", Passthrough, [AllTypesMatch<["value", "result"]>, ConstantLike]> {
  let summary = "A tensor known when the model is compiled";
  let arguments = (ins ElementsAttr:$value);
  let assemblyFormat = "$value attr-dict";
  let differentiable = 0;
  let hasFolder = 1;
}
def Train_ReshapeOp : Train_Op<"reshape", Passthrough> {
  let summary = "The same elements in the same order with another shape";
  let arguments = (ins AnyRankedTensor:$x);
  let assemblyFormat = "$x attr-dict `:` type($x) `to` type($result)";
  let adjoint = [{ return {b.reshape(g, getX().getType())}; }];
  let hasVerifier = 1;
  let hasFolder = 1;
}
def Train_TransposeOp : Train_Op<"transpose", Passthrough,
    [InferTypeOpAdaptor, DeclareOpInterfaceMethods<ScalarOpInterface, ["getOperandMap"]>]> {
  let summary = "Permutes dimensions: result dimension i is operand dimension permutation[i]";
  let arguments = (ins AnyRankedTensor:$x, DenseI64ArrayAttr:$permutation);
  let assemblyFormat = "$x $permutation attr-dict `:` type($x)";
  let scalar  = [{ return x[0]; }];
  let adjoint = [{ return {b.transpose(g, ::ampc::inversePermutation(getPermutation()))}; }];
  let extraDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *,
        std::optional<::mlir::Location> loc, Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::ampc::inferTranspose(loc, adaptor.getX().getType(), adaptor.getPermutation(), types);
    }
  }];
}
def Train_BroadcastToOp : Train_Op<"broadcast_to", Passthrough, [DeclareOpInterfaceMethods<ScalarOpInterface>]> {
  let summary = "Repeats along new leading dimensions and dimensions of size 1";
  let arguments = (ins AnyRankedTensor:$x);
  let assemblyFormat = "$x attr-dict `:` type($x) `to` type($result)";
  let scalar  = [{ return x[0]; }];
  let adjoint = [{ return {g}; }];
  let hasVerifier = 1;
  let hasFolder = 1;
}
#endif
