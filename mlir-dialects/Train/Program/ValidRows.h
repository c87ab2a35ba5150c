// Ops that leave out rows of a short batch: see ValidRowsOpInterface.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_PROGRAM_VALIDROWS_H
#define MLIR_DIALECTS_TRAIN_PROGRAM_VALIDROWS_H

#include "mlir-dialects/Train/Ops/Tensors.h"

namespace ampc {
/// Mask of valid rows: i1 of shape [leading, 1, ...] with the rank of `type`, or with the size at
/// dimension `dim`.
mlir::Value validMask(GradBuilder &b, mlir::Type type, mlir::Value valid,
                      std::optional<int64_t> batchRows, int64_t dim = 0);
/// Dimension of the rows in a mask made by validMask.
std::optional<int64_t> dimensionOfMask(mlir::Operation *op);
/// Whether an op makes units of a dimension of `valid`.
bool scalesCount(mlir::Operation *op);
/// How many rows of the leading dimension of `type` count, as a real of rank 0.
mlir::Value validCount(GradBuilder &b, mlir::Type type, mlir::Value valid,
                       std::optional<int64_t> batchRows, mlir::Type element);

/// Checks that `valid` has a leading dimension, and that `batch_rows` divides that dimension.
template <typename Op> llvm::LogicalResult verifyBatchRows(Op op, mlir::RankedTensorType type) {
  if (!op.getValid() && !op.getBatchRows())
    return llvm::success();
  int64_t leading = type.getRank() ? type.getDimSize(0) : 0,
          rows = op.getBatchRows().value_or(leading);
  if (leading == 0 || rows < 1 || leading % rows != 0)
    return op.emitOpError() << "expected a leading dimension with equal parts for " << rows
                            << " rows, but got " << type;
  return llvm::success();
}
/// Checks rows of an op with AlongOpInterface: rows are outside the dimension that the op reduces.
template <typename Op> llvm::LogicalResult verifyRowsOfBatch(Op op) {
  return verifyBatchRows(op, withoutDimension(op.getAlongType(), op.getAlong()));
}
} // namespace ampc
#endif
