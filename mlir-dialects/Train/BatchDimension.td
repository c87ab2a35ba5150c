// Rows of the batch along another dimension than the first.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_BATCHDIMENSION
#define AMPC_TRAIN_BATCHDIMENSION
include "mlir/IR/OpBase.td"

def BatchDimensionOpInterface : OpInterface<"BatchDimensionOpInterface"> {
  let cppNamespace = "::ampc";
  let description = [{
    An op with BatchedOpInterface that also keeps rows of the batch apart along another dimension than the leading one, as models of
    sequences have them that begin with time.
  }];
  let methods = [InterfaceMethod<[{
      The dimension of the results that has equal parts, one per row; -1 if rows are mixed. `dimensionOf` gives that of an operand, -1
      for one without rows; that of some operand is not 0.}],
                                 "int64_t", "getBatchDimension",
                                 (ins "::llvm::function_ref<int64_t(::mlir::Value)>":$dimensionOf)>,
                 InterfaceMethod<[{
      Whether an element along that dimension is made from those of the operands at the same place, so that rows may lie there in several
      blocks.}],
                                 "bool", "keepsBlocks", (ins), "", "return false;">,
                 InterfaceMethod<[{
      Where the result holds rows that the only operand holds at `from`, for an op that keeps the order of elements and not their
      dimensions; nothing if it is no such op, or if rows are mixed.}],
                                 "std::optional<::ampc::BatchPlace>", "getPlaceInOrder",
                                 (ins "::ampc::BatchPlace":$from, "int64_t":$batch), "",
                                 "return std::nullopt;">];
}
#endif
