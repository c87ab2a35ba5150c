// Reductions and ops along the last dimension.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_REDUCTION_OPS
#define AMPC_TRAIN_REDUCTION_OPS
include "mlir-dialects/Train/TrainBase.td"

// `combine` names a case of kernel.combine.
class Train_ReduceOp<string mnemonic, string combine>
    : Train_Op<mnemonic, FullPrecision, [InferTypeOpAdaptor, ReduceOpInterface]> {
  let extraClassDeclaration = "static ::llvm::StringRef getCombine() { return \"" # combine # "\"; }";
  let arguments = (ins AnyRankedTensor:$x, DenseI64ArrayAttr:$dims);
  let assemblyFormat = "$x `over` $dims attr-dict `:` type($x)";
  let extraDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *,
        std::optional<::mlir::Location> loc, Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::ampc::inferReduce(loc, adaptor.getX().getType(), adaptor.getDims(), types);
    }
  }];
}
def Train_ReduceSumOp : Train_ReduceOp<"reduce_sum", "sum"> {
  let summary = "Sum over dimensions, which are dropped";
  let adjoint = [{ return {b.broadcastTo(b.reshape(g, b.withOnes(getX().getType(), getDims())), getX().getType())}; }];
}
def Train_SoftmaxOp : Train_UnaryOp<"softmax", FullPrecision> {
  let summary = "Softmax along the last dimension";
  let saves   = ["result"];
  let scalar  = [{ Value e = b.exp(b.sub(x[0], b.rowMax(x[0]))); return b.div(e, b.rowSum(e)); }];
  let adjoint = [{ Value gy = b.mul(g, getResult()); return {b.sub(gy, b.mul(getResult(), b.rowSum(gy)))}; }];
}
#endif
