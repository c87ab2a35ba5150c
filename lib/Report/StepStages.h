// Parts of a step: forward, backward, optimizer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_REPORT_STEPSTAGES_H
#define LIB_REPORT_STEPSTAGES_H

#include "ampc/Report/Report.h"
#include "mlir-dialects/Train/Train.h"

namespace ampc::report {
class PartFinder {
public:
  explicit PartFinder(train::FuncOp func);
  /// Part of an op, by the stage of the op's origin.
  static StepStage stepStageOf(mlir::Operation *op);
  /// Parameter whose update an op of the optimizer serves, or the step's name for several.
  std::string parameterOf(mlir::Operation *op) const;

private:
  void findParameters(train::FuncOp func);

  std::string shared;
  using Owners = llvm::DenseMap<mlir::Operation *, mlir::StringAttr>;
  /// Parameters whose new state depends on an op, and parameters whose gradients the op depends on.
  /// Null: none; the empty string: several.
  Owners served, read;
};
} // namespace ampc::report
#endif
