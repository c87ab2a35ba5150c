// Whether rows of a batch stay apart until a loss combines them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Train/Step/BatchAnalysis.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir-dialects/Train/BatchDimension.h"
#include "mlir-dialects/Train/Gradients.h"
#include "mlir-dialects/Train/Signature.h"
#include "mlir-dialects/Train/Tensors.h"

using namespace mlir;
using namespace ampc;

bool ampc::looksAlongRow(ScalarOpInterface op) {
  if (isa<RandomOpInterface>(*op)) // draws per element, and has no state yet
    return false;
  Block block;
  OpBuilder builder(op.getContext()); // atBlockEnd needs a block that has a parent
  builder.setInsertionPointToEnd(&block);
  SmallVector<Value> elements;
  for (Value operand : op->getOperands()) {
    Type type = getElementTypeOrSelf(operand);
    bool narrow = isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
    elements.push_back(block.addArgument(narrow ? builder.getF32Type() : type, op.getLoc()));
  }
  ScalarBuilder scalar(builder, op.getLoc(), builder.getF32Type());
  for (Value element : elements)
    if (element.getType().isF64())
      scalar.compute = element.getType();
  scalar.rowLength = op.getSpace().empty() ? 1 : op.getSpace().back();
  op.buildScalars(scalar, elements);
  bool found = !block.getOps<kernel::RowReduceOp>().empty();
  block.walk([](Operation *inner) { inner->dropAllReferences(); });
  return found;
}

/// The dimension of the space that counts the rows of an operand with them along `dim`, or -1.
static int64_t dimensionOfSpace(ScalarOpInterface op, unsigned operand, int64_t dim) {
  SmallVector<int64_t> space = op.getSpace();
  ArrayRef<int64_t> shape = tensorOf(op->getOperand(operand)).getShape();
  if (shape.size() > space.size()) // a loss with its reduction, which rows would have to agree on
    return -1;
  auto position = dyn_cast<AffineDimExpr>(op.getOperandMap(operand).getResult(dim));
  return position && shape[dim] == space[position.getPosition()] ? int64_t(position.getPosition())
                                                                 : -1;
}

/// The dimension of the result that counts the rows, or -1: its elements are made from elements of
/// the same row. Along the last dimension of the space scalar code may look around.
static int64_t dimensionOfResult(ScalarOpInterface op, unsigned result,
                                 const BatchDimensions &dims) {
  int64_t row = -1;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    auto found = dims.find(operand);
    if (found == dims.end())
      continue;
    int64_t position = dimensionOfSpace(op, i, found->second);
    if (position < 0 || (row >= 0 && position != row))
      return -1;
    row = position;
  }
  if (row + 1 == int64_t(op.getSpace().size()) && looksAlongRow(op))
    return -1;
  ArrayRef<AffineExpr> exprs = op.getResultMap(result).getResults();
  auto found = llvm::find(exprs, getAffineDimExpr(row, op.getContext()));
  return found == exprs.end() ? -1 : found - exprs.begin();
}

static int64_t dimensionOfResult(BatchedOpInterface op, const BatchDimensions &dims) {
  auto dimensionOf = [&](Value v) {
    auto found = dims.find(v);
    return found == dims.end() ? -1 : found->second;
  };
  auto isBatched = [&](Value v) { return dims.contains(v); };
  if (llvm::all_of(op->getOperands(), [&](Value v) { return dimensionOf(v) <= 0; }))
    return op.keepsLeadingDimension(isBatched) ? 0 : -1;
  auto elsewhere = dyn_cast<BatchDimensionOpInterface>(*op);
  return elsewhere ? elsewhere.getBatchDimension(dimensionOf) : -1;
}

