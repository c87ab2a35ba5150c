// Cast sinking: results that are widened before the store are stored narrow, and consumers widen.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Kernel/Passes.h"
#include "lib/Kernel/Fusion/Merge.h"
#include "mlir-dialects/SourceWalk.h"

namespace ampc {
#define GEN_PASS_DEF_KERNELSINKCASTS
#include "ampc/Kernel/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;

/// Type before the widening cast of the value, or of an arm of a tree of selects; null if there is
/// no such cast.
static FloatType sourceType(Value value) {
  FloatType type;
  SourceWalk().visit(value, [&](Value source) {
    if (auto widened = source.getDefiningOp<arith::ExtFOp>(); widened && !type)
      type = dyn_cast<FloatType>(widened.getIn().getType());
    return !type && source.getDefiningOp<arith::SelectOp>();
  });
  return type;
}

/// The constant in the narrow type; null if the conversion loses digits.
static FloatAttr constantOf(arith::ConstantOp op, FloatType type) {
  auto number = dyn_cast<FloatAttr>(op.getValue());
  if (!number)
    return {};
  bool loses = false;
  APFloat narrow = number.getValue();
  narrow.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &loses);
  return loses ? FloatAttr() : FloatAttr::get(type, narrow);
}

/// Operand of the widening cast, or the constant in the narrow type; null for other values.
static Value withoutWidening(Value value, FloatType type) {
  Operation *op = value.getDefiningOp();
  if (auto widened = dyn_cast_or_null<arith::ExtFOp>(op))
    return widened.getIn().getType() == type ? widened.getIn() : Value();
  if (auto constant = dyn_cast_or_null<arith::ConstantOp>(op)) {
    FloatAttr number = constantOf(constant, type);
    OpBuilder builder(op);
    return number ? arith::ConstantOp::create(builder, op->getLoc(), number).getResult() : Value();
  }
  return {};
}

/// Narrow form of a tree of selects whose leaves are all widened or constants, as row masks have;
/// null if a leaf has no narrow form. Example: select(c, extf(x), 0.0 : f32) -> select(c, x, 0.0 :
/// bf16).
static Value narrowed(Value value, FloatType type) {
  DenseMap<Value, Value> narrow;
  auto chooses = [&](Value source) {
    if (source.getDefiningOp<arith::SelectOp>())
      return true;
    narrow[source] = withoutWidening(source, type);
    return false;
  };
  SourceWalk().visit(value, chooses, [&](Value source) {
    auto select = source.getDefiningOp<arith::SelectOp>();
    Value x = narrow.lookup(select.getTrueValue()), y = narrow.lookup(select.getFalseValue());
    OpBuilder builder(select);
    if (x && y)
      narrow[source] =
          arith::SelectOp::create(builder, select.getLoc(), select.getCondition(), x, y);
  });
  return narrow.lookup(value);
}

/// Sets the narrow type of the value and of its views, and inserts widening casts in the consumers.
static void narrow(Value value, Type type) {
  value.setType(cast<RankedTensorType>(value.getType()).clone(type));
  for (OpOperand &use : value.getUses()) {
    if (auto view = dyn_cast<kernel::ViewOp>(use.getOwner())) {
      narrow(view.getResult(), type);
      continue;
    }
    auto consumer = cast<FusedKernelOpInterface>(use.getOwner());
    Block &body = consumer.getBody().front();
    BlockArgument argument = body.getArgument(consumer.getNumLeadingArguments() + inputNumber(use));
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    Type wide = argument.getType();
    argument.setType(type);
    auto widened = arith::ExtFOp::create(builder, consumer.getLoc(), wide, argument);
    argument.replaceAllUsesExcept(widened, widened);
  }
}

/// Merges equal results: consumers of the second read the first.
static bool shareResults(FusedKernelOpInterface op) {
  bool changed = false;
  OperandRange yields = op.getBody().front().getTerminator()->getOperands();
  for (unsigned j = 1; j < yields.size(); ++j)
    for (unsigned i = 0; i < j; ++i)
      if (yields[i] == yields[j] && !op->getResult(j).use_empty() &&
          op->getResult(i).getType() == op->getResult(j).getType() &&
          normalized(mapAt(op.getResultMaps(), i), op.getSpace()) ==
              normalized(mapAt(op.getResultMaps(), j), op.getSpace())) {
        op->getResult(j).replaceAllUsesWith(op->getResult(i));
        changed = true;
        break;
      }
  return changed;
}

static void dropDeadResults(FusedKernelOpInterface op) {
  Merge merge(op);
  AffineMap all = AffineMap::getMultiDimIdentityMap(op.getSpace().size(), op->getContext());
  for (auto [i, value] : llvm::enumerate(merge.take(op, all)))
    if (!op->getResult(i).use_empty())
      merge.addResult(value, op->getResult(i), mapAt(op.getResultMaps(), i));
  merge.finish(op);
  op.erase();
}

static void narrowResults(FusedKernelOpInterface op) {
  if (isa<kernel::ReduceOp>(op)) // reductions sum the yielded values and store none
    return;
  Operation *yield = op.getBody().front().getTerminator();
  DenseMap<Value, Value> known; // equal values have a single narrow form
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    Value wide = yield->getOperand(i);
    FloatType type = sourceType(wide);
    if (!type || !isReadElementwise(result))
      continue;
    auto [entry, isNew] = known.try_emplace(wide);
    if (isNew)
      entry->second = narrowed(wide, type);
    if (!entry->second)
      continue;
    yield->setOperand(i, entry->second);
    narrow(result, type);
  }
  if (shareResults(op))
    dropDeadResults(op);
}

namespace {
struct KernelSinkCasts : ampc::impl::KernelSinkCastsBase<KernelSinkCasts> {
  void runOnOperation() override {
    for (auto program : getOperation().getOps<kernel::ProgramOp>())
      for (Operation &op : llvm::make_early_inc_range(program.getBody().front()))
        if (auto fused = dyn_cast<FusedKernelOpInterface>(&op))
          narrowResults(fused);
  }
};
} // namespace
