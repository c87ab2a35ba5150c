// Axis normalization: transposes the dimension of an AlongOpInterface op to the end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Along.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace ampc;

LogicalResult ampc::verifyAlong(Operation *op) {
  auto along = cast<AlongOpInterface>(op);
  return along.getDim() == -1 ? verifyRows(op, along.getAlongType())
                              : verifyDimension(op, along.getAlongType(), along.getDim());
}

SmallVector<Value> ampc::moveAlongLast(GradBuilder &b, AlongOpInterface op) {
  RankedTensorType type = op.getAlongType();
  auto order = llvm::to_vector(llvm::seq<int64_t>(type.getRank()));
  auto from = order.begin() + op.getAlong();
  std::rotate(from, from + 1, order.end());
  // Operands with the shape of the result are transposed; labels and factors lack the dimension, or
  // have size 1 there.
  auto has = [&](Value v) { return tensorOf(v).getShape() == type.getShape(); };
  IRMapping moved;
  for (Value operand : op->getOperands())
    if (has(operand) && !moved.contains(operand))
      moved.map(operand, b.transpose(operand, order));
  auto last = cast<AlongOpInterface>(b.builder.clone(*op, moved));
  last.setDim(-1);
  SmallVector<Value> results(last->getResults());
  for (Value &result : results)
    if (has(result)) {
      result.setType(last.getAlongType().clone(getElementTypeOrSelf(result)));
      result = b.transpose(result, inversePermutation(order));
    }
  return results;
}
