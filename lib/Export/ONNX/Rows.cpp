// Whether rows of a batch stay apart, so that the graph can be that of any number of rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Export/ONNX/Emitter.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::exporting;

/// Operands with rows have them along the first dimension of the space; others have a single size
/// there, or none, and fit any number of rows.
static bool keepsRows(Emitter &e, ScalarOpInterface op, unsigned result) {
  SmallVector<int64_t> space = op.getSpace();
  AffineExpr rows = getAffineDimExpr(0, op.getContext());
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    AffineMap map = op.getOperandMap(i);
    if (e.isBatched(operand)) {
      if (map.getResult(0) != rows || Emitter::shapeOf(operand)[0] != space[0])
        return false;
    } else if (space[0] != 1 && map.isFunctionOfDim(0)) {
      return false;
    }
  }
  AffineMap map = op.getResultMap(result);
  return map.getNumResults() > 0 && map.getResult(0) == rows;
}

/// Of operands with as many dimensions as those with rows, that broadcast or are joined with them.
static bool fits(Emitter &e, Operation *op, Value operand) {
  if (e.isBatched(operand) ||
      isa<train::LinearOp, train::Conv2dOp, train::GatherOp, train::EmbeddingOp, train::ReshapeOp>(
          op))
    return true;
  if (isa<train::ConcatOp>(op))
    return false;
  if (isa<train::MatmulOp>(op) && Emitter::rankOf(operand) == 2)
    return true;
  return llvm::none_of(op->getOperands(), [&](Value other) {
    return e.isBatched(other) && Emitter::rankOf(other) == Emitter::rankOf(operand) &&
           Emitter::shapeOf(operand)[0] != 1;
  });
}

bool exporting::keepsRows(Emitter &e, Operation *op, OpResult result, int64_t rows) {
  ArrayRef<int64_t> shape = Emitter::shapeOf(result);
  if (shape.empty() || shape[0] % rows)
    return false;
  // Along a single dimension softmax and norms look at other rows.
  if (shape.size() == 1 &&
      isa<train::SoftmaxOp, train::LogSoftmaxOp, train::LayerNormOp, train::RmsNormOp>(op))
    return false;
  if (isa<train::BatchNormOp>(op))
    return shape.size() > 1 && !e.isBatched(op->getOperand(1)) && !e.isBatched(op->getOperand(2));
  if (auto transposed = dyn_cast<train::Conv2dGradInputOp>(op))
    return !e.isBatched(transposed.getFilter());
  if (auto batched = dyn_cast<BatchedOpInterface>(op))
    return batched.keepsLeadingDimension([&](Value v) { return e.isBatched(v); }) &&
           llvm::all_of(op->getOperands(), [&](Value v) { return fits(e, op, v); });
  if (auto scalar = dyn_cast<ScalarOpInterface>(op))
    return ::keepsRows(e, scalar, result.getResultNumber());
  return false;
}
