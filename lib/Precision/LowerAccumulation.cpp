// Pass amp-lower-accumulation: sums of 16-bit values get an f32 accumulator.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Precision/Passes.h"
#include "lib/Precision/Casts.h"
#include "mlir-dialects/Train/TrainFlat.h"

namespace ampc {
#define GEN_PASS_DEF_AMPLOWERACCUMULATION
#include "ampc/Precision/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

static bool isNarrow(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
}

/// Whether the op adds up terms. Reductions, norms, losses and scatters add many; sums of gradients
/// over the uses of a value add several. A maximum is an element and an argmax a position: neither
/// adds.
static bool addsUp(Operation *op) {
  auto precision = dyn_cast<PrecisionOpInterface>(op);
  auto reduction = dyn_cast<ReduceOpInterface>(op);
  auto isFloat = [](Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); };
  if (!precision || (reduction && reduction.getCombine() != "sum") ||
      llvm::none_of(op->getResultTypes(), isFloat))
    return false;
  return precision.getCategory() == Category::FullPrecision || op->hasAttr("train.fan_in");
}

/// Puts the op between casts: bf16 -> f32, op, f32 -> bf16. Partial sums of gradients stay in f32,
/// without a cast between two additions.
static void widen(Operation *op) {
  OpBuilder builder(op);
  Type f32 = builder.getF32Type();
  std::string who = op->getName().getStringRef().str();
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isNarrow(operand.get().getType()))
      continue;
    auto cast = operand.get().getDefiningOp<train::CastOp>();
    Operation *sum = cast ? cast.getX().getDefiningOp() : nullptr;
    bool partial = op->hasAttr("train.fan_in") && sum && sum->hasAttr("train.fan_in") &&
                   getElementTypeOrSelf(cast.getX()) == f32;
    operand.set(
        partial ? cast.getX()
                : insertCast(builder, operand.get(), f32, who + " adds up in f32", originOf(op)));
  }
  builder.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    Type type = getElementTypeOrSelf(result);
    if (!isNarrow(type))
      continue;
    result.setType(cast<RankedTensorType>(result.getType()).clone(f32));
    Value rounded = insertCast(builder, result, type, who + " rounds once, after the last sum");
    result.replaceAllUsesExcept(rounded, rounded.getDefiningOp());
  }
}

namespace {
struct AmpLowerAccumulation : ampc::impl::AmpLowerAccumulationBase<AmpLowerAccumulation> {
  using AmpLowerAccumulationBase::AmpLowerAccumulationBase;
  void runOnOperation() override {
    if (mlir::failed(checkHasOnlyLoops(getOperation(), getArgument())))
      return signalPassFailure();
    bool failed = false;
    getOperation()->walk([&](train::FuncOp func) {
      func.getBody().walk([&](Operation *op) {
        auto narrow = [](Type type) { return isNarrow(type); };
        if (!addsUp(op) || (llvm::none_of(op->getOperandTypes(), narrow) &&
                            llvm::none_of(op->getResultTypes(), narrow)))
          return;
        if (verify) {
          op->emitError() << "expected a sum of 16-bit values to have an accumulator in f32, but "
                          << op->getName() << " has none";
          failed = true;
        } else {
          widen(op);
        }
      });
    });
    if (failed)
      signalPassFailure();
  }
};
} // namespace
