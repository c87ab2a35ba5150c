// Counts what is not finite in the gradients of a step, and keeps the state of steps that skip.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/LossScaling/StepGuard.h"
#include "lib/Precision/Casts.h"
#include "mlir-dialects/Train/SignatureChange.h"
#include "mlir-dialects/Train/Update.h"

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
    // Not the numbers of their rows.
    if (state && roleOf(state) == train::StateRole::Gradient &&
        isa<FloatType>(getElementTypeOrSelf(argument)))
      counts.push_back(countIn(argument));
  }
  return counts;
}

Value StepGuard::guard(ArrayRef<Value> counts, train::NonFinite byDefault) {
  // As early as possible: what writes rows asks before it writes.
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

/// Whether an update itself gives the old value if the step is skipped.
bool StepGuard::skipsItself(Value value, Value old) {
  auto update = value.getDefiningOp<train::UpdateOp>();
  if (!update || update.getOld(cast<OpResult>(value).getResultNumber()) != old ||
      !found.getDefiningOp()->isBeforeInBlock(update))
    return false;
  if (!update.getSkip())
    update.getSkipMutable().assign(found);
  return update.getSkip() == found;
}

/// The value, or the old one if the step is skipped. Rows then go nowhere, so that this costs no
/// pass over their table.
Value StepGuard::kept(Value value, Value old) {
  SmallVector<std::pair<RowWritesOpInterface, Value>> writes; // and their results, the last first
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

/// A skipped step returns what it was given.
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

/// Working copies are made from what the parameters are after the step.
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
