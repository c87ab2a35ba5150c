// The loss of a micro-batch as a term of the loss of the whole batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Train/Step/WeighMicroBatches.h"
#include "lib/Train/Step/DatasetTotals.h"
#include "lib/Train/Step/MicroBatchAnalysis.h"
#include "lib/Train/Step/Ranks.h"
#include "mlir-dialects/Train/Build/Expansion.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Ops/Parts.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir-dialects/Train/Program/RowState.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace ampc;

namespace {
using Ops = llvm::DenseSet<Operation *>;

class LossWeighing {
public:
  LossWeighing(train::FuncOp func, train::StepOp step)
      : func(func), step(step), signature(func), terminator(func.getBody().front().getTerminator()),
        rowStates(rowStatesOf(func)), isStep(func.getRole() != train::Role::Eval) {}
  LogicalResult runStep();
  bool runEvaluation();

private:
  MicroBatchAnalysis analyze();
  bool isTermOfLoss(const MicroBatchAnalysis &parts);
  LogicalResult findWeighed(const MicroBatchAnalysis &parts);
  void prepareLoops();
  Operation *findInLoops(const MicroBatchAnalysis &parts);
  SmallVector<Value> learnedParameters();
  SmallVector<Value> writtenState(const DenseSet<Value> &ofRows);
  bool isWritten(OpOperand &returned) {
    return bool(signature.stateResult(returned.getOperandNumber()));
  }
  /// Whether the result is the new value of a buffer per row of the batch.
  bool isWrittenPerRow(OpOperand &returned) {
    StringAttr state = signature.stateResult(returned.getOperandNumber());
    return state && rowStates.contains(state);
  }
  LogicalResult checkRows(OpOperand &returned, const MicroBatchAnalysis &parts);
  LogicalResult check(const MicroBatchAnalysis &parts);
  LogicalResult checkKept(const MicroBatchAnalysis &parts, const Ops &kept);
  void collectDependences(Value value, Ops &ops, Ops *statistics);
  void apply(const MicroBatchAnalysis &parts);
  void change(OpOperand &operand, bool isTotal);
  Value countOf(GradBuilder &b, train::CountOp op, bool isOfAll);
  InFlightDiagnostic refuse(Operation *op);

  train::FuncOp func;
  train::StepOp step;
  Signature signature;
  Operation *terminator;
  DenseMap<StringAttr, StateOpInterface> rowStates;
  bool isStep;                   ///< else an evaluation, whose number of batches is unknown
  Ops weighed;                   ///< ops of the loss and of other results that are no state
  SmallVector<OpOperand *> sums; ///< those results
  llvm::DenseMap<Value, Value> totals;
};
} // namespace

SmallVector<Value> LossWeighing::learnedParameters() {
  SmallVector<Value> found;
  for (Attribute param : step.getParams())
    if (auto symbol = dyn_cast<FlatSymbolRefAttr>(param))
      if (BlockArgument argument = signature.findState(symbol.getValue()))
        found.push_back(argument);
  return found;
}

/// State whose new value depends on rows, passed from one micro-batch to the next. Every
/// micro-batch has its own rows of a buffer per row.
SmallVector<Value> LossWeighing::writtenState(const DenseSet<Value> &ofRows) {
  SmallVector<Value> found;
  for (OpOperand &returned : terminator->getOpOperands())
    if (StringAttr state = signature.stateResult(returned.getOperandNumber());
        state && ofRows.contains(returned.get()) && !isWrittenPerRow(returned))
      if (BlockArgument argument = signature.findState(state))
        found.push_back(argument);
  return found;
}

InFlightDiagnostic LossWeighing::refuse(Operation *op) {
  InFlightDiagnostic error = op->emitError();
  error.attachNote(step.getLoc()) << "in " << partsOf(step)
                                  << (ranksOf(step) > 1 ? " parts of all ranks here"
                                                        : " micro-batches here");
  return error;
}

/// Collects the ops on which a value depends, whole loops included. Statistics of the rows of a
/// single micro-batch go to `statistics`, if given.
void LossWeighing::collectDependences(Value value, Ops &ops, Ops *statistics) {
  SmallVector<Value> open{value};
  auto add = [&](Operation *op) {
    ops.insert(op);
    for (OpOperand &operand : op->getOpOperands())
      if (statistics && isStatistic(operand))
        collectDependences(operand.get(), *statistics, nullptr);
      else
        open.push_back(operand.get());
  };
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    Operation *whole = op ? func.getBody().front().findAncestorOpInBlock(*op) : nullptr;
    if (whole && !ops.contains(whole))
      whole->walk(add);
  }
}

