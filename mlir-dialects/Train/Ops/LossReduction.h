// Reduction of losses per row or element to one number: [batch] -> [].
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_OPS_LOSSREDUCTION_H
#define MLIR_DIALECTS_TRAIN_OPS_LOSSREDUCTION_H

#include "mlir-dialects/Train/Program/ValidRows.h"
#include "mlir-dialects/Train/Text/Numbers.h"

namespace ampc {
/// Reduction of losses per row or element to one number.
struct LossReduction {
  GradBuilder &b;
  train::Reduction reduction;
  mlir::Value valid;
  std::optional<int64_t> batchRows;
  /// Mask (i1) or weights of losses, in addition to the mask of valid rows; may be null.
  mlir::Value counted = {};

  /// Reduces `losses` to a value of type `result`.
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

/// Type of the losses of a cross entropy's rows: an integer class per row, or a distribution of the
/// logits' type. [4, 10] with [4] or [4, 10] -> [4]. Null with an error otherwise.
mlir::RankedTensorType inferCrossEntropyRows(std::optional<mlir::Location> loc, mlir::Type logits,
                                             mlir::Type target, mlir::IntegerAttr dim);
/// Smoothing in [0, 1), `ignore` with classes only, and the rows of the batch.
template <typename Op> llvm::LogicalResult verifyCrossEntropy(Op op) {
  double smoothing = number(op.getSmoothing());
  if (!(smoothing >= 0 && smoothing < 1))
    return op.emitOpError() << "expected a smoothing in [0, 1), but got " << smoothing;
  if (op.getIgnore() && !op.isSparse())
    return op.emitOpError() << "expected classes with `ignore`, but got "
                            << op.getTarget().getType();
  return verifyRowsOfBatch(op);
}

/// Rows of another class than `ignore`; null if all count.
mlir::Value countedRows(GradBuilder &b, mlir::Value label, std::optional<int64_t> ignore);
/// (1 - s) t + s / classes
mlir::Value smoothed(GradBuilder &b, mlir::Value target, double smoothing, int64_t classes);
} // namespace ampc
#endif
