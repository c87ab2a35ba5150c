// Gradient accumulation over the micro-batches of a batch, on one or several ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Train/Step/MicroBatches.h"
#include "lib/Train/Step/MicroBatchAnalysis.h"
#include "lib/Train/Step/RankStates.h"
#include "mlir-dialects/Train/Ops/Parts.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir-dialects/Train/Program/RowState.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace ampc;

namespace {
class Accumulation {
public:
  Accumulation(train::FuncOp func, int64_t count, int64_t ranks)
      : func(func), signature(func), body(func.getBody().front()), count(count), ranks(ranks),
        builder(func.getContext()), rowStates(rowStatesOf(func)) {}
  LogicalResult run();

private:
  void findValidRows();
  /// Valid rows of a micro-batch, from the valid rows of the batch: clamp(valid - part * rows, 0,
  /// rows).
  Value validOf(int64_t part);
  void splitInputs();
  void growRowState(StringAttr state);
  void splitRowStates();
  /// Share of a micro-batch in the rows of the batch, or in the valid rows.
  Value shareOf(train::ShareOp op, int64_t part);
  /// Finds the state that rows change on several ranks. Error for random numbers in loops.
  LogicalResult findRankStates(ArrayRef<Value> results);
  /// Number of the first part of this rank, as the state of random ops.
  Value firstPart();
  /// Sum of a value over all ranks; the value itself if there is only one.
  Value sumOverRanks(Value value, train::OriginAttr origin);
  /// Prologue: totals over all micro-batches, which depend on no parameter.
  void addPrologue(ArrayRef<Operation *> original);
  void collectDependences(int64_t part, Value value, ArrayRef<Operation *> original);
  /// Appends a copy of the op for a micro-batch.
  void copy(Operation *op, int64_t part);
  void mark(Operation *op, int64_t part);
  /// Term of a loss or a gradient: 0, even in place of a NaN, if the micro-batch has no valid row.
  Value termOf(Value value, int64_t part);
  /// Appends a copy of the body; adds losses and gradients to `sums`.
  void addCopy(int64_t part, ArrayRef<Operation *> original, ArrayRef<Value> results,
               MutableArrayRef<Value> sums);

  train::FuncOp func;
  Signature signature;
  Block &body;
  int64_t count, ranks, rows = 0; // rows of a micro-batch
  OpBuilder builder;
  BlockArgument valid;                  // null: every batch is full
  Value validOfAll;                     // valid rows of all ranks
  Value rankState;                      // see firstPart
  SmallVector<Value> validRows;         // per micro-batch
  SmallVector<IRMapping> parts;         // batched inputs and values of each micro-batch
  llvm::StringMap<Value> buffers;       // new values of buffers that depend on rows
  std::optional<RankStates> rankStates; // those of several ranks
  DenseSet<Value> ofRows;
  DenseMap<StringAttr, StateOpInterface> rowStates;
  llvm::StringMap<SmallVector<Value>> newRows; // of buffers per row, by micro-batch
};
} // namespace

void Accumulation::findValidRows() {
  rows = *func.getBatch();
  func.setBatch(rows * count);
  BlockArgument control = signature.findControl(train::Control::Valid);
  if (!control || func.getShortBatch()) {
    valid = control;
    return;
  }
  OpBuilder front = OpBuilder::atBlockBegin(&body);
  control.replaceAllUsesWith(GradBuilder(front, func.getLoc(), {}).real(double(rows), control));
  (void)func.eraseArgument(control.getArgNumber());
}

Value Accumulation::validOf(int64_t part) {
  GradBuilder b(
      builder, func.getLoc(),
      train::OriginAttr::get(builder.getStringAttr(func.getStepName() + ".valid")).withPart(part));
  Value zero = b.real(0.0, valid), all = b.real(double(rows), valid);
  Value left = b.sub(valid, b.real(double(part * rows), valid));
  left = b.select(b.greater(left, zero), left, zero);
  return b.select(b.greater(left, all), all, left);
}

/// Origin of a sum over micro-batches: the name of the summand, without the region.
static train::OriginAttr originOfSum(Value value) {
  return originOf(value).withRegion({}).withCompute({});
}

Value Accumulation::shareOf(train::ShareOp op, int64_t part) {
  GradBuilder b(builder, op);
  Type element = b.compute = op.getType().getElementType();
  if (!valid)
    return b.real(1.0 / double(count * ranks), element);
  return b.div(b.castTo(validRows[part], element), b.castTo(validOfAll, element));
}

Value Accumulation::termOf(Value value, int64_t part) {
  if (!valid)
    return value;
  GradBuilder b(builder, value.getLoc(), originOfSum(value));
  Value rows = validRows[part];
  return b.select(b.greater(rows, b.real(0.0, rows)), value, b.real(0.0, value));
}

