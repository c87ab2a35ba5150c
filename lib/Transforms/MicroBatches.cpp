// Gradients over a batch that is computed in parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MicroBatches.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace ampc;

namespace {
class Accumulation {
public:
  Accumulation(train::FuncOp func, int64_t count)
      : func(func), body(func.getBody().front()), count(count), builder(func.getContext()) {}
  void run();

private:
  void findValidRows();
  /// Rows of a part that count, from those of the whole batch.
  Value validOf(int64_t part);
  void splitInputs();
  /// What a part adds to a loss or a gradient: its value times its share of the rows, and nothing,
  /// not even a NaN, if none of its rows counts.
  Value share(Value value, Value validRows);
  /// Appends one more copy of the body; adds its losses and gradients to `sums`.
  void addCopy(int64_t part, ArrayRef<Operation *> original, ArrayRef<Value> results,
               MutableArrayRef<Value> sums);
  /// What a slot holds before the step: an argument, behind the other state if nothing has read it.
  Value stateOf(StringAttr slot, Type type);
  StringAttr slotOf(unsigned result) {
    return func.getResultAttrOfType<StringAttr>(result, "train.slot");
  }

  train::FuncOp func;
  Block &body;
  int64_t count, rows = 0; // rows of a part
  OpBuilder builder;
  BlockArgument valid;            // null: every batch is full
  SmallVector<IRMapping> parts;   // of the batched inputs
  llvm::StringMap<Value> buffers; // what the last copy wrote
};
} // namespace

void Accumulation::findValidRows() {
  rows = func->getAttrOfType<IntegerAttr>("train.batch").getInt();
  func->setAttr("train.batch", builder.getI64IntegerAttr(rows * count));
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    auto control = func.getArgAttrOfType<StringAttr>(i, "train.control");
    if (!control || control != "valid")
      continue;
    if (func->hasAttr("train.short_batch")) {
      valid = func.getArgument(i);
      return;
    }
    OpBuilder front = OpBuilder::atBlockBegin(&body);
    Value all = GradBuilder(front, func.getLoc()).real(double(rows), func.getArgument(i));
    func.getArgument(i).replaceAllUsesWith(all);
    (void)func.eraseArgument(i);
    return;
  }
}

Value Accumulation::stateOf(StringAttr slot, Type type) {
  unsigned position = 0;
  for (; position < func.getNumArguments(); ++position) {
    auto name = func.getArgAttrOfType<StringAttr>(position, "train.slot");
    if (!name)
      break;
    if (name == slot)
      return func.getArgument(position);
  }
  NamedAttribute name = builder.getNamedAttr("train.slot", slot);
  (void)func.insertArgument(position, type, builder.getDictionaryAttr(name), func.getLoc());
  return func.getArgument(position);
}

Value Accumulation::validOf(int64_t part) {
  GradBuilder b(builder, func.getLoc());
  Value zero = b.real(0.0, valid), all = b.real(double(rows), valid);
  Value left = b.sub(valid, b.real(double(part * rows), valid));
  left = b.select(b.greater(left, zero), left, zero);
  return b.select(b.greater(left, all), all, left);
}

Value Accumulation::share(Value value, Value validRows) {
  GradBuilder b(builder, value.getLoc());
  if (!valid)
    return b.mul(value, b.real(1.0 / double(count), value));
  Type element = getElementTypeOrSelf(value);
  Value weight = b.div(b.castTo(validRows, element), b.castTo(valid, element));
  return b.select(b.greater(validRows, b.real(0.0, validRows)), b.mul(value, weight),
                  b.real(0.0, value));
}

/// A part of a batched input is an argument of its own, so that nothing has to be cut or copied:
/// the parts lie one after the other in the caller's tensor.
void Accumulation::splitInputs() {
  parts.resize(count);
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    BlockArgument whole = func.getArgument(i);
    if (!func.getArgAttr(i, "train.batched"))
      continue;
    DictionaryAttr attrs = func.getArgAttrDict(i);
    parts[0].map(whole, whole);
    for (int64_t part = 1; part < count; ++part) {
      NamedAttrList own(attrs);
      own.set("train.part", builder.getI64IntegerAttr(part));
      (void)func.insertArgument(++i, whole.getType(), own.getDictionary(builder.getContext()),
                                whole.getLoc());
      parts[part].map(whole, func.getArgument(i));
    }
  }
}

void Accumulation::addCopy(int64_t part, ArrayRef<Operation *> original, ArrayRef<Value> results,
                           MutableArrayRef<Value> sums) {
  IRMapping &values = parts[part];
  Value validRows = valid ? validOf(part) : Value();
  if (valid)
    values.map(valid, validRows);
  for (BlockArgument argument : body.getArguments()) {
    auto slot = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "train.slot");
    if (slot && buffers.count(slot))
      values.map(argument, buffers.lookup(slot));
  }
  for (Operation *op : original) {
    if (auto mark = dyn_cast<train::GradientOp>(op)) { // the sum is the gradient
      values.map(mark.getResult(), values.lookupOrDefault(mark.getX()));
      continue;
    }
    Operation *copy = builder.clone(*op, values);
    // Every micro-batch draws numbers of its own, the same ones in forward and backward code.
    if (auto key = copy->getAttrOfType<IntegerAttr>("key"); key && isa<RandomOpInterface>(copy))
      copy->setAttr("key", builder.getI32IntegerAttr(
                               int32_t(uint32_t(key.getInt()) + uint32_t(part) * 0x9E3779B1u)));
  }
  for (auto [i, result] : llvm::enumerate(results)) {
    Value value = values.lookupOrDefault(result);
    GradBuilder b(builder, value.getLoc());
    if (StringAttr slot = slotOf(i)) { // a part without rows has no statistics
      Value &now = buffers[slot];
      if (valid) {
        Value old = now ? now : stateOf(slot, value.getType());
        value = b.select(b.greater(validRows, b.real(0.0, validRows)), value, old);
      }
      now = value;
      continue;
    }
    value = share(value, validRows);
    sums[i] = sums[i] ? b.add(sums[i], value) : value;
  }
}

void Accumulation::run() {
  findValidRows();
  Operation *ret = body.getTerminator();
  SmallVector<Value> results(ret->getOperands()), sums(results.size());
  auto original = llvm::map_to_vector(body.without_terminator(), [](Operation &op) { return &op; });
  splitInputs();
  builder.setInsertionPoint(ret);
  for (int64_t part = 0; part < count; ++part)
    addCopy(part, original, results, sums);
  for (unsigned i = 0; i < results.size(); ++i) {
    StringAttr slot = slotOf(i);
    Value value = slot ? buffers.lookup(slot) : sums[i];
    if (auto param = func.getResultAttrOfType<StringAttr>(i, "train.gradient"))
      value =
          GradBuilder(builder, results[i].getLoc()).op<train::GradientOp>(value, param.getValue());
    ret->setOperand(i, value);
  }
  for (Operation *op : llvm::reverse(original))
    op->erase();
  func.setFunctionType(builder.getFunctionType(body.getArgumentTypes(), ret->getOperandTypes()));
}

void ampc::accumulateMicroBatches(train::FuncOp gradient, int64_t count) {
  Accumulation(gradient, count).run();
}
