// floor, ceil, round and fused multiply-add for tiers without the instruction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Common/FloatCode.h"

using namespace mlir;
using namespace ampc::target;

// 2^(p-1) leaves no bits for a fraction, so the addition itself rounds to nearest even.
static Value nearestEven(FloatCode &c, Value x) {
  double big = getElementTypeOrSelf(x).isF64() ? 0x1p52 : 0x1p23;
  Value magnitude = c.abs(x);
  Value rounded = c.sub(c.add(magnitude, big), c.real(big, x));
  Value fits = c.compare(arith::CmpFPredicate::OLT, magnitude, big);
  return c.select(fits, c.withSign(rounded, x), x);
}
static Value roundDown(FloatCode &c, Value x) {
  Value near = nearestEven(c, x);
  Value over = c.compare(arith::CmpFPredicate::OGT, near, x);
  return c.withSign(c.select(over, c.add(near, -1.0), near), x);
}
static Value roundUp(FloatCode &c, Value x) {
  Value near = nearestEven(c, x);
  Value under = c.compare(arith::CmpFPredicate::OLT, near, x);
  return c.withSign(c.select(under, c.add(near, 1.0), near), x);
}
static Value towardsZero(FloatCode &c, Value x) { return c.withSign(roundDown(c, c.abs(x)), x); }
// Rounds halves away from zero.
static Value nearestAway(FloatCode &c, Value x) {
  Value magnitude = c.abs(x);
  Value whole = math::TruncOp::create(c.b, c.loc, magnitude);
  Value half = c.compare(arith::CmpFPredicate::OGE, c.sub(magnitude, whole), 0.5);
  return c.withSign(c.select(half, c.add(whole, 1.0), whole), x);
}

namespace {
template <typename Op, Value (*expand)(FloatCode &, Value)> struct Expand : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth() < 32)
      return failure();
    FloatCode c(rewriter, op.getLoc());
    rewriter.replaceOp(op, expand(c, op.getOperand()));
    return success();
  }
};
struct SplitFMA : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FmaOp op, PatternRewriter &rewriter) const override {
    FloatCode c(rewriter, op.getLoc());
    rewriter.replaceOp(op, c.add(c.mul(op.getA(), op.getB()), op.getC()));
    return success();
  }
};
} // namespace

void ampc::target::addRoundingPatterns(RewritePatternSet &patterns, bool hasRoundingUnit,
                                       bool hasFMA) {
  patterns.add<Expand<math::RoundOp, nearestAway>>(patterns.getContext());
  if (!hasRoundingUnit)
    patterns.add<Expand<math::FloorOp, roundDown>, Expand<math::CeilOp, roundUp>,
                 Expand<math::TruncOp, towardsZero>, Expand<math::RoundEvenOp, nearestEven>>(
        patterns.getContext());
  if (!hasFMA)
    patterns.add<SplitFMA>(patterns.getContext());
}
