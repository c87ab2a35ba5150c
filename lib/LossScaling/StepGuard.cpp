// Counts gradient elements that are not finite (found_inf), and keeps the state of skipped steps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/LossScaling/StepGuard.h"
#include "lib/Precision/Casts.h"
#include "mlir-dialects/Train/Optimizer/Update.h"
#include "mlir-dialects/Train/Program/SignatureChange.h"

using namespace mlir;
using namespace ampc;

std::optional<train::StateRole> StepGuard::roleOf(StringAttr state) {
  auto declared = dyn_cast_or_null<StateOpInterface>(symbols.lookup(state));
  return declared ? declared.getStateRole() : std::nullopt;
}

Value StepGuard::countIn(Value x) {
  builder.setInsertionPointAfterValue(x);
  GradBuilder of(builder, x.getLoc(), originOfReader(x));
  return of.op<amp::NonFiniteOp>(RankedTensorType::get({}, builder.getI64Type()), x);
}

SmallVector<Value> StepGuard::countGradients() {
  SmallVector<Value> counts;
  if (!isApply()) {
    for (auto gradient : llvm::to_vector(body.getOps<train::GradientOp>()))
      counts.push_back(countIn(gradient));
    return counts;
  }
  for (BlockArgument argument : func.getArguments()) {
    StringAttr state = signature.stateArgument(argument.getArgNumber());
    // Row numbers of a sparse gradient are integers and need no check.
    if (state && roleOf(state) == train::StateRole::Gradient &&
        isa<FloatType>(getElementTypeOrSelf(argument)))
      counts.push_back(countIn(argument));
  }
  return counts;
}

Value StepGuard::guard(ArrayRef<Value> counts, train::NonFinite byDefault) {
  // The predicate stands right behind the last count, because a scatter reads the predicate before
  // writing.
  Operation *last = &body.front();
  for (Value count : counts)
    if (last->isBeforeInBlock(count.getDefiningOp()))
      last = count.getDefiningOp();
  builder.setInsertionPointAfter(last);
  Value total = counts.front();
  for (Value count : counts.drop_front())
    total = b.add(total, count);
  found = b.compare(train::ComparePredicate::ne, total, b.real(0.0, total));
  train::NonFinite mode = func.getNonfinite().value_or(byDefault);
  func.setNonfinite(mode);
  if (mode != train::NonFinite::allow)
    guardState();
  builder.setInsertionPoint(body.getTerminator());
  signature.addOutput(total, train::Output::Nonfinite);
  return found;
}

/// Whether the update returns the old value of a skipped step by the operand `skip`, at no cost of
/// memory traffic.
bool StepGuard::skipsItself(Value value, Value old) {
  auto update = value.getDefiningOp<train::UpdateOp>();
  if (!update || update.getOld(cast<OpResult>(value).getResultNumber()) != old ||
      !found.getDefiningOp()->isBeforeInBlock(update))
    return false;
  if (!update.getSkip())
    update.getSkipMutable().assign(found);
  return update.getSkip() == found;
}

/// State after the step: `value`, or `old` if the step is skipped. A scatter of a skipped step
/// writes to row -1, that is nowhere, so that a guarded table costs no pass over memory.
Value StepGuard::kept(Value value, Value old) {
  // Scatters and their results, the last scatter first.
  SmallVector<std::pair<RowWritesOpInterface, Value>> writes;
  while (value != old && !skipsItself(value, old)) {
    auto put = value.getDefiningOp<RowWritesOpInterface>();
    if (!put || !found.getDefiningOp()->isBeforeInBlock(put)) {
      value = b.select(found, old, value);
      break;
    }
    builder.setInsertionPoint(put);
    writes.push_back({put, value});
    value = put.getTableMutable().get();
  }
  for (auto [put, written] : llvm::reverse(writes)) {
    put.getTableMutable().set(value);
    Value index = put.getIndexMutable().get(), &guarded = guardedRows[index];
    if (!guarded) {
      builder.setInsertionPointAfterValue(found);
      guarded = b.select(found, b.real(-1.0, index), index);
    }
    put.getIndexMutable().set(guarded);
    value = written;
  }
  return value;
}

/// Guards every state result: a skipped step returns the old state. Stored gradients are left as
/// computed, and working copies are cast again from the guarded parameters.
void StepGuard::guardState() {
  Operation *ret = body.getTerminator();
  DenseMap<StringAttr, Value> params;
  {
    SignatureChange change(func);
    for (unsigned i = 0; i < func.getNumResults(); ++i) {
      StringAttr state = signature.stateResult(i);
      auto role = state ? roleOf(state) : std::nullopt;
      if (!state || role == train::StateRole::Gradient || role == train::StateRole::Working)
        continue;
      Value value = ret->getOperand(i), old = change.addState(state, value.getType());
      builder.setInsertionPoint(ret);
      params[state] = kept(value, old);
      ret->setOperand(i, params[state]);
    }
  }
  remakeWorkingCopies(params);
}

/// Casts working copies from the guarded parameters, e.g. `f32 -> bf16`.
void StepGuard::remakeWorkingCopies(const DenseMap<StringAttr, Value> &params) {
  Operation *ret = body.getTerminator();
  builder.setInsertionPoint(ret);
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    if (StringAttr state = signature.stateResult(i);
        state && roleOf(state) == train::StateRole::Working) {
      StringAttr param = symbols.lookup<train::BufferOp>(state).getOfAttr().getAttr();
      Value old = ret->getOperand(i);
      Value again = insertCast(builder, params.lookup(param), getElementTypeOrSelf(old),
                               "the working copy of @" + param.str() + ", which later steps read",
                               originOf(old));
      again.setLoc(old.getLoc());
      ret->setOperand(i, again);
    }
}
