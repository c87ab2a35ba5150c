// Losses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_LOSS_OPS
#define AMPC_TRAIN_LOSS_OPS
include "mlir-dialects/Train/TrainBase.td"

def Train_OneHotOp : Train_Op<"one_hot", Passthrough,
    [DeclareOpInterfaceMethods<ScalarOpInterface, ["getOperandMap"]>]> {
  let summary = "1 where the position in the last dimension equals the label, else 0";
  let arguments = (ins AnyRankedTensor:$label);
  let assemblyFormat = "$label attr-dict `:` type($label) `to` type($result)";
  let differentiable = 0;
  let scalar  = [{ return b.select(b.equal(b.rowIndex(), x[0]), b.real(1.0), b.real(0.0)); }];
}
def Train_SoftmaxCrossEntropyOp : Train_Op<"softmax_cross_entropy", FullPrecision, [InferTypeOpAdaptor,
      DeclareOpInterfaceMethods<ScalarOpInterface, ["getSpace", "getOperandMap", "getResultMap"]>]> {
  let summary = "-log softmax(logits)[label], per row";
  let arguments = (ins AnyRankedTensor:$logits, AnyRankedTensor:$label);
  let assemblyFormat = "$logits `,` $label attr-dict `:` type($logits) `,` type($label)";
  let saves  = ["0", "1"];
  let scalar = [{
    Value m = b.rowMax(x[0]), s = b.rowSum(b.exp(b.sub(x[0], m)));
    Value picked = b.rowSum(b.select(b.equal(b.rowIndex(), x[1]), x[0], b.real(0.0)));
    return b.sub(b.add(b.log(s), m), picked); }];
  let adjoint = [{
    Value error = b.sub(b.op<SoftmaxOp>(getLogits()), b.op<OneHotOp>(getLogits().getType(), getLabel()));
    return {b.mul(error, b.columnOf(g)), Value()}; }];
  let extraDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *,
        std::optional<::mlir::Location> loc, Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::ampc::inferRowLoss(loc, adaptor.getLogits().getType(), adaptor.getLabel().getType(), types);
    }
  }];
}
#endif
