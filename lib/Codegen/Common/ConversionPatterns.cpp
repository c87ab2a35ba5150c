// Conversions `bf16 -> f32`, `f16 -> f32`, `f32 -> bf16`, `f32 -> f16` in integer code.
//
// bf16 on every tier: the conversion instruction of AVX512_BF16 flushes denormals, and tiers must
// agree. f16 where F16C is missing: bits equal the instruction's, which quiets NaNs.
#include "lib/Codegen/Common/FloatCode.h"

using namespace mlir;
using namespace ampc::target;

static Value bf16ToF32(FloatCode &c, Value x) {
  Value wide = c.zeroExtend(c.bits(x), c.b.getI32Type());
  return c.floatOf(c.left(wide, 16), c.b.getF32Type());
}
// Rounds to nearest even by a carry into the kept half.
static Value f32ToBF16(FloatCode &c, Value x) {
  Value bits = c.bits(x);
  Value odd = c.andBits(c.right(bits, 16), 1);
  Value rounded = c.right(c.addBits(c.addBits(bits, 0x7fff), odd), 16);
  Value quiet = c.orBits(c.right(bits, 16), 0x40);
  Value result = c.low(c.select(c.isNaN(x), quiet, rounded), c.b.getI16Type());
  return c.floatOf(result, c.b.getBF16Type());
}

static Value f16ToF32(FloatCode &c, Value x) {
  Type f32 = c.b.getF32Type();
  Value half = c.zeroExtend(c.bits(x), c.b.getI32Type());
  Value magnitude = c.left(c.andBits(half, 0x7fff), 13);
  Value normal = c.addBits(magnitude, int64_t(127 - 15) << 23);
  // A denormal is its mantissa in units of 2^-24: subtracting 2^-14 normalizes the number.
  Value shifted = c.floatOf(c.addBits(magnitude, int64_t(113) << 23), f32);
  Value denormal = c.bits(c.sub(shifted, c.real(0x1p-14, shifted)));
  Value special = c.addBits(magnitude, int64_t(255 - 31) << 23);
  Value quiet = c.orBits(special, 0x400000);
  Value result = c.select(c.above(magnitude, 0x7fffff), normal, denormal);
  result = c.select(c.above(magnitude, 0xf7fffff), special, result);
  result = c.select(c.above(magnitude, 0xf800000), quiet, result);
  Value sign = c.left(c.andBits(half, 0x8000), 16);
  return c.floatOf(c.orBits(result, sign), f32);
}
static Value f32ToF16(FloatCode &c, Value x) {
  Value bits = c.bits(x), magnitude = c.andBits(bits, 0x7fffffff);
  Value odd = c.andBits(c.right(magnitude, 13), 1);
  Value carried = c.addBits(c.addBits(magnitude, 0xfff), odd);
  Value normal = c.right(c.subBits(carried, int64_t(127 - 15) << 23), 13);
  // The last bit of 0.5 has weight 2^-24, the smallest step of f16: adding 0.5 rounds to that step.
  Value stepped = c.add(c.floatOf(magnitude, c.b.getF32Type()), 0.5);
  Value denormal = c.subBits(c.bits(stepped), 0x3f000000);
  Value quiet = c.orBits(c.andBits(c.right(magnitude, 13), 0x3ff), 0x7e00);
  Value result = c.select(c.above(magnitude, 0x387fffff), normal, denormal);
  result = c.select(c.above(magnitude, 0x477fffff), c.integer(0x7c00, bits), result);
  result = c.select(c.above(magnitude, 0x7f800000), quiet, result);
  result = c.orBits(result, c.right(c.andBits(bits, 0x80000000), 16));
  return c.floatOf(c.low(result, c.b.getI16Type()), c.b.getF16Type());
}