/// Checks that a micro-batch has its own rows of the new value of a buffer per row.
LogicalResult LossWeighing::checkRows(OpOperand &returned, const MicroBatchAnalysis &parts) {
  const MicroBatchValue &value = parts.of(returned.get());
  bool isPerRow = value.of == BatchRelation::Rows && value.place.dim == 0 && value.place.outer == 1;
  if (isPerRow || (value.of == BatchRelation::Same && !value.isDrawn && !(value.varies & 1)))
    return success();
  Operation *op = value.cause ? value.cause : returned.get().getDefiningOp();
  return refuse(op ? op : func) << "expected the new value of @"
                                << signature.stateResult(returned.getOperandNumber()).getValue()
                                << " to have a row per row of the batch, but "
                                << (op ? nameOf(op) : "an argument") << " combines rows";
}

/// Checks that every result except state is a sum over micro-batches, or the rows of all
/// micro-batches.
LogicalResult LossWeighing::check(const MicroBatchAnalysis &parts) {
  for (OpOperand &returned : terminator->getOpOperands()) {
    const MicroBatchValue &value = parts.of(returned.get());
    bool isLoss = returned.getOperandNumber() == 0;
    if (isWrittenPerRow(returned) && failed(checkRows(returned, parts)))
      return failure();
    if (isWritten(returned) || (value.of == BatchRelation::Rows && !isLoss) ||
        value.of == BatchRelation::Sum || (value.of == BatchRelation::Same && !value.isDrawn))
      continue;
    Operation *op = value.cause ? value.cause : returned.get().getDefiningOp();
    return refuse(op ? op : func)
           << "expected " << (isLoss ? "the loss" : "a result")
           << " of a batch to be the sum over micro-batches, but "
           << (op ? nameOf(op) : "an argument")
           << " combines rows of several micro-batches: only sums over rows, and divisors that "
              "depend on no parameter, are the same in micro-batches";
  }
  return success();
}

/// Checks that no count or total belongs both to statistics or state of a single micro-batch and to
/// a divisor of the whole batch.
LogicalResult LossWeighing::checkKept(const MicroBatchAnalysis &parts, const Ops &kept) {
  for (Operation *op : kept)
    if (weighed.contains(op) && (parts.countsRows(op) || !parts.getChanges(op).empty()))
      return refuse(op) << "expected state that a step writes to depend on one micro-batch, but "
                        << nameOf(op) << " is also in the loss, with a divisor of the whole batch";
  return success();
}

void LossWeighing::change(OpOperand &operand, bool isTotal) {
  Value value = operand.get();
  OpBuilder builder(operand.getOwner());
  train::OriginAttr origin = originOf(value);
  GradBuilder b(builder, operand.getOwner()->getLoc(),
                origin ? origin : originOf(operand.getOwner()));
  if (isTotal) {
    Value &known = totals[value];
    if (!known) {
      builder.setInsertionPointAfterValue(value);
      known = b.op<train::TotalOp>(value);
    }
    operand.set(known);
    return;
  }
  Type element = getElementTypeOrSelf(value), wide = accumulatorOf(element);
  Value share = b.op<train::ShareOp>(RankedTensorType::get({}, wide));
  operand.set(b.castTo(b.mul(b.castTo(value, wide), share), element));
}

/// Number of elements behind a mean: in the rows of the whole batch, or of a single micro-batch.
/// Mean over [16, 8] in 4 micro-batches -> 512 or 128.
Value LossWeighing::countOf(GradBuilder &b, train::CountOp op, bool isOfAll) {
  if (isStep || !isOfAll)
    return b.real(op.getNumber(isOfAll ? partsOf(step) : 1), op.getType());
  Type element = op.getType().getElementType();
  OpBuilder builder(func.getBody().front().findAncestorOpInBlock(*op)); // totals are outside loops
  GradBuilder outside(builder, op);
  Value number = b.real(op.getNumber(), element),
        batches = outside.op<train::TotalOp>(outside.real(1.0, element));
  return op.getReciprocal() ? b.div(number, batches) : b.mul(number, batches);
}

void LossWeighing::apply(const MicroBatchAnalysis &parts) {
  SmallVector<Operation *> ops;
  func.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops)
    if (weighed.contains(op))
      for (const MicroBatchChange &change : parts.getChanges(op))
        this->change(*change.operand, change.isTotal);
  for (OpOperand *returned : sums)
    if (parts.of(returned->get()).of == BatchRelation::Same)
      change(*returned, false);
  for (Operation *op : ops)
    if (auto count = dyn_cast<train::CountOp>(op))
      replaceByExpansion(op, [&](GradBuilder &b) -> SmallVector<Value> {
        return {countOf(b, count, weighed.contains(op) && parts.countsRows(op))};
      });
}

