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
  void fixValidRows();
  void widenInputs();
  Value slice(BlockArgument input, int64_t part);
  /// Appends one more copy of the body; adds its losses and gradients to `sums`.
  void addCopy(int64_t part, ArrayRef<Operation *> original, ArrayRef<Value> results,
               MutableArrayRef<Value> sums);
  StringAttr slotOf(unsigned result) {
    return func.getResultAttrOfType<StringAttr>(result, "train.slot");
  }

  train::FuncOp func;
  Block &body;
  int64_t count;
  OpBuilder builder;
  llvm::StringMap<Value> buffers; // what the last copy wrote
};
} // namespace

void Accumulation::fixValidRows() {
  int64_t batch = func->getAttrOfType<IntegerAttr>("train.batch").getInt();
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    auto control = func.getArgAttrOfType<StringAttr>(i, "train.control");
    if (!control || control != "valid")
      continue;
    OpBuilder front = OpBuilder::atBlockBegin(&body);
    Value all = GradBuilder(front, func.getLoc()).real(double(batch), func.getArgument(i));
    func.getArgument(i).replaceAllUsesWith(all);
    (void)func.eraseArgument(i);
    break;
  }
  func->removeAttr("train.short_batch");
  func->setAttr("train.batch", builder.getI64IntegerAttr(batch * count));
}

void Accumulation::widenInputs() {
  for (BlockArgument argument : body.getArguments()) {
    if (!func.getArgAttr(argument.getArgNumber(), "train.batched"))
      continue;
    auto type = cast<RankedTensorType>(argument.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[0] *= count;
    argument.setType(type.clone(shape));
  }
}

Value Accumulation::slice(BlockArgument input, int64_t part) {
  SmallVector<int64_t> sizes(cast<RankedTensorType>(input.getType()).getShape());
  sizes[0] /= count;
  SmallVector<int64_t> offsets(sizes.size(), 0), strides(sizes.size(), 1);
  offsets[0] = part * sizes[0];
  return train::SliceOp::create(builder, input.getLoc(), input, offsets, sizes, strides);
}

void Accumulation::addCopy(int64_t part, ArrayRef<Operation *> original, ArrayRef<Value> results,
                           MutableArrayRef<Value> sums) {
  IRMapping values;
  for (BlockArgument argument : body.getArguments()) {
    auto slot = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "train.slot");
    if (func.getArgAttr(argument.getArgNumber(), "train.batched"))
      values.map(argument, slice(argument, part));
    else if (slot && buffers.count(slot))
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
    if (StringAttr slot = slotOf(i))
      buffers[slot] = value;
    else
      sums[i] = sums[i] ? b.add(sums[i], value) : value;
  }
}

void Accumulation::run() {
  fixValidRows();
  Operation *ret = body.getTerminator();
  SmallVector<Value> results(ret->getOperands()), sums(results.size());
  auto original = llvm::map_to_vector(body.without_terminator(), [](Operation &op) { return &op; });
  widenInputs();
  builder.setInsertionPoint(ret);
  for (int64_t part = 0; part < count; ++part)
    addCopy(part, original, results, sums);
  for (unsigned i = 0; i < results.size(); ++i) {
    GradBuilder b(builder, results[i].getLoc());
    StringAttr slot = slotOf(i);
    Value value =
        slot ? buffers.lookup(slot) : b.mul(sums[i], b.real(1.0 / double(count), sums[i]));
    if (auto param = func.getResultAttrOfType<StringAttr>(i, "train.gradient"))
      value = b.op<train::GradientOp>(value, param.getValue());
    ret->setOperand(i, value);
  }
  for (Operation *op : llvm::reverse(original))
    op->erase();
  func.setFunctionType(builder.getFunctionType(body.getArgumentTypes(), ret->getOperandTypes()));
}

void ampc::accumulateMicroBatches(train::FuncOp gradient, int64_t count) {
  Accumulation(gradient, count).run();
}