// Rounds to odd, `f64 -> f32`: the last bit is set if the result is inexact, so that the next
// rounding is the only rounding.
static Value f64ToOdd(FloatCode &c, Value x) {
  Value single = c.truncate(x, c.b.getF32Type());
  Value back = c.extend(single, c.b.getF64Type());
  Value bits = c.bits(single);
  Value grew = c.compare(arith::CmpFPredicate::OGT, c.abs(back), c.abs(x));
  Value down = c.select(grew, c.subBits(bits, 1), bits);
  Value exact = c.compare(arith::CmpFPredicate::UEQ, back, x);
  return c.floatOf(c.select(exact, bits, c.orBits(down, 1)), c.b.getF32Type());
}

namespace {
struct NarrowTo16 : OpRewritePattern<arith::TruncFOp> {
  NarrowTo16(MLIRContext *context, bool hasF16, bool hasBF16)
      : OpRewritePattern(context), hasF16(hasF16), hasBF16(hasBF16) {}
  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    Type to = getElementTypeOrSelf(op.getType()), from = getElementTypeOrSelf(op.getIn());
    if (!to.isBF16() && !to.isF16())
      return failure();
    FloatCode c(rewriter, op.getLoc());
    if (from.isF64()) {
      rewriter.replaceOp(op, c.truncate(f64ToOdd(c, op.getIn()), to));
      return success();
    }
    if (to.isF16() ? hasF16 : hasBF16)
      return failure();
    rewriter.replaceOp(op, to.isBF16() ? f32ToBF16(c, op.getIn()) : f32ToF16(c, op.getIn()));
    return success();
  }
  bool hasF16, hasBF16;
};
struct WidenFrom16 : OpRewritePattern<arith::ExtFOp> {
  WidenFrom16(MLIRContext *context, bool hasF16) : OpRewritePattern(context), hasF16(hasF16) {}
  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    Type from = getElementTypeOrSelf(op.getIn()), to = getElementTypeOrSelf(op.getType());
    if (!from.isBF16() && !from.isF16())
      return failure();
    FloatCode c(rewriter, op.getLoc());
    if (to.isF64()) {
      rewriter.replaceOp(op, c.extend(c.extend(op.getIn(), rewriter.getF32Type()), to));
      return success();
    }
    if (from.isF16() && hasF16)
      return failure();
    rewriter.replaceOp(op, from.isBF16() ? bf16ToF32(c, op.getIn()) : f16ToF32(c, op.getIn()));
    return success();
  }
  bool hasF16;
};
/// Integers reach 16 bits through f32. The canonicalizer merges the two conversions into one op,
/// for which LLVM calls a library.
template <typename Op> struct IntegerTo16 : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type to = getElementTypeOrSelf(op.getType());
    if (!to.isBF16() && !to.isF16())
      return failure();
    FloatCode c(rewriter, op.getLoc());
    Type single = rewriter.getF32Type();
    if (auto vector = dyn_cast<VectorType>(op.getType()))
      single = vector.clone(single);
    Value wide = Op::create(rewriter, op.getLoc(), single, op.getIn());
    rewriter.replaceOp(op, c.truncate(wide, to));
    return success();
  }
};
/// Broadcasts bf16 as integers: for a vector of bf16 from a variable LLVM calls a library.
struct SplatOfBF16 : OpRewritePattern<vector::BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::BroadcastOp op, PatternRewriter &rewriter) const override {
    Type bf16 = rewriter.getBF16Type();
    if (op.getSourceType() != bf16)
      return failure();
    FloatCode c(rewriter, op.getLoc());
    auto type = cast<VectorType>(op.getType()).clone(rewriter.getI16Type());
    Value splat = vector::BroadcastOp::create(rewriter, op.getLoc(), type, c.bits(op.getSource()));
    rewriter.replaceOp(op, c.floatOf(splat, bf16));
    return success();
  }
};
} // namespace

void ampc::target::addConversionPatterns(RewritePatternSet &patterns, bool hasF16, bool hasBF16) {
  patterns.add<NarrowTo16>(patterns.getContext(), hasF16, hasBF16);
  if (!hasBF16)
    patterns.add<SplatOfBF16>(patterns.getContext());
  patterns.add<WidenFrom16>(patterns.getContext(), hasF16);
  patterns.add<IntegerTo16<arith::SIToFPOp>, IntegerTo16<arith::UIToFPOp>>(patterns.getContext());
}
