// Rows of the batch along another dimension than the first.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_BATCHDIMENSION
#define AMPC_TRAIN_BATCHDIMENSION
include "mlir/IR/OpBase.td"

def BatchDimensionOpInterface : OpInterface<"BatchDimensionOpInterface"> {
  let cppNamespace = "::ampc";
  let description = [{
    An op with BatchedOpInterface that also keeps rows of the batch apart along another dimension than the leading
    dimension, as in time-first sequence models, [time, batch, size].
  }];
  let methods = [InterfaceMethod<[{
      The dimension of the results with equal parts, one per row; -1 if rows are mixed. `dimensionOf` gives the
      dimension of an operand, or -1 for an operand without rows; at least one operand has a dimension other than
      0.}],
                                 "int64_t", "getBatchDimension",
                                 (ins "::llvm::function_ref<int64_t(::mlir::Value)>":$dimensionOf)>,
                 InterfaceMethod<[{
      Whether an element along the batch dimension depends only on operand elements at the same position, so that
      rows may be in several blocks.}],
                                 "bool", "keepsBlocks", (ins), "", "return false;">,
                 InterfaceMethod<[{
      Position of the rows in the result, given the position `from` in the only operand, for ops that keep the
      order of elements but not the dimensions; nullopt for other ops, or if rows are mixed.}],
                                 "std::optional<::ampc::BatchLayout>", "getPlaceInOrder",
                                 (ins "::ampc::BatchLayout":$from, "int64_t":$batch), "",
                                 "return std::nullopt;">];
}
#endif