Value Accumulation::firstPart() {
  OpBuilder front = OpBuilder::atBlockBegin(&body);
  GradBuilder b(front, func.getLoc(),
                train::OriginAttr::get(builder.getStringAttr(func.getStepName() + ".rank")));
  Value rank = b.op<train::RankOp>(RankedTensorType::get({}, builder.getI32Type()));
  Value part = b.castTo(rank, builder.getI64Type());
  if (count > 1)
    part = b.mul(part, b.real(double(count), part));
  return b.broadcastTo(part, randomStateType(func.getContext()));
}

Value Accumulation::sumOverRanks(Value value, train::OriginAttr origin) {
  if (ranks == 1)
    return value;
  GradBuilder b(builder, value.getLoc(), origin);
  return b.op<train::SumRanksOp>(value, ranks);
}

/// Adds an argument per micro-batch of a batched input, so that nothing is cut or copied: the
/// micro-batches are contiguous in the caller's tensor, e.g. [64, 8] as four of [16, 8].
void Accumulation::splitInputs() {
  parts.resize(count);
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    BlockArgument whole = func.getArgument(i);
    auto input = signature.argument<train::InputAttr>(i);
    if (!input || !input.isBatched())
      continue;
    parts[0].map(whole, whole);
    for (int64_t part = 1; part < count; ++part) {
      parts[part].map(whole, signature.insertArgument(++i, whole.getType(), input.withPart(part),
                                                      whole.getLoc()));
    }
  }
}

