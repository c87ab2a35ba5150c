// Gradients over a batch that is computed in parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Train/Step/MicroBatches.h"
#include "lib/Train/Step/PartAnalysis.h"
#include "mlir-dialects/Train/Origin.h"
#include "mlir-dialects/Train/Parts.h"
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
  /// The share of the rows of a part, or of those that count.
  Value shareOf(train::ShareOp op, int64_t part);
  /// Prologue: the sums over all parts, of what depends on no parameter.
  void addTotals(ArrayRef<Operation *> original);
  void addCone(int64_t part, Value value, ArrayRef<Operation *> original);
  /// Appends an op as that of a part.
  void copy(Operation *op, int64_t part);
  /// A term of a loss or a gradient: 0, even in place of a NaN, if no row of the part counts.
  Value termOf(Value value, int64_t part);
  /// Appends one more copy of the body; adds its losses and gradients to `sums`.
  void addCopy(int64_t part, ArrayRef<Operation *> original, ArrayRef<Value> results,
               MutableArrayRef<Value> sums);

  train::FuncOp func;
  Signature signature;
  Block &body;
  int64_t count, rows = 0; // rows of a part
  OpBuilder builder;
  BlockArgument valid;            // null: every batch is full
  SmallVector<Value> validRows;   // of each part
  SmallVector<IRMapping> parts;   // of the batched inputs, and of what is computed of a part
  llvm::StringMap<Value> buffers; // what the last copy wrote, if it depends on rows
  DenseSet<Value> ofRows;
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

Value Accumulation::shareOf(train::ShareOp op, int64_t part) {
  GradBuilder b(builder, op);
  Type element = b.compute = op.getType().getElementType();
  if (!valid)
    return b.real(1.0 / double(count), element);
  return b.div(b.castTo(validRows[part], element), b.castTo(valid, element));
}

Value Accumulation::termOf(Value value, int64_t part) {
  if (!valid)
    return value;
  GradBuilder b(builder, value.getLoc(), originOfSum(value));
  Value rows = validRows[part];
  return b.select(b.greater(rows, b.real(0.0, rows)), value, b.real(0.0, value));
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
  Operation *copy = builder.clone(*op, values);
  setOrigin(copy, originOf(op).withPart(part));
  // Every micro-batch draws numbers of its own, the same ones in forward and backward code.
  if (auto key = copy->getAttrOfType<IntegerAttr>("key"); key && isa<RandomOpInterface>(copy))
    copy->setAttr("key", builder.getI32IntegerAttr(
                             int32_t(uint32_t(key.getInt()) + uint32_t(part) * 0x9E3779B1u)));
}

/// Copies the ops that a value is computed by, in their order.
void Accumulation::addCone(int64_t part, Value value, ArrayRef<Operation *> original) {
  DenseSet<Operation *> cone;
  SmallVector<Value> open{value};
  while (!open.empty())
    if (Operation *op = open.pop_back_val().getDefiningOp(); op && cone.insert(op).second)
      llvm::append_range(open, op->getOperands());
  for (Operation *op : original)
    if (cone.contains(op))
      copy(op, part);
}

void Accumulation::addTotals(ArrayRef<Operation *> original) {
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
      addCone(part, total.getX(), original);
      Value term = parts[part].lookupOrDefault(total.getX());
      sum = sum ? b.add(sum, term) : term;
    }
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
    copy(op, part);
  for (auto [i, result] : llvm::enumerate(results)) {
    Value value = values.lookupOrDefault(result);
    GradBuilder b(builder, value.getLoc(), originOfSum(value));
    if (StringAttr state = signature.stateResult(i)) {
      if (!ofRows.contains(result)) {
        sums[i] = value;
        continue;
      }
      // A part without rows has no statistics.
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

void Accumulation::run() {
  ofRows = valuesOfRows(func);
  findValidRows();
  Operation *ret = body.getTerminator();
  SmallVector<Value> results(ret->getOperands()), sums(results.size());
  auto original = llvm::map_to_vector(body.without_terminator(), [](Operation &op) { return &op; });
  splitInputs();
  builder.setInsertionPoint(ret);
  for (int64_t part = 0; valid && part < count; ++part) {
    validRows.push_back(validOf(part));
    parts[part].map(valid, validRows.back());
  }
  addTotals(original);
  for (int64_t part = 0; part < count; ++part)
    addCopy(part, original, results, sums);
  for (unsigned i = 0; i < results.size(); ++i) {
    StringAttr state = signature.stateResult(i);
    Value value = state && buffers.count(state) ? buffers.lookup(state) : sums[i];
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
