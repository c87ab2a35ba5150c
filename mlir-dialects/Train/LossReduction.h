// How losses of rows or elements become one number.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_LOSSREDUCTION_H
#define MLIR_DIALECTS_TRAIN_LOSSREDUCTION_H

#include "mlir-dialects/Train/ValidRows.h"

namespace ampc {
/// From losses of rows or elements to one number.
struct LossReduction {
  GradBuilder &b;
  train::Reduction reduction;
  mlir::Value valid;
  std::optional<int64_t> batchRows;
  /// Which losses count besides the valid ones, as i1, or how much each does; may be null.
  mlir::Value counted = {};

  /// `result` is the type of what comes out.
  mlir::Value run(mlir::Value losses, mlir::Type result);

private:
  mlir::Value mask(mlir::Value losses) { return validMask(b, losses.getType(), valid, batchRows); }
  mlir::Value count(mlir::Value losses, mlir::Type wide);
  mlir::Value sumOfCounted(mlir::Value losses, mlir::Type wide);
};

inline mlir::RankedTensorType reducedType(mlir::RankedTensorType losses, bool reduced) {
  return reduced ? losses.clone(llvm::ArrayRef<int64_t>()) : losses;
}
/// Whether there is anything to do.
template <typename Op> bool isReducedLoss(Op op) {
  return op.getReduction() != train::Reduction::none || op.getValid();
}
template <typename Op>
llvm::SmallVector<mlir::Value> reduceLoss(Op op, GradBuilder &b, mlir::Value losses,
                                          mlir::Value counted = {}) {
  return {LossReduction{b, op.getReduction(), op.getValid(), op.getBatchRows(), counted}.run(
      losses, op.getType())};
}

/// Rows of another class than `ignore`; null if all count.
mlir::Value countedRows(GradBuilder &b, mlir::Value label, std::optional<int64_t> ignore);
/// (1 - s) t + s / classes
mlir::Value smoothed(GradBuilder &b, mlir::Value target, double smoothing, int64_t classes);
} // namespace ampc
#endif
