// sin, cos and pow of f32, computed in f64.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Common/Math/MathPatterns.h"
#include <cmath>

using namespace mlir;
using namespace ampc::target;

// 2/pi in pieces of 24 bits, for exact products of a float in double. Payne and Hanek, "Radian
// reduction for trigonometric functions" (1983): whole turns of every product are dropped before
// the sum.
static constexpr double twoOverPi[] = {0xa2f983p-24,  0x6e4e44p-48,  0x1529fcp-72,  0x2757d1p-96,
                                       0xf534ddp-120, 0xc0db62p-144, 0x95993cp-168, 0x439041p-192};

namespace {
/// x = (quarter + fraction) * pi/2 modulo whole turns, |fraction| <= 1/2.
struct Reduced {
  Value quarter, angle; // integer 0 to 4 as f64; fraction * pi/2
};
} // namespace
static Reduced reduceAngle(FloatCode &c, Value magnitude) {
  Value turns;
  for (double piece : twoOverPi) {
    Value product = c.mul(magnitude, piece);
    Value whole = math::FloorOp::create(c.b, c.loc, c.mul(product, 0.25));
    Value rest = c.sub(product, c.mul(whole, 4.0));
    turns = turns ? c.add(turns, rest) : rest;
  }
  Value nearest = math::RoundEvenOp::create(c.b, c.loc, turns);
  return {nearest, c.mul(c.sub(turns, nearest), M_PI_2)};
}

// Taylor polynomials on |angle| <= pi/4: the next terms are below 1e-11.
static Value sine(FloatCode &c, Value r) {
  static constexpr double k[] = {1, -1 / 6., 1 / 120., -1 / 5040., 1 / 362880., -1 / 39916800.};
  return c.mul(r, c.polynomial(c.mul(r, r), k));
}
static Value cosine(FloatCode &c, Value r) {
  static constexpr double k[] = {1,          -1 / 2.,       1 / 24.,       -1 / 720.,
                                 1 / 40320., -1 / 3628800., 1 / 479001600.};
  return c.polynomial(c.mul(r, r), k);
}
/// sin(magnitude + shift * pi/2).
static Value sineOfTurns(FloatCode &c, Value magnitude, double shift) {
  Reduced a = reduceAngle(c, magnitude);
  // The lowest bits of quarter + 2^52 are the integer's.
  Value bits = c.bits(c.add(c.add(a.quarter, shift), 0x1p52));
  Value isOdd = c.above(c.andBits(bits, 1), 0), isNegative = c.above(c.andBits(bits, 2), 0);
  Value value = c.select(isOdd, cosine(c, a.angle), sine(c, a.angle));
  return c.select(isNegative, c.neg(value), value);
}
static Value sinF32(FloatCode &c, Value x) {
  Value wide = c.extend(c.abs(x), c.b.getF64Type());
  Value value = c.truncate(sineOfTurns(c, wide, 0), c.b.getF32Type());
  Value isNegative = c.compare(arith::CmpFPredicate::OLT, x, 0.0);
  // Keeps the sign of -0.
  Value isZero = c.compare(arith::CmpFPredicate::OEQ, x, 0.0);
  return c.select(isZero, x, c.select(isNegative, c.neg(value), value));
}
static Value cosF32(FloatCode &c, Value x) {
  Value wide = c.extend(c.abs(x), c.b.getF64Type());
  return c.truncate(sineOfTurns(c, wide, 1), c.b.getF32Type());
}

