// What a function becomes in training or in inference.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Train/Model/Mode.h"
#include "lib/Train/Step/BatchAnalysis.h"
#include "mlir-dialects/Train/Origin.h"
#include "mlir-dialects/Train/Sizes.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace ampc;

static constexpr llvm::StringLiteral randomBuffer = "random.state";

// ---- Modes and composites ----

/// Replaces `op` by values that it builds; false if it builds none.
template <typename Build> static bool replaceByOwn(Operation *op, Build build) {
  OpBuilder builder(op);
  GradBuilder b(builder, op);
  SmallVector<Value> values = build(b);
  if (values.empty())
    return false;
  op->replaceAllUsesWith(values);
  op->erase();
  return true;
}

void ampc::lowerMode(train::FuncOp func, bool training) {
  Block &body = func.getBody().front();
  for (auto op : llvm::to_vector(body.getOps<ModalOpInterface>()))
    replaceByOwn(
        op, [&](GradBuilder &b) { return training ? op.buildTraining(b) : op.buildInference(b); });
  // A composite may be made of composites.
  for (bool changed = true; changed;) {
    changed = false;
    for (auto op : llvm::to_vector(body.getOps<CompositeOpInterface>()))
      if (op.isComposite()) {
        // Precision policies list composite ops, not their parts.
        setOrigin(op, originOf(op).withSource(op->getName().stripDialect()));
        changed |= replaceByOwn(op, [&](GradBuilder &b) { return op.decompose(b); });
      }
  }
}

// ---- Random numbers ----

static RankedTensorType randomType(MLIRContext *context) {
  return RankedTensorType::get({2}, IntegerType::get(context, 64));
}

static void declareRandomState(train::ModelOp model) {
  if (model.lookupSymbol(randomBuffer))
    return;
  OpBuilder builder = OpBuilder::atBlockBegin(&model.getBody().front());
  train::BufferOp::create(builder, model.getLoc(), randomBuffer, randomType(model.getContext()),
                          train::ZerosAttr::get(model.getContext()), train::StateRole::Random);
}

void ampc::attachRandomState(train::FuncOp func, train::ModelOp model) {
  Block &body = func.getBody().front();
  Value state;
  for (auto op : body.getOps<RandomOpInterface>()) {
    if (op.hasRandomState())
      continue;
    if (!state) {
      declareRandomState(model);
      OpBuilder builder = OpBuilder::atBlockBegin(&body);
      state = train::ReadOp::create(builder, func.getLoc(), randomType(func.getContext()),
                                    randomBuffer);
    }
    train::OriginAttr origin = originOf(op);
    op.setRandomState(state, int32_t(llvm::xxh3_64bits(origin ? origin.getText() : "")));
  }
}

// ---- Batches ----

static ArrayRef<int64_t> shapeOf(Value v) { return cast<RankedTensorType>(v.getType()).getShape(); }

/// Per argument the dimension that the text calls `batch`, or -1; empty if it calls none so.
static SmallVector<int64_t> batchAxes(train::FuncOp func) {
  auto sizes = func->getAttrOfType<DictionaryAttr>(Sizes::key);
  SmallVector<int64_t> axes;
  for (Attribute formulas :
       sizes ? sizes.getAs<ArrayAttr>("arguments").getValue() : ArrayRef<Attribute>()) {
    SmallVector<StringRef> dims;
    cast<StringAttr>(formulas).getValue().split(dims, ", ");
    auto found = llvm::find(dims, "batch");
    axes.push_back(found == dims.end() ? -1 : found - dims.begin());
  }
  func->removeAttr(Sizes::key);
  if (llvm::all_of(axes, [](int64_t axis) { return axis < 0; }))
    axes.clear();
  return axes;
}

/// Without formulas the first dimension of the first input that has one.
static int64_t batchOf(train::FuncOp func, ArrayRef<int64_t> axes) {
  for (auto [argument, axis] : llvm::zip(func.getArguments(), axes))
    if (axis >= 0)
      return shapeOf(argument)[axis];
  for (BlockArgument argument : func.getArguments())
    if (Signature(func).argument<train::InputAttr>(argument) && !shapeOf(argument).empty())
      return shapeOf(argument)[0];
  return 0;
}

/// Values that one of several ops refuses are refused.
static void tightenLimit(train::FuncOp func, unsigned argument, IndexOpInterface op) {
  Signature signature(func);
  auto input = signature.argument<train::InputAttr>(argument);
  int64_t ignored = op.getIgnoredIndex().value_or(0), limit = op.getIndexLimit();
  if (input.getLimit()) { // 0 is allowed by any limit
    ignored = ignored == input.getIgnore() ? ignored : 0;
    limit = std::min(limit, input.getLimit());
  }
  signature.setArgument(argument, input.withLimit(limit, ignored));
}

/// An index whose numbers are those of an input is checked before a program runs.
static void recordLimits(train::FuncOp func) {
  for (auto op : func.getBody().getOps<IndexOpInterface>()) {
    Value index = op.getIndices();
    while (index && index.getDefiningOp() && movesOnly(index.getDefiningOp()))
      index = index.getDefiningOp()->getOperand(0);
    auto argument = dyn_cast_or_null<BlockArgument>(index);
    if (!argument || !Signature(func).argument<train::InputAttr>(argument))
      continue;
    tightenLimit(func, argument.getArgNumber(), op);
  }
}

/// Asks the op's verifier whether the first dimension of what it combines can be the batch. That of
/// a single row of logits is its classes.
static bool canCombineRows(ValidRowsOpInterface op, int64_t batch) {
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  if (shape.empty() || shape[0] % batch != 0)
    return false;
  ScopedDiagnosticHandler silent(op->getContext(), [](Diagnostic &) { return success(); });
  Block arguments;
  auto type = RankedTensorType::get({}, IntegerType::get(op->getContext(), 32));
  Operation *copy = op->clone();
  cast<ValidRowsOpInterface>(copy).setValidRows(arguments.addArgument(type, op->getLoc()), batch);
  bool isRight = succeeded(verify(copy));
  copy->destroy();
  return isRight;
}

void ampc::prepareBatch(train::FuncOp func) {
  recordLimits(func);
  SmallVector<int64_t> axes = batchAxes(func);
  int64_t batch = batchOf(func, axes);
  // Batches are cut along leading dimensions: one that lies elsewhere stays whole.
  if (!batch || llvm::any_of(axes, [](int64_t axis) { return axis > 0; }))
    return;
  func.setBatch(batch);
  Signature signature(func);
  for (BlockArgument argument : func.getArguments())
    if (auto input = signature.argument<train::InputAttr>(argument);
        input && !shapeOf(argument).empty() && shapeOf(argument)[0] == batch &&
        (axes.empty() || axes[argument.getArgNumber()] == 0))
      signature.setArgument(argument.getArgNumber(), input.withBatch(0));

  SmallVector<ValidRowsOpInterface> combining;
  for (auto op : func.getBody().getOps<ValidRowsOpInterface>())
    if (canCombineRows(op, batch))
      combining.push_back(op);
  std::optional<DenseSet<Value>> batched = rowsOfBatch(func, batch, combining);
  if (!batched)
    return;
  for (OpOperand &returned : func.getBody().front().getTerminator()->getOpOperands())
    if (auto output = signature.result<train::OutputAttr>(returned);
        output && batched->contains(returned.get()))
      signature.setResult(returned.getOperandNumber(), output.withBatch(0));
  Value valid = signature.addControl(train::Control::Valid);
  for (ValidRowsOpInterface op : combining)
    op.setValidRows(valid, batch);
  func.setShortBatch(true);
}