/// The ops on which results other than state depend, checked against the ops of the state.
LogicalResult LossWeighing::findWeighed(const MicroBatchAnalysis &parts) {
  Ops kept;
  weighed.clear();
  sums.clear();
  for (OpOperand &returned : terminator->getOpOperands()) {
    if (isWritten(returned)) {
      collectDependences(returned.get(), kept, nullptr);
      continue;
    }
    collectDependences(returned.get(), weighed, &kept);
    sums.push_back(&returned);
  }
  return checkKept(parts, kept);
}

bool LossWeighing::isTermOfLoss(const MicroBatchAnalysis &parts) {
  const MicroBatchValue &value = parts.of(terminator->getOperand(0));
  return value.of == BatchRelation::Sum || (value.of == BatchRelation::Same && !value.isDrawn);
}

MicroBatchAnalysis LossWeighing::analyze() {
  if (!isStep)
    return MicroBatchAnalysis(func, {func.getBatch().value_or(0), learnedParameters(), {}, true});
  return MicroBatchAnalysis(
      func, {*func.getBatch(), learnedParameters(), writtenState(valuesOfRows(func))});
}

// ---- Loops ----

/// Moves ops out of a loop whose operands are the same in all rounds, such as the number of valid
/// rows, of which a total over the micro-batches may be needed.
static void hoistInvariants(train::ScanOp scan) {
  Region &body = scan.getBody();
  auto isOutside = [&](Value v) { return !body.isAncestor(v.getParentRegion()); };
  for (Operation &op : llvm::make_early_inc_range(body.front().without_terminator()))
    if (op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
        llvm::all_of(op.getOperands(), isOutside))
      op.moveBefore(scan);
}

/// An op inside of a loop that needs the total of a value of its round, or a loop for which the
/// loss is no sum over micro-batches; null if the loops can stay.
Operation *LossWeighing::findInLoops(const MicroBatchAnalysis &parts) {
  Operation *found = nullptr;
  func.getBody().walk([&](Operation *op) {
    for (const MicroBatchChange &change : parts.getChanges(op))
      if (change.isTotal && weighed.contains(op) &&
          change.operand->get().getParentBlock() != terminator->getBlock())
        found = op;
  });
  return found;
}

/// Unrolls all loops if one of them mixes rows, or needs totals of rounds, which exist before the
/// first micro-batch only outside of loops.
void LossWeighing::prepareLoops() {
  SmallVector<train::ScanOp> loops;
  func.walk([&](train::ScanOp scan) {
    hoistInvariants(scan);
    loops.push_back(scan);
  });
  if (loops.empty())
    return;
  MicroBatchAnalysis parts = analyze();
  std::string why;
  {
    ScopedDiagnosticHandler silent(func.getContext(), [](Diagnostic &) { return success(); });
    bool isGood = isStep ? succeeded(check(parts)) : isTermOfLoss(parts);
    if (!isGood || failed(findWeighed(parts)))
      why = "rounds are weighed one by one";
    else if (Operation *op = findInLoops(parts))
      why = nameOf(op) + " needs a number of all micro-batches in every round";
  }
  for (train::ScanOp scan : loops)
    if (!why.empty() && outermostLoop(scan) == scan) {
      scan.emitRemark() << "the loop is unrolled before differentiation: " << why;
      replaceByRounds(scan);
    }
}

// ---- Steps and evaluations ----

LogicalResult LossWeighing::runStep() {
  if (!func.getBatch())
    return step.emitOpError() << "expected an input with a batch to cut into " << partsOf(step)
                              << (ranksOf(step) > 1 ? " parts of all ranks" : " micro-batches");
  prepareLoops();
  MicroBatchAnalysis parts = analyze();
  if (failed(check(parts)) || failed(findWeighed(parts)))
    return failure();
  apply(parts);
  return success();
}

bool LossWeighing::runEvaluation() {
  prepareLoops();
  MicroBatchAnalysis parts = analyze();
  weighed.clear();
  sums.clear();
  bool isSum = isTermOfLoss(parts);
  if (isSum) {
    collectDependences(terminator->getOperand(0), weighed, nullptr);
    sums.push_back(&terminator->getOpOperand(0));
  }
  apply(parts);
  return isSum;
}

LogicalResult ampc::weighMicroBatches(train::FuncOp loss, train::StepOp step) {
  return LossWeighing(loss, step).runStep();
}

train::FuncOp ampc::weighEvaluation(train::FuncOp eval, train::StepOp step) {
  return LossWeighing(eval, step).runEvaluation() ? DatasetTotals(eval).run() : train::FuncOp();
}