/// Gives a buffer per row the rows of all micro-batches: [16, 32] in 4 parts -> [64, 32].
void Accumulation::growRowState(StringAttr state) {
  auto buffer = cast<train::BufferOp>(rowStates.lookup(state));
  auto type = cast<RankedTensorType>(buffer.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = rows * count;
  buffer.setType(type.clone(shape));
}

/// Gives every micro-batch its slice of the rows of a buffer.
void Accumulation::splitRowStates() {
  for (BlockArgument whole : func.getArguments()) {
    StringAttr state = signature.stateArgument(whole.getArgNumber());
    if (!state || !rowStates.contains(state))
      continue;
    auto type = cast<RankedTensorType>(whole.getType());
    SmallVector<int64_t> from(type.getRank(), 0), ones(type.getRank(), 1);
    growRowState(state);
    whole.setType(rowStates.lookup(state).getType());
    for (int64_t part = 0; part < count; ++part, from[0] += rows) {
      GradBuilder b(builder, whole.getLoc(), train::OriginAttr::get(state).withPart(part));
      parts[part].map(whole, b.op<train::SliceOp>(whole, from, type.getShape(), ones));
    }
  }
}

void Accumulation::copy(Operation *op, int64_t part) {
  IRMapping &values = parts[part];
  if (op->getNumResults() && values.contains(op->getResult(0)))
    return;                                          // in the prologue
  if (auto mark = dyn_cast<train::GradientOp>(op)) { // the sum is the gradient
    values.map(mark.getResult(), values.lookupOrDefault(mark.getX()));
    return;
  }
  if (auto share = dyn_cast<train::ShareOp>(op)) {
    values.map(share.getResult(), shareOf(share, part));
    return;
  }
  SmallVector<Value> shares; // inside of a loop, equal in all rounds
  op->walk([&](train::ShareOp share) { shares.push_back(shareOf(share, part)); });
  Operation *copy = builder.clone(*op, values);
  auto value = shares.begin();
  copy->walk([&](train::ShareOp share) {
    share.replaceAllUsesWith(*value++);
    share.erase();
  });
  copy->walk([&](Operation *inner) { mark(inner, part); });
}

/// Every micro-batch draws numbers of its own, equal in forward and backward code.
void Accumulation::mark(Operation *op, int64_t part) {
  if (train::OriginAttr origin = originOf(op))
    setOrigin(op, origin.withPart(part));
  auto key = op->getAttrOfType<IntegerAttr>("key");
  if (!key || !isa<RandomOpInterface>(op))
    return;
  op->setAttr("key", builder.getI32IntegerAttr(
                         int32_t(uint32_t(key.getInt()) + uint32_t(part) * 0x9E3779B1u)));
  if (ranks > 1)
    op->insertOperands(op->getNumOperands(), rankState);
}

/// Copies the ops on which a value depends, in block order.
void Accumulation::collectDependences(int64_t part, Value value, ArrayRef<Operation *> original) {
  DenseSet<Operation *> cone;
  SmallVector<Value> open{value};
  while (!open.empty())
    if (Operation *op = open.pop_back_val().getDefiningOp(); op && cone.insert(op).second)
      op->walk([&](Operation *inner) { llvm::append_range(open, inner->getOperands()); });
  for (Operation *op : original)
    if (cone.contains(op))
      copy(op, part);
}

void Accumulation::addPrologue(ArrayRef<Operation *> original) {
  for (Operation *op : original) {
    auto total = dyn_cast<train::TotalOp>(op);
    if (!total)
      continue;
    // The sum of a tensor grows with every part, so that two terms are in memory at a time. Numbers
    // may wait for one another: one kernel adds up all of them.
    bool isTensor = cast<RankedTensorType>(total.getType()).getNumElements() > 1;
    train::OriginAttr origin = originOfSum(total.getResult());
    Value sum;
    for (int64_t part = 0; part < count; ++part) {
      GradBuilder b(builder, op->getLoc(), isTensor ? origin.withPart(part) : origin);
      b.compute = getElementTypeOrSelf(total.getType());
      collectDependences(part, total.getX(), original);
      Value term = parts[part].lookupOrDefault(total.getX());
      sum = sum ? b.add(sum, term) : term;
    }
    sum = sumOverRanks(sum, origin);
    for (IRMapping &values : parts)
      values.map(total.getResult(), sum);
  }
}

void Accumulation::addCopy(int64_t part, ArrayRef<Operation *> original, ArrayRef<Value> results,
                           MutableArrayRef<Value> sums) {
  IRMapping &values = parts[part];
  for (BlockArgument argument : body.getArguments()) {
    StringAttr state = signature.stateArgument(argument.getArgNumber());
    if (state && buffers.count(state))
      values.map(argument, buffers.lookup(state));
  }
  for (Operation *op : original)
    if (!rankStates || !rankStates->isInChain(op))
      copy(op, part);
  for (auto [i, result] : llvm::enumerate(results)) {
    Value value = values.lookupOrDefault(result);
    GradBuilder b(builder, value.getLoc(), originOfSum(value));
    if (StringAttr state = signature.stateResult(i)) {
      if (rowStates.contains(state)) {
        newRows[state].push_back(value);
        continue;
      }
      if (!ofRows.contains(result)) {
        sums[i] = value;
        continue;
      }
      if (rankStates)
        continue;
      // A micro-batch without valid rows has no statistics.
      Value &now = buffers[state];
      if (valid) {
        Value old = now ? now : signature.addState(state, value.getType());
        value = b.select(b.greater(validRows[part], b.real(0.0, validRows[part])), value, old);
      }
      now = value;
      continue;
    }
    value = termOf(value, part);
    sums[i] = sums[i] ? b.add(sums[i], value) : value;
  }
}

LogicalResult Accumulation::findRankStates(ArrayRef<Value> results) {
  SmallVector<unsigned> written;
  for (auto [i, result] : llvm::enumerate(results))
    if (StringAttr state = signature.stateResult(i); state && ofRows.contains(result)) {
      if (rowStates.contains(state))
        return emitError(result.getLoc())
               << "expected state that is equal on all " << ranks
               << " ranks, but got a row per row of the batch in @" << state.getValue();
      written.push_back(i);
    }
  rankStates.emplace(func, ofRows, written, ranks);
  if (failed(rankStates->find()))
    return failure();
  WalkResult loop = func.walk([&](RandomOpInterface op) {
    return op->getBlock() == &body ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (loop.wasInterrupted())
    return func.emitError() << "expected no random numbers in loops with " << ranks << " ranks";
  return success();
}

LogicalResult Accumulation::run() {
  ofRows = valuesOfRows(func);
  Operation *ret = body.getTerminator();
  SmallVector<Value> results(ret->getOperands()), sums(results.size());
  if (ranks > 1 && failed(findRankStates(results)))
    return failure();
  findValidRows();
  auto original = llvm::map_to_vector(body.without_terminator(), [](Operation &op) { return &op; });
  splitInputs();
  builder.setInsertionPoint(ret);
  splitRowStates();
  for (int64_t part = 0; valid && part < count; ++part) {
    validRows.push_back(validOf(part));
    parts[part].map(valid, validRows.back());
  }
  if (valid)
    validOfAll = sumOverRanks(valid, originOf(validRows.front()));
  if (ranks > 1)
    rankState = firstPart();
  addPrologue(original);
  for (int64_t part = 0; part < count; ++part)
    addCopy(part, original, results, sums);
  if (rankStates)
    rankStates->append(builder, parts, validRows, buffers);
  for (unsigned i = 0; i < results.size(); ++i) {
    StringAttr state = signature.stateResult(i);
    Value value = state && buffers.count(state) ? buffers.lookup(state) : sums[i];
    if (!state)
      value = sumOverRanks(value, originOfSum(value).withPart(count - 1));
    if (state && newRows.count(state)) {
      GradBuilder b(builder, results[i].getLoc(), originOfSum(results[i]).withPart(count - 1));
      growRowState(state);
      value = b.op<train::ConcatOp>(newRows[state], 0);
    }
    if (auto gradient = signature.result<train::GradientAttr>(i)) {
      GradBuilder b(builder, results[i].getDefiningOp());
      // The last micro-batch completes the sum: kernels that round the sum belong there.
      b.origin = originOf(results[i]).withPart(count - 1);
      value = b.op<train::GradientOp>(value, gradient.getOf());
    }
    ret->setOperand(i, value);
  }
  for (Operation *op : llvm::reverse(original))
    op->erase();
  signature.updateType();
  return success();
}

LogicalResult ampc::accumulateMicroBatches(train::FuncOp gradient, int64_t count, int64_t ranks) {
  return Accumulation(gradient, count, ranks).run();
}
