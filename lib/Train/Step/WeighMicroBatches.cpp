// The loss of a micro-batch as a term of the loss of the whole batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Train/Step/WeighMicroBatches.h"
#include "lib/Train/Step/DatasetTotals.h"
#include "lib/Train/Step/MicroBatchAnalysis.h"
#include "mlir-dialects/Train/Ops/Parts.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir-dialects/Train/Program/Origin.h"

using namespace mlir;
using namespace ampc;

namespace {
using Ops = llvm::DenseSet<Operation *>;

class LossWeighing {
public:
  LossWeighing(train::FuncOp func, train::StepOp step)
      : func(func), step(step), signature(func), terminator(func.getBody().front().getTerminator()),
        isStep(func.getRole() != train::Role::Eval) {}
  LogicalResult runStep();
  bool runEvaluation();

private:
  SmallVector<Value> learnedParameters();
  SmallVector<Value> writtenState(const DenseSet<Value> &ofRows);
  bool isWritten(OpOperand &returned) {
    return bool(signature.stateResult(returned.getOperandNumber()));
  }
  LogicalResult check(const MicroBatchAnalysis &parts);
  LogicalResult checkKept(const MicroBatchAnalysis &parts, const Ops &weighed, const Ops &kept);
  void collectDependences(Value value, Ops &ops, Ops *statistics);
  void apply(const MicroBatchAnalysis &parts, const Ops &weighed, ArrayRef<OpOperand *> results);
  void change(OpOperand &operand, bool isTotal);
  Value countOf(GradBuilder &b, train::CountOp op, bool isOfAll);
  InFlightDiagnostic refuse(Operation *op);

  train::FuncOp func;
  train::StepOp step;
  Signature signature;
  Operation *terminator;
  bool isStep; ///< else an evaluation, whose number of batches is unknown
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

/// State whose new value depends on rows, passed from one micro-batch to the next.
SmallVector<Value> LossWeighing::writtenState(const DenseSet<Value> &ofRows) {
  SmallVector<Value> found;
  for (OpOperand &returned : terminator->getOpOperands())
    if (StringAttr state = signature.stateResult(returned.getOperandNumber());
        state && ofRows.contains(returned.get()))
      if (BlockArgument argument = signature.findState(state))
        found.push_back(argument);
  return found;
}

InFlightDiagnostic LossWeighing::refuse(Operation *op) {
  InFlightDiagnostic error = op->emitError();
  error.attachNote(step.getLoc()) << "in " << *step.getMicroBatches() << " micro-batches here";
  return error;
}

/// Collects the ops on which a value depends. Statistics of the rows of a single micro-batch go to
/// `statistics`, if given.
void LossWeighing::collectDependences(Value value, Ops &ops, Ops *statistics) {
  SmallVector<Value> open{value};
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || !ops.insert(op).second)
      continue;
    for (OpOperand &operand : op->getOpOperands())
      if (statistics && isStatistic(operand))
        collectDependences(operand.get(), *statistics, nullptr);
      else
        open.push_back(operand.get());
  }
}

/// Checks that every result except state is a sum over micro-batches, or the rows of all
/// micro-batches.
LogicalResult LossWeighing::check(const MicroBatchAnalysis &parts) {
  for (OpOperand &returned : terminator->getOpOperands()) {
    const MicroBatchValue &value = parts.of(returned.get());
    bool isLoss = returned.getOperandNumber() == 0;
    if (isWritten(returned) || (value.of == BatchRelation::Rows && !isLoss) ||
        value.of == BatchRelation::Sum || (value.of == BatchRelation::Same && !value.isDrawn))
      continue;
    Operation *op = value.cause ? value.cause : returned.get().getDefiningOp();
    return refuse(op ? op : func) << "expected " << (isLoss ? "the loss" : "a result")
                                  << " of a batch to be the sum of those of its parts, but "
                                  << (op ? nameOf(op) : "an argument")
                                  << " combines rows, so that no part has it alone: only sums over "
                                     "rows, and divisors that "
                                     "depend on no parameter, are the same in micro-batches";
  }
  return success();
}

