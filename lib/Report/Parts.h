// Which part of a step an op belongs to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_REPORT_PARTS_H
#define LIB_REPORT_PARTS_H

#include "ampc/Report/Report.h"
#include "mlir-dialects/Train/Backward.h"

namespace ampc::report {
/// Follows from the marks that differentiation left: `train.seed` and `train.gradient`.
class PartFinder {
public:
  explicit PartFinder(train::FuncOp func);
  Part partOf(mlir::Operation *op) const { return parts.lookup(op); }
  /// The one parameter whose update an op of the optimizer serves, or the step's name.
  std::string parameterOf(mlir::Operation *op) const;
  const BackwardOps &getBackward() const { return backward; }

private:
  void findParts(mlir::Block &body);
  void findParameters(train::FuncOp func);

  BackwardOps backward;
  std::string shared;
  llvm::DenseMap<mlir::Operation *, Part> parts;
  using Owners = llvm::DenseMap<mlir::Operation *, mlir::StringAttr>;
  /// Parameters whose new state an op serves, and those whose gradients it reads. Null: none; the
  /// empty string: several.
  Owners served, read;
};
} // namespace ampc::report
#endif
