// Counts what is not finite in the gradients of a step, and keeps the state of steps that skip.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StepGuard.h"
#include "AmpCasts.h"

using namespace mlir;
using namespace ampc;

Value StepGuard::state(StringRef slot, Type type) {
  unsigned position = 0;
  for (; position < func.getNumArguments(); ++position) {
    auto name = func.getArgAttrOfType<StringAttr>(position, "train.slot");
    if (!name)
      break;
    if (name == slot)
      return func.getArgument(position);
  }
  auto role =
      builder.getDictionaryAttr(builder.getNamedAttr("train.slot", builder.getStringAttr(slot)));
  (void)func.insertArgument(position, type, role, func.getLoc());
  return func.getArgument(position);
}

void StepGuard::addResult(Value value, StringRef key, StringRef name) {
  Operation *ret = body.getTerminator();
  ret->insertOperands(ret->getNumOperands(), value);
  (void)func.insertResult(
      func.getNumResults(), value.getType(),
      builder.getDictionaryAttr(builder.getNamedAttr(key, builder.getStringAttr(name))));
}

train::BufferOp StepGuard::bufferOf(StringRef slot) {
  return symbols.lookup<train::BufferOp>(slot);
}
StringRef StepGuard::roleOf(StringRef slot) {
  auto buffer = bufferOf(slot);
  auto role = buffer ? buffer->getAttrOfType<StringAttr>("role") : StringAttr();
  return role ? role.getValue() : StringRef();
}

Value StepGuard::countIn(Value x) {
  builder.setInsertionPointAfterValue(x);
  return amp::NonFiniteOp::create(builder, x.getLoc(),
                                  RankedTensorType::get({}, builder.getI64Type()), x);
}

SmallVector<Value> StepGuard::countGradients() {
  SmallVector<Value> counts;
  if (!isApply()) {
    for (auto gradient : llvm::to_vector(body.getOps<train::GradientOp>()))
      counts.push_back(countIn(gradient));
    return counts;
  }
  for (BlockArgument argument : func.getArguments()) {
    auto slot = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "train.slot");
    // Not the numbers of their rows.
    if (slot && roleOf(slot) == "gradient" && isa<FloatType>(getElementTypeOrSelf(argument)))
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
  train::NonFinite mode =
      train::symbolizeNonFinite(attribute("train.nonfinite")).value_or(byDefault);
  func->setAttr("train.nonfinite", builder.getStringAttr(train::stringifyNonFinite(mode)));
  if (mode != train::NonFinite::allow)
    guardState();
  builder.setInsertionPoint(body.getTerminator());
  addResult(total, "train.name", "nonfinite");
  return found;
}

/// The value, or the old one if the step is skipped. Rows then go nowhere, so that this costs no
/// pass over their table.
Value StepGuard::kept(Value value, Value old) {
  if (value == old)
    return old;
  auto put = value.getDefiningOp<train::PutRowsOp>();
  if (!put || !found.getDefiningOp()->isBeforeInBlock(put))
    return b.select(found, old, value);
  builder.setInsertionPoint(put);
  put.getTableMutable().assign(kept(put.getTable(), old));
  Value index = put.getIndex(), &guarded = guardedRows[index];
  if (!guarded) {
    builder.setInsertionPointAfterValue(found);
    guarded = b.select(found, b.real(-1.0, index), index);
  }
  put.getIndexMutable().assign(guarded);
  return put;
}

/// A skipped step returns what it was given.
void StepGuard::guardState() {
  Operation *ret = body.getTerminator();
  llvm::StringMap<Value> params;
  for (unsigned i = 0; i < func.getNumResults(); ++i) {
    StringRef slot = slotOf(i), role = roleOf(slot);
    if (slot.empty() || role == "gradient" || role == "working")
      continue;
    Value value = ret->getOperand(i), old = state(slot, value.getType());
    builder.setInsertionPoint(ret);
    params[slot] = kept(value, old);
    ret->setOperand(i, params[slot]);
  }
  remakeWorkingCopies(params);
}

/// Working copies are made from what the parameters are after the step.
void StepGuard::remakeWorkingCopies(const llvm::StringMap<Value> &params) {
  Operation *ret = body.getTerminator();
  builder.setInsertionPoint(ret);
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    if (StringRef slot = slotOf(i); roleOf(slot) == "working") {
      StringRef param = bufferOf(slot)->getAttrOfType<FlatSymbolRefAttr>("of").getValue();
      ret->setOperand(i, insertCast(builder, ret->getOperand(i).getLoc(), params.lookup(param),
                                    getElementTypeOrSelf(ret->getOperand(i)),
                                    "the working copy of @" + param + ", which later steps read"));
    }
}
