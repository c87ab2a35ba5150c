// Gradients over a batch that is computed in parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Train/Step/MicroBatches.h"
#include "mlir-dialects/Train/Origin.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace ampc;

namespace {
class Accumulation {
public:
  Accumulation(train::FuncOp func, int64_t count)
      : func(func), signature(func), body(func.getBody().front()), count(count),
        builder(func.getContext()) {}
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

  train::FuncOp func;
  Signature signature;
  Block &body;
  int64_t count, rows = 0; // rows of a part
  OpBuilder builder;
  BlockArgument valid;            // null: every batch is full
  SmallVector<IRMapping> parts;   // of the batched inputs
  llvm::StringMap<Value> buffers; // what the last copy wrote
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

/// What adds up parts is called after what it adds, but is not in its region.
static train::OriginAttr originOfSum(Value value) {
  return originOf(value).withRegion({}).withCompute({});
}

Value Accumulation::share(Value value, Value validRows) {
  GradBuilder b(builder, value.getLoc(), originOfSum(value));
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

void Accumulation::addCopy(int64_t part, ArrayRef<Operation *> original, ArrayRef<Value> results,
                           MutableArrayRef<Value> sums) {
  IRMapping &values = parts[part];
  Value validRows = valid ? validOf(part) : Value();
  if (valid)
    values.map(valid, validRows);
  for (BlockArgument argument : body.getArguments()) {
    StringAttr state = signature.stateArgument(argument.getArgNumber());
    if (state && buffers.count(state))
      values.map(argument, buffers.lookup(state));
  }
  for (Operation *op : original) {
    if (auto mark = dyn_cast<train::GradientOp>(op)) { // the sum is the gradient
      values.map(mark.getResult(), values.lookupOrDefault(mark.getX()));
      continue;
    }
    Operation *copy = builder.clone(*op, values);
    setOrigin(copy, originOf(op).withPart(part));
    // Every micro-batch draws numbers of its own, the same ones in forward and backward code.
    if (auto key = copy->getAttrOfType<IntegerAttr>("key"); key && isa<RandomOpInterface>(copy))
      copy->setAttr("key", builder.getI32IntegerAttr(
                               int32_t(uint32_t(key.getInt()) + uint32_t(part) * 0x9E3779B1u)));
  }
  for (auto [i, result] : llvm::enumerate(results)) {
    Value value = values.lookupOrDefault(result);
    GradBuilder b(builder, value.getLoc(), originOfSum(value));
    if (StringAttr state = signature.stateResult(i)) { // a part without rows has no statistics
      Value &now = buffers[state];
      if (valid) {
        Value old = now ? now : signature.addState(state, value.getType());
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
    StringAttr state = signature.stateResult(i);
    Value value = state ? buffers.lookup(state) : sums[i];
    if (auto gradient = signature.result<train::GradientAttr>(i))
      value = GradBuilder(builder, results[i].getDefiningOp())
                  .op<train::GradientOp>(value, gradient.getOf());
    ret->setOperand(i, value);
  }
  for (Operation *op : llvm::reverse(original))
    op->erase();
  signature.updateType();
}

void ampc::accumulateMicroBatches(train::FuncOp gradient, int64_t count) {
  Accumulation(gradient, count).run();
}
