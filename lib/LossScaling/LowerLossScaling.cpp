// Lowers loss scaling to train ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/LossScaling/Passes.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir-dialects/Train/TrainFlat.h"

namespace ampc {
#define GEN_PASS_DEF_AMPLOWERLOSSSCALING
#include "ampc/LossScaling/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;
using train::ComparePredicate;

namespace {
class Lowering {
public:
  explicit Lowering(train::FuncOp func) : func(func), builder(func.getContext()) {}
  void run() {
    for (Operation &op : llvm::make_early_inc_range(func.getBody().front()))
      llvm::TypeSwitch<Operation *>(&op).Case<amp::UnscaleOp, amp::NonFiniteOp, amp::UpdateScaleOp>(
          [&](auto typed) {
            builder.setInsertionPoint(typed);
            GradBuilder b(builder, typed);
            lower(b, typed);
            typed.erase();
          });
    for (auto mark : llvm::make_early_inc_range(func.getBody().front().getOps<amp::MarkScaledOp>()))
      mark.erase();
  }

private:
  /// Count of elements of `x: [M, N]` that are not finite, an i64. x * 0 is NaN for an infinity or
  /// NaN, and 0 for finite numbers.
  Value countOf(GradBuilder &b, Value x) {
    Value wide = getElementTypeOrSelf(x).isF64() ? x : b.castTo(x, builder.getF32Type());
    Value product = b.mul(wide, b.real(0.0, wide));
    Value bad = b.castTo(b.compare(ComparePredicate::ne, product, b.real(0.0, product)),
                         builder.getI32Type());
    auto dims =
        llvm::to_vector(llvm::seq<int64_t>(0, cast<RankedTensorType>(x.getType()).getRank()));
    return b.castTo(dims.empty() ? bad : b.reduceSum(bad, dims), builder.getI64Type());
  }
  /// 1 / scale, computed once per scale. An infinite scale has the quotient 0, which would make
  /// every gradient a finite 0; the result is NaN instead, so that the step counts as not finite.
  Value inverseOf(GradBuilder &b, Value scale) {
    Value &inverse = inverses[scale];
    if (!inverse) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointAfterValue(scale);
      Value quotient = b.div(b.real(1.0, scale), scale), zero = b.real(0.0, scale);
      inverse = b.select(b.compare(ComparePredicate::eq, quotient, zero),
                         b.real(std::numeric_limits<double>::quiet_NaN(), scale), quotient);
    }
    return inverse;
  }
  void lower(GradBuilder &b, amp::UnscaleOp op);
  void lower(GradBuilder &b, amp::NonFiniteOp op) { op.replaceAllUsesWith(countOf(b, op.getX())); }
  void lower(GradBuilder &b, amp::UpdateScaleOp op);

  train::FuncOp func;
  OpBuilder builder;
  DenseMap<Value, Value> inverses;
};
} // namespace

// Counts elements of the unscaled gradient, because the update applies that gradient. PyTorch
// counts elements of the scaled gradient and misses two overflows: the inverse of a scale below
// 2^-128 is infinite, and a finite gradient times the inverse of a scale below 1 may be infinite.
void Lowering::lower(GradBuilder &b, amp::UnscaleOp op) {
  Value x = op.getX().getDefiningOp<amp::MarkScaledOp>().getX();
  Type wide = getElementTypeOrSelf(op.getResult());
  Value unscaled = b.mul(b.castTo(x, wide), b.castTo(inverseOf(b, op.getScale()), wide));
  if (!op.getNonfinite().use_empty())
    op.getNonfinite().replaceAllUsesWith(countOf(b, unscaled));
  op.getResult().replaceAllUsesWith(unscaled);
}

void Lowering::lower(GradBuilder &b, amp::UpdateScaleOp op) {
  amp::ScalingAttr scaling = op.getScaling();
  Value scale = op.getScale(), good = op.getGoodSteps(), left = op.getLeft(),
        bad = op.getFoundInf();
  if (!scaling.getDynamic()) {
    op.replaceAllUsesWith(ValueRange{scale, good, left});
    return;
  }
  auto real = [&](const APFloat &x) { return b.real(x.convertToDouble(), scale); };
  auto count = [&](int64_t x) { return b.real(double(x), good); };
  bool hasCap = !scaling.getCap().isZero(), hasFloor = !scaling.getFloor().isZero();
  Value counted = b.add(good, count(1)),
        isDue = b.compare(ComparePredicate::ge, counted, count(scaling.getInterval()));
  Value grown = b.mul(scale, real(scaling.getGrowth()));
  // The inverse of a scale beyond 2^126 is denormal: the inverse loses digits, and is 0 where
  // denormals are flushed.
  Value limit = hasCap ? real(scaling.getCap()) : b.real(0x1p126, scale);
  grown = b.select(b.compare(ComparePredicate::le, grown, limit), grown, hasCap ? limit : scale);
  Value backed = b.mul(scale, real(scaling.getBackoff()));
  if (hasFloor)
    backed =
        b.select(b.greater(real(scaling.getFloor()), backed), real(scaling.getFloor()), backed);
  Value fewer = b.sub(left, count(1));
  Value remaining = b.select(b.greater(count(0), fewer), count(0), fewer);
  Value lowered = b.select(b.greater(remaining, count(0)), scale, backed);
  op.getNewScale().replaceAllUsesWith(b.select(bad, lowered, b.select(isDue, grown, scale)));
  op.getNewGoodSteps().replaceAllUsesWith(
      b.select(bad, count(0), b.select(isDue, count(0), counted)));
  op.getNewLeft().replaceAllUsesWith(b.select(bad, remaining, count(scaling.getHysteresis())));
}

namespace {
struct AmpLowerLossScaling : ampc::impl::AmpLowerLossScalingBase<AmpLowerLossScaling> {
  void runOnOperation() override {
    if (failed(checkHasOnlyLoops(getOperation(), getArgument())))
      return signalPassFailure();
    getOperation()->walk([](train::FuncOp func) { Lowering(func).run(); });
  }
};
} // namespace
