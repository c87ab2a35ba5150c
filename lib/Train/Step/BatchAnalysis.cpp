// Whether rows of a batch stay apart until a loss combines them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Train/Step/BatchAnalysis.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir-dialects/Train/Gradients.h"
#include "mlir-dialects/Train/Signature.h"

using namespace mlir;
using namespace ampc;

static ArrayRef<int64_t> shapeOf(Value v) { return cast<RankedTensorType>(v.getType()).getShape(); }

/// Scalar code that looks along the last dimension of its space.
static bool looksAlongRow(ScalarOpInterface op) {
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

/// Elements (d0, ...) of the results are made from elements (d0, ...) of the batched operands. In a
/// space of one dimension that dimension is also the row.
static bool isRowwise(ScalarOpInterface op, const DenseSet<Value> &batched) {
  auto keepsLeading = [&](AffineMap map) {
    return map.getNumResults() > 0 && map.getResult(0) == getAffineDimExpr(0, op.getContext());
  };
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    if (!keepsLeading(op.getResultMap(i)))
      return false;
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (batched.contains(operand) &&
        (!keepsLeading(op.getOperandMap(i)) || shapeOf(operand)[0] != op.getSpace()[0]))
      return false;
  return op.getSpace().size() > 1 || !looksAlongRow(op);
}

namespace {
class BatchRows {
public:
  BatchRows(int64_t batch, ArrayRef<ValidRowsOpInterface> combining)
      : batch(batch), combining(combining) {}
  /// False if the op mixes rows of the batch in a way that a short batch would change.
  bool visit(Operation *op);
  DenseSet<Value> batched;

private:
  bool isBatched(Value v) const { return batched.contains(v); }
  bool hasParts(Value v) const { return !shapeOf(v).empty() && shapeOf(v)[0] % batch == 0; }
  bool isDifferentiatedSum(Operation *op) const;
  bool visitGradient(train::GradOp op);

  int64_t batch;
  ArrayRef<ValidRowsOpInterface> combining;
  DenseSet<Value> combined; // depend on what combines rows that count
  DenseSet<Value> sums;     // over all rows, whether they count or not
};
} // namespace

/// A sum over rows that nothing reads but its gradient. That of a row has no part of the others.
bool BatchRows::isDifferentiatedSum(Operation *op) const {
  auto reduce = dyn_cast<ReduceOpInterface>(op);
  return reduce && reduce.getCombine() == "sum" && llvm::is_contained(reduce.getDims(), 0) &&
         !combined.contains(op->getOperand(0)) && llvm::all_of(op->getUses(), [](OpOperand &use) {
           return isa<train::GradOp>(use.getOwner()) && use.getOperandNumber() == 0;
         });
}

bool BatchRows::visitGradient(train::GradOp op) {
  bool isSum = sums.contains(op.getValue());
  for (auto [source, gradient] : llvm::zip(op.getSources(), op.getGradients())) {
    if (isBatched(source))
      batched.insert(gradient);
    else if (isSum)
      return false;
    if (!isSum)
      combined.insert(gradient);
  }
  return true;
}

bool BatchRows::visit(Operation *op) {
  if (auto gradient = dyn_cast<train::GradOp>(op))
    return visitGradient(gradient);
  bool combines = llvm::is_contained(combining, op);
  if (combines || llvm::any_of(op->getOperands(), [&](Value v) { return combined.contains(v); }))
    combined.insert(op->result_begin(), op->result_end());
  if (llvm::none_of(op->getOperands(), [&](Value v) { return isBatched(v); }))
    return true;
  if (combines) {
    for (Value result : op->getResults())
      if (hasParts(result))
        batched.insert(result);
    return true;
  }
  if (isDifferentiatedSum(op)) {
    sums.insert(op->getResult(0));
    return true;
  }
  auto leading = dyn_cast<BatchedOpInterface>(op);
  auto scalar = dyn_cast<ScalarOpInterface>(op);
  bool apart = leading ? leading.keepsLeadingDimension([&](Value v) { return isBatched(v); })
                       : scalar && isRowwise(scalar, batched);
  if (!apart || !llvm::all_of(op->getResults(), [&](Value v) { return hasParts(v); }))
    return false;
  batched.insert(op->result_begin(), op->result_end());
  return true;
}

std::optional<DenseSet<Value>> ampc::rowsOfBatch(train::FuncOp func, int64_t batch,
                                                 ArrayRef<ValidRowsOpInterface> combining) {
  BatchRows rows(batch, combining);
  for (BlockArgument argument : func.getArguments())
    if (auto input = Signature(func).argument<train::InputAttr>(argument);
        input && input.isBatched())
      rows.batched.insert(argument);
  for (Operation &op : func.getBody().front().without_terminator())
    if (!rows.visit(&op))
      return std::nullopt;
  return std::move(rows.batched);
}