/// log2 of a positive finite double converted from a float; about 2^-40 relative.
static Value log2Of(FloatCode &c, Value x) {
  constexpr int64_t mantissa = (int64_t(1) << 52) - 1;
  Value bits = c.bits(x);
  Value m = c.floatOf(c.orBits(c.andBits(bits, mantissa), int64_t(1023) << 52), c.b.getF64Type());
  Value exponent = c.floatOf(c.orBits(c.right(bits, 52), int64_t(0x433) << 52), c.b.getF64Type());
  exponent = c.add(exponent, -0x1p52 - 1023);
  Value isBig = c.compare(arith::CmpFPredicate::OGT, m, M_SQRT2);
  m = c.select(isBig, c.mul(m, 0.5), m);
  exponent = c.select(isBig, c.add(exponent, 1.0), exponent);
  // log m = 2 atanh((m - 1) / (m + 1)), |argument| < 0.172.
  Value s = c.div(c.add(m, -1.0), c.add(m, 1.0));
  static constexpr double k[] = {1,       1 / 3.,  1 / 5.,  1 / 7., 1 / 9.,
                                 1 / 11., 1 / 13., 1 / 15., 1 / 17.};
  Value atanh = c.mul(s, c.polynomial(c.mul(s, s), k));
  return c.add(exponent, c.mul(atanh, 2 * M_LOG2E));
}
/// 2^t for |t| <= 200.
static Value exp2Of(FloatCode &c, Value t) {
  Value shifted = c.add(t, 0x1.8p52); // rounds to an integer, in the lowest bits
  Value fraction = c.mul(c.sub(t, c.add(shifted, -0x1.8p52)), M_LN2);
  static constexpr double k[] = {1,        1,        1 / 2.,    1 / 6.,     1 / 24.,
                                 1 / 120., 1 / 720., 1 / 5040., 1 / 40320., 1 / 362880.};
  Value scale = c.left(c.addBits(c.bits(shifted), 1023), 52);
  return c.mul(c.polynomial(fraction, k), c.floatOf(scale, c.b.getF64Type()));
}
Value ampc::target::signOfPower(FloatCode &c, Value x, Value y, Value result) {
  using P = arith::CmpFPredicate;
  double infinity = std::numeric_limits<double>::infinity();
  // Negative bases need an integer power; an odd power keeps the sign.
  auto isWhole = [&](Value v) {
    return c.compare(P::OEQ, math::FloorOp::create(c.b, c.loc, v), v);
  };
  Value whole = isWhole(y), even = isWhole(c.mul(y, 0.5));
  Value nan = c.real(std::numeric_limits<double>::quiet_NaN(), x);
  result = c.select(c.compare(P::OLT, x, 0.0), c.select(whole, result, nan), result);
  Value odd = c.select(whole, c.select(even, c.real(1, x), x), c.real(1, x));
  result = c.select(c.isNaN(result), result, c.withSign(result, odd));
  // 1^y, x^0, and (-1)^(+-infinity) are 1.
  Value one = c.real(1, x);
  result = c.select(c.compare(P::OEQ, x, 1.0), one, result);
  result = c.select(c.compare(P::OEQ, y, 0.0), one, result);
  Value isEdge = c.both(c.compare(P::OEQ, x, -1.0), c.compare(P::OEQ, c.abs(y), infinity));
  result = c.select(isEdge, one, result);
  return result;
}
static Value powF32(FloatCode &c, Value base, Value power) {
  using P = arith::CmpFPredicate;
  Type f64 = c.b.getF64Type();
  Value x = c.extend(base, f64), y = c.extend(power, f64), magnitude = c.abs(x);
  Value log = log2Of(c, magnitude);
  double infinity = std::numeric_limits<double>::infinity();
  log = c.select(c.compare(P::OEQ, magnitude, 0.0), c.real(-infinity, x), log);
  // Infinity and NaN pass through.
  log = c.select(c.compare(P::ULT, magnitude, infinity), log, magnitude);
  log = c.select(c.isNaN(x), x, log);
  Value t = c.mul(y, log);
  t = arith::MaximumFOp::create(c.b, c.loc, t, c.real(-200, t));
  t = arith::MinimumFOp::create(c.b, c.loc, t, c.real(200, t));
  Value result = c.select(c.isNaN(t), t, exp2Of(c, t));
  result = signOfPower(c, x, y, result);
  return c.truncate(result, c.b.getF32Type());
}

namespace {
struct ExpandPow : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::PowFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    FloatCode c(rewriter, op.getLoc());
    rewriter.replaceOp(op, powF32(c, op.getLhs(), op.getRhs()));
    return success();
  }
};

} // namespace

void ampc::target::addFunctionPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandF32<math::SinOp, sinF32>, ExpandF32<math::CosOp, cosF32>, ExpandPow>(context);
}