namespace {
/// Walks the ops of a function in their order.
class BatchRows {
public:
  BatchRows(int64_t batch, CanCombine canCombine) : batch(batch), canCombine(canCombine) {}
  /// Notes the dimensions of the op's results; false if it mixes rows of the batch in a way that a
  /// short batch would change.
  bool visit(Operation *op);
  BatchDimensions dims;

private:
  int64_t dimensionOf(Value v) const {
    auto found = dims.find(v);
    return found == dims.end() ? -1 : found->second;
  }
  bool note(Value result, int64_t dim);
  bool visitGradient(train::GradOp op);
  int64_t combinedDimension(Operation *op);
  bool isDifferentiatedSum(Operation *op) const;

  int64_t batch;
  CanCombine canCombine;
  DenseSet<Value> combined; // depend on what combines rows that count
  DenseSet<Value> sums;     // over all rows, whether they count or not
};
} // namespace

bool BatchRows::note(Value result, int64_t dim) {
  ArrayRef<int64_t> shape = tensorOf(result).getShape();
  bool hasParts = dim >= 0 && dim < int64_t(shape.size()) && shape[dim] % batch == 0;
  if (hasParts)
    dims[result] = dim;
  return hasParts;
}

/// A sum over rows that nothing reads but its gradient. That of a row has no part of the others.
bool BatchRows::isDifferentiatedSum(Operation *op) const {
  auto reduce = dyn_cast<ReduceOpInterface>(op);
  return reduce && reduce.getCombine() == "sum" &&
         llvm::is_contained(reduce.getDims(), dimensionOf(op->getOperand(0))) &&
         !combined.contains(op->getOperand(0)) && llvm::all_of(op->getUses(), [](OpOperand &use) {
           return isa<train::GradOp>(use.getOwner()) && use.getOperandNumber() == 0;
         });
}

bool BatchRows::visitGradient(train::GradOp op) {
  bool isSum = sums.contains(op.getValue());
  for (auto [source, gradient] : llvm::zip(op.getSources(), op.getGradients())) {
    if (dims.contains(source))
      dims[gradient] = dimensionOf(source);
    else if (isSum)
      return false;
    if (!isSum)
      combined.insert(gradient);
  }
  return true;
}

/// The dimension of rows that the op combines without those that do not count, or -1.
int64_t BatchRows::combinedDimension(Operation *op) {
  auto combining = dyn_cast<ValidRowsOpInterface>(op);
  if (!combining)
    return -1;
  int64_t dim = commonDimension(op->getOperands(), [&](Value v) { return dimensionOf(v); });
  return dim >= 0 && canCombine(combining, dim) ? dim : -1;
}

bool BatchRows::visit(Operation *op) {
  if (auto gradient = dyn_cast<train::GradOp>(op))
    return visitGradient(gradient);
  int64_t along = combinedDimension(op);
  if (along >= 0 || llvm::any_of(op->getOperands(), [&](Value v) { return combined.contains(v); }))
    combined.insert(op->result_begin(), op->result_end());
  if (llvm::none_of(op->getOperands(), [&](Value v) { return dims.contains(v); }))
    return true;
  if (along >= 0) {
    for (Value result : op->getResults())
      note(result, along);
    return true;
  }
  if (isDifferentiatedSum(op)) {
    sums.insert(op->getResult(0));
    return true;
  }
  auto batched = dyn_cast<BatchedOpInterface>(op);
  auto scalar = dyn_cast<ScalarOpInterface>(op);
  return llvm::all_of(op->getResults(), [&](OpResult result) {
    return note(result, batched  ? dimensionOfResult(batched, dims)
                        : scalar ? dimensionOfResult(scalar, result.getResultNumber(), dims)
                                 : -1);
  });
}

std::optional<BatchDimensions> ampc::rowsOfBatch(train::FuncOp func, int64_t batch,
                                                 CanCombine canCombine, Operation *end) {
  BatchRows rows(batch, canCombine);
  for (BlockArgument argument : func.getArguments())
    if (auto input = Signature(func).argument<train::InputAttr>(argument);
        input && input.isBatched())
      rows.dims[argument] = 0;
  for (Operation &op : func.getBody().front().without_terminator()) {
    if (&op == end)
      break;
    if (!rows.visit(&op) && !end)
      return std::nullopt;
  }
  return std::move(rows.dims);
}
