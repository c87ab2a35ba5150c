// What ops share that give the elements of a tensor another shape.
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

/// Of two in a row only the last one counts; the shape that is there already needs none.
template <typename Op> mlir::OpFoldResult foldReshape(Op op) {
  if (auto inner = op.getX().template getDefiningOp<Op>()) {
    op.getXMutable().assign(inner.getX());
    return op.getResult();
  }
  return op.getX().getType() == op.getType() ? op.getX() : mlir::OpFoldResult();
}
} // namespace ampc
#endif
