// Folding of reshape ops, shared by the train and kernel dialects.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_RESHAPE_H
#define MLIR_DIALECTS_RESHAPE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

namespace ampc {
template <typename Op> mlir::LogicalResult verifySameElements(Op op) {
  auto from = op.getX().getType(), to = op.getType();
  if (from.getElementType() != to.getElementType() || from.getNumElements() != to.getNumElements())
    return op.emitOpError() << "expected the elements of " << from << ", but got " << to;
  return mlir::success();
}

/// Folds a chain of reshapes into the last reshape, and a reshape to its own shape into the
/// operand: [2, 3] -> [6] -> [3, 2] becomes [2, 3] -> [3, 2].
template <typename Op> mlir::OpFoldResult foldReshape(Op op) {
  if (auto inner = op.getX().template getDefiningOp<Op>()) {
    op.getXMutable().assign(inner.getX());
    return op.getResult();
  }
  return op.getX().getType() == op.getType() ? op.getX() : mlir::OpFoldResult();
}
} // namespace ampc
#endif
