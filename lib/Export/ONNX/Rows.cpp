// Analysis of the batch dimension, for graphs that accept any number of rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Export/ONNX/Emitter.h"
#include "mlir-dialects/Train/Ops/Recurrent.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::exporting;

// ---- Operands without rows ----

/// Whether operands without batch dimension fit any number of rows: size 1 or no dimension along
/// the rows.
static bool fit(Emitter &e, ScalarOpInterface op, Value batched, unsigned index) {
  AffineExpr at = op.getOperandMap(index).getResult(e.trace(batched).rows->dim);
  auto rows = dyn_cast<AffineDimExpr>(at);
  return rows && llvm::all_of(llvm::enumerate(op->getOperands()), [&](auto operand) {
           return e.isBatched(operand.value()) || op.getSpace()[rows.getPosition()] == 1 ||
                  !op.getOperandMap(operand.index()).isFunctionOfDim(rows.getPosition());
         });
}

/// Whether an operand without batch dimension fits any number of rows: weights and tables do, and
/// other operands of size 1 along the rows.
static bool fits(Emitter &e, Operation *op, Value operand, Value batched) {
  int64_t rank = Emitter::rankOf(operand), dim = e.trace(batched).rows->dim;
  if (isa<train::LinearOp, train::Conv2dOp, train::GatherOp, train::EmbeddingOp>(op))
    return true;
  if (isa<train::ConcatOp>(op))
    return false;
  if (isa<train::MatmulOp>(op) && (rank == 2 || dim + 2 >= Emitter::rankOf(batched)))
    return true;
  return rank != Emitter::rankOf(batched) || Emitter::shapeOf(operand)[dim] == 1;
}

static bool operandsFit(Emitter &e, Operation *op) {
  auto scalar = dyn_cast<ScalarOpInterface>(op);
  for (auto [index, batched] : llvm::enumerate(op->getOperands())) {
    if (!e.isBatched(batched))
      continue;
    if (scalar)
      return fit(e, scalar, batched, index);
    for (Value operand : op->getOperands())
      if (!e.isBatched(operand) && !fits(e, op, operand, batched))
        return false;
  }
  return true;
}

// ---- Results ----

std::optional<BatchLayout> exporting::rowsOfResult(Emitter &e, OpResult result) {
  Operation *op = result.getOwner();
  std::optional<BatchLayout> first = e.trace(op->getOperand(0)).rows;
  // Inference forms, which the analysis of training steps does not cover.
  if (auto norm = dyn_cast<train::BatchNormOp>(op)) {
    bool isApart = first && first->dim + 1 < Emitter::rankOf(result) &&
                   !e.isBatched(norm.getGamma()) && !e.isBatched(norm.getBeta());
    return isApart ? first : std::nullopt;
  }
  if (auto transposed = dyn_cast<train::Conv2dGradInputOp>(op)) {
    std::optional<BatchLayout> rows = e.trace(transposed.getG()).rows;
    bool isApart = rows && rows->dim == 0 && !e.isBatched(transposed.getFilter());
    return isApart ? rows : std::nullopt;
  }
  if (op->hasTrait<MadeOfLoops>())
    return rowsOfLayer(e, result);
  auto place = placeOfResult(result, e.rows, [&](Value v) { return e.trace(v).rows; });
  return place && operandsFit(e, op) ? place : std::nullopt;
}

// ---- One row for all ----

int64_t exporting::repeatedDimension(Value v, int64_t rows) {
  ArrayRef<int64_t> shape = Emitter::shapeOf(v);
  auto firstOf = [&](llvm::function_ref<bool(int64_t)> isSame) {
    for (int64_t dim = 0; dim < int64_t(shape.size()); ++dim)
      if (shape[dim] == rows && isSame(dim))
        return dim;
    return int64_t(-1);
  };
  if (auto iota = v.getDefiningOp<train::IotaOp>())
    return firstOf([&](int64_t dim) { return dim != int64_t(iota.getDim()); });
  if (auto broadcast = v.getDefiningOp<train::BroadcastToOp>()) {
    ArrayRef<int64_t> from = Emitter::shapeOf(broadcast.getX());
    int64_t added = int64_t(shape.size() - from.size());
    return firstOf([&](int64_t dim) { return dim < added || from[dim - added] == 1; });
  }
  return -1;
}

/// Whether the op's node broadcasts a single row.
static bool broadcasts(Operation *op) {
  auto scalar = dyn_cast<ScalarOpInterface>(op);
  return isa<train::MatmulOp, train::AttentionOp>(op) ||
         (scalar && op->getNumResults() == 1 && scalar.getResultMap(0).isIdentity());
}

void exporting::repeatOperands(Emitter &e, Operation *op) {
  bool isNeeded = !broadcasts(op) && llvm::any_of(op->getOperands(), [&](Value v) {
    return e.isBatched(v) && !e.isSingleRow(v);
  });
  // A single row cannot stand for a dimension that merges rows with another dimension.
  if (isa<train::ReshapeOp>(op))
    if (std::optional<BatchLayout> place = rowsOfResult(e, op->getResult(0)))
      isNeeded = Emitter::shapeOf(op->getResult(0))[place->dim] != e.rows;
  if (!isNeeded)
    return;
  for (Value operand : op->getOperands())
    e.repeat(operand);
}
