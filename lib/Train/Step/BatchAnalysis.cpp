// Whether rows of a batch stay apart until a loss combines them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Train/Step/BatchAnalysis.h"
#include "mlir-dialects/Kernel/Kernel.h"
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

std::optional<DenseSet<Value>> ampc::rowsOfBatch(train::FuncOp func, int64_t batch,
                                                 ArrayRef<ValidRowsOpInterface> combining) {
  DenseSet<Value> batched;
  for (BlockArgument argument : func.getArguments())
    if (auto input = Signature(func).argument<train::InputAttr>(argument);
        input && input.isBatched())
      batched.insert(argument);
  auto isBatched = [&](Value v) { return batched.contains(v); };
  auto hasParts = [&](Value v) { return !shapeOf(v).empty() && shapeOf(v)[0] % batch == 0; };
  for (Operation &op : func.getBody().front().without_terminator()) {
    if (llvm::none_of(op.getOperands(), isBatched))
      continue;
    if (llvm::is_contained(combining, &op)) {
      for (Value result : op.getResults())
        if (hasParts(result))
          batched.insert(result);
      continue;
    }
    auto leading = dyn_cast<BatchedOpInterface>(op);
    auto scalar = dyn_cast<ScalarOpInterface>(op);
    bool apart =
        leading ? leading.keepsLeadingDimension(isBatched) : scalar && isRowwise(scalar, batched);
    if (!apart || !llvm::all_of(op.getResults(), hasParts))
      return std::nullopt;
    batched.insert(op.result_begin(), op.result_end());
  }
  return batched;
}