/// Checks that no count or total belongs both to statistics or state of a single micro-batch and to
/// a divisor of the whole batch.
LogicalResult LossWeighing::checkKept(const MicroBatchAnalysis &parts, const Ops &weighed,
                                      const Ops &kept) {
  for (Operation *op : kept)
    if (weighed.contains(op) && (parts.countsRows(op) || !parts.getChanges(op).empty()))
      return refuse(op)
             << "expected state that a step writes to depend on one part of a batch, but "
             << nameOf(op) << " is also in the loss, with a number of the whole batch";
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
    return b.real(op.getNumber(isOfAll ? *step.getMicroBatches() : 1), op.getType());
  Type element = op.getType().getElementType();
  Value number = b.real(op.getNumber(), element),
        batches = b.op<train::TotalOp>(b.real(1.0, element));
  return op.getReciprocal() ? b.div(number, batches) : b.mul(number, batches);
}

void LossWeighing::apply(const MicroBatchAnalysis &parts, const Ops &weighed,
                         ArrayRef<OpOperand *> results) {
  for (Operation &op : llvm::make_early_inc_range(func.getBody().front().without_terminator())) {
    if (!weighed.contains(&op))
      continue;
    for (const MicroBatchChange &change : parts.getChanges(&op))
      this->change(*change.operand, change.isTotal);
  }
  for (OpOperand *returned : results)
    if (parts.of(returned->get()).of == BatchRelation::Same)
      change(*returned, false);
  for (auto op : llvm::make_early_inc_range(func.getBody().getOps<train::CountOp>())) {
    OpBuilder builder(op);
    GradBuilder b(builder, op);
    op.replaceAllUsesWith(countOf(b, op, weighed.contains(op) && parts.countsRows(op)));
    op.erase();
  }
}

LogicalResult LossWeighing::runStep() {
  if (!func.getBatch())
    return step.emitOpError() << "expected an input with a batch to cut into "
                              << *step.getMicroBatches() << " micro-batches";
  SmallVector<Value> written = writtenState(valuesOfRows(func));
  MicroBatchAnalysis parts(func, {*func.getBatch(), learnedParameters(), written});
  if (failed(check(parts)))
    return failure();
  Ops weighed, kept;
  SmallVector<OpOperand *> sums;
  for (OpOperand &returned : terminator->getOpOperands()) {
    if (isWritten(returned)) {
      collectDependences(returned.get(), kept, nullptr);
      continue;
    }
    collectDependences(returned.get(), weighed, &kept);
    sums.push_back(&returned);
  }
  if (failed(checkKept(parts, weighed, kept)))
    return failure();
  apply(parts, weighed, sums);
  return success();
}

bool LossWeighing::runEvaluation() {
  MicroBatchAnalysis parts(func, {func.getBatch().value_or(0), learnedParameters(), {}, true});
  OpOperand &loss = terminator->getOpOperand(0);
  const MicroBatchValue &value = parts.of(loss.get());
  bool isSum =
      value.of == BatchRelation::Sum || (value.of == BatchRelation::Same && !value.isDrawn);
  Ops weighed;
  if (isSum)
    collectDependences(loss.get(), weighed, nullptr);
  apply(parts, weighed, isSum ? ArrayRef<OpOperand *>(&loss) : ArrayRef<OpOperand *>());
  return isSum;
}

LogicalResult ampc::weighMicroBatches(train::FuncOp loss, train::StepOp step) {
  return LossWeighing(loss, step).runStep();
}

train::FuncOp ampc::weighEvaluation(train::FuncOp eval, train::StepOp step) {
  return LossWeighing(eval, step).runEvaluation() ? DatasetTotals(eval).run() : train::FuncOp();
}
