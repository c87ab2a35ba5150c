// Which part of a step an op belongs to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_REPORT_PARTS_H
#define LIB_REPORT_PARTS_H

#include "ampc/Report/Report.h"
#include "mlir-dialects/Train/Train.h"

namespace ampc::report {
class PartFinder {
public:
  explicit PartFinder(train::FuncOp func);
  /// By the stage of its origin.
  static Part partOf(mlir::Operation *op);
  /// The one parameter whose update an op of the optimizer serves, or the step's name.
  std::string parameterOf(mlir::Operation *op) const;

private:
  void findParameters(train::FuncOp func);

  std::string shared;
  using Owners = llvm::DenseMap<mlir::Operation *, mlir::StringAttr>;
  /// Parameters whose new state an op serves, and those whose gradients it reads. Null: none; the
  /// empty string: several.
  Owners served, read;
};
} // namespace ampc::report
#endif
