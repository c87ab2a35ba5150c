// Totals over all batches of a data set, as inputs of an evaluation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_STEP_DATASETTOTALS_H
#define LIB_TRAIN_STEP_DATASETTOTALS_H

#include "mlir-dialects/Train/Program/Signature.h"

namespace ampc {
/// Replaces every `train.total` and `train.share` of an evaluation: see weighEvaluation.
class DatasetTotals {
public:
  explicit DatasetTotals(train::FuncOp eval) : eval(eval), signature(eval) {}
  /// Creates the program that computes the batch's contribution to each total.
  train::FuncOp run();

private:
  mlir::Value rowsOf(GradBuilder &b, mlir::Type element);
  void expandShares();
  void makeInputs();
  train::FuncOp makeProgram(unsigned count);

  train::FuncOp eval;
  Signature signature;
};
} // namespace ampc
#endif
