// Functions of f64 built on exponentials and logarithms, without libm.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Common/Math/MathPatterns.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace ampc::target;
using P = arith::CmpFPredicate;

static constexpr double infinity = std::numeric_limits<double>::infinity();
// ln(2): the upper part has 32 bits, so the product with an exponent is exact.
static constexpr double ln2Upper = 0x1.62e42feep-1, ln2Lower = 0x1.a39ef35793c76p-33;

/// 1/first!, 1/(first + 1)!, ...
static SmallVector<double> reciprocalFactorials(unsigned first, unsigned count) {
  SmallVector<double> k;
  for (unsigned i = first; i < first + count; ++i)
    k.push_back(1 / std::tgamma(i + 1.0));
  return k;
}

// exp(x) = 2^n exp(r) with |r| <= ln(2)/2, and the Taylor polynomial to r^13, 4e-18 relative. 2^n
// is the product of two factors with half the exponent each, which are normal even if the result is
// denormal.
static Value expF64(FloatCode &c, Value x) {
  Value bounded = c.select(c.compare(P::OGT, x, 710.0), c.real(710.0, x), x);
  bounded = c.select(c.compare(P::OLT, x, -746.0), c.real(-746.0, x), bounded);
  // The sum rounds to an integer, whose lowest bits are n + 2046, the sum of the factors'
  // exponents.
  constexpr double shift = 0x1.8p52 + 2046;
  Value shifted = c.fma(bounded, c.real(M_LOG2E, x), c.real(shift, x)), n = c.add(shifted, -shift);
  Value r = c.fma(n, c.real(-ln2Upper, x), bounded);
  r = c.fma(n, c.real(-ln2Lower, x), r);
  Value bits = c.bits(shifted), half = c.right(bits, 1), rest = c.subBits(bits, half);
  auto power = [&](Value exponent) { return c.floatOf(c.left(exponent, 52), c.b.getF64Type()); };
  Value factor = c.fusedPolynomial(r, reciprocalFactorials(0, 14));
  return c.mul(c.mul(factor, power(half)), power(rest));
}

// expm1: a separate polynomial near 0, where exp(x) - 1 would cancel.
static Value expm1F64(FloatCode &c, Value x) {
  Value square = c.mul(x, x);
  Value near = c.fma(square, c.fusedPolynomial(x, reciprocalFactorials(2, 13)), x);
  Value isNear = c.compare(P::OLT, c.abs(x), 0.35);
  near = c.select(c.compare(P::OEQ, x, 0.0), x, near); // the sign of -0
  return c.select(isNear, near, c.add(expF64(c, x), -1.0));
}

// tanh(x) = expm1(2x) / (expm1(2x) + 2).
static Value tanhF64(FloatCode &c, Value x) {
  Value magnitude = c.abs(x), e = expm1F64(c, c.add(magnitude, magnitude));
  Value quotient = c.div(e, c.add(e, 2.0));
  Value isOne = c.compare(P::OGT, magnitude, 20.0);
  return c.withSign(c.select(isOne, c.real(1.0, x), quotient), x);
}

namespace {
/// log(x) = exponent ln(2) + upper + lower, for positive finite x.
struct Logarithm {
  Value exponent, upper, lower;
};
} // namespace

// x = 2^exponent m with m in [sqrt(1/2), sqrt(2)]; log(m) = 2 atanh(s) = 2s + 2s^3/3 + ... with s =
// (m - 1)/(m + 1), |s| < 0.172. `lower` includes the rounding error of s.
static Logarithm logarithmOf(FloatCode &c, Value x) {
  constexpr int64_t mantissa = (int64_t(1) << 52) - 1;
  Value isTiny = c.compare(P::OLT, x, 0x1p-1022);
  x = c.select(isTiny, c.mul(x, 0x1p54), x);
  Value bits = c.bits(x);
  Value m = c.floatOf(c.orBits(c.andBits(bits, mantissa), int64_t(1023) << 52), c.b.getF64Type());
  Value exponent = c.floatOf(c.orBits(c.right(bits, 52), int64_t(0x433) << 52), c.b.getF64Type());
  exponent = c.add(exponent, -0x1p52 - 1023);
  exponent = c.select(isTiny, c.add(exponent, -54.0), exponent);
  Value isBig = c.compare(P::OGT, m, M_SQRT2);
  m = c.select(isBig, c.mul(m, 0.5), m);
  exponent = c.select(isBig, c.add(exponent, 1.0), exponent);
  // f = m - 1 is exact; sum + rounding = f + 2.
  Value f = c.add(m, -1.0), sum = c.add(f, 2.0);
  Value rounding = c.sub(f, c.add(sum, -2.0));
  Value s = c.div(f, sum);
  Value rest = c.sub(c.fma(c.neg(s), sum, f), c.mul(s, rounding));
  rest = c.div(rest, sum);
  Value square = c.mul(s, s);
  SmallVector<double> k;
  for (int i = 1; i <= 12; ++i)
    k.push_back(2.0 / (2 * i + 1));
  Value higher = c.mul(c.mul(s, square), c.fusedPolynomial(square, k));
  return {exponent, c.add(s, s), c.add(higher, c.add(rest, rest))};
}

/// Logarithm's special cases: `value` for positive finite x; log(0) = -inf, NaN below 0.
static Value whereDefined(FloatCode &c, Value x, Value value) {
  value = c.select(c.compare(P::OEQ, x, infinity), x, value);
  value = c.select(c.compare(P::OEQ, x, 0.0), c.real(-infinity, x), value);
  value = c.select(c.compare(P::OLT, x, 0.0), c.real(std::numeric_limits<double>::quiet_NaN(), x),
                   value);
  return c.select(c.isNaN(x), x, value);
}
static Value logF64(FloatCode &c, Value x) {
  Logarithm log = logarithmOf(c, x);
  Value lower = c.fma(log.exponent, c.real(ln2Lower, x), log.lower);
  Value value = c.fma(log.exponent, c.real(ln2Upper, x), c.add(log.upper, lower));
  return whereDefined(c, x, value);
}
static Value log2F64(FloatCode &c, Value x) {
  Logarithm log = logarithmOf(c, x);
  Value value = c.fma(c.add(log.upper, log.lower), c.real(M_LOG2E, x), log.exponent);
  return whereDefined(c, x, value);
}
// log(1 + x) x / ((1 + x) - 1), which compensates the rounding of 1 + x (Kahan).
static Value log1pF64(FloatCode &c, Value x) {
  Value sum = c.add(x, 1.0), kept = c.add(sum, -1.0);
  Value value = c.div(c.mul(logF64(c, sum), x), kept);
  value = c.select(c.compare(P::OEQ, kept, 0.0), x, value);
  value = c.select(c.compare(P::OEQ, x, infinity), x, value);
  return c.select(c.compare(P::OLE, sum, 0.0), logF64(c, sum), value);
}

// |x|^y = exp(y log|x|). The logarithm has two parts, because the product with y magnifies the
// logarithm's error.
static Value powerOfMagnitude(FloatCode &c, Value magnitude, Value y) {
  Logarithm log = logarithmOf(c, magnitude);
  Value scaled = c.mul(log.exponent, ln2Upper), upper = c.add(scaled, log.upper);
  Value large = c.compare(P::OGT, c.abs(scaled), c.real(0.0, y));
  Value lost = c.add(c.sub(scaled, upper), log.upper); // exact: |scaled| is larger, or 0
  lost = c.select(large, lost, c.real(0.0, y));
  Value lower = c.add(lost, c.fma(log.exponent, c.real(ln2Lower, y), log.lower));
  Value whole = c.add(upper, lower);
  lower = c.add(c.sub(upper, whole), lower);
  upper = whole;
  Value t = c.mul(y, upper);
  Value rest = c.add(c.fma(y, upper, c.neg(t)), c.mul(y, lower));
  Value isHuge = c.compare(P::UGT, c.abs(t), 1000.0);
  rest = c.select(isHuge, c.real(0.0, y), rest);
  Value result = expF64(c, t);
  Value corrected = c.fma(result, rest, result);
  return c.select(c.compare(P::OEQ, result, infinity), result, corrected);
}
static Value powF64(FloatCode &c, Value x, Value y) {
  Value magnitude = c.abs(x), zero = c.real(0.0, x);
  Value result = powerOfMagnitude(c, magnitude, y);
  // Bases 0 and infinity: 0 or infinity, by the sign of the power.
  Value falls = c.compare(P::OLT, y, 0.0);
  Value none = c.select(falls, c.real(infinity, x), zero),
        all = c.select(falls, zero, c.real(infinity, x));
  result = c.select(c.compare(P::OEQ, magnitude, 0.0), none, result);
  result = c.select(c.compare(P::OEQ, magnitude, infinity), all, result);
  // Infinite power: 0 or infinity, by the side of 1 on which the magnitude is.
  Value isInfinite = c.compare(P::OEQ, c.abs(y), infinity);
  Value grows = c.compare(P::OGT, magnitude, 1.0);
  grows = c.select(falls, c.compare(P::OLT, magnitude, 1.0), grows);
  result = c.select(isInfinite, c.select(grows, c.real(infinity, x), zero), result);
  result = c.select(c.isNaN(y), y, c.select(c.isNaN(x), x, result));
  return signOfPower(c, x, y, result);
}

namespace {
struct ExpandPowF64 : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::PowFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF64())
      return failure();
    FloatCode c(rewriter, op.getLoc());
    rewriter.replaceOp(op, powF64(c, op.getLhs(), op.getRhs()));
    return success();
  }
};
} // namespace

// Below 1 the Taylor polynomial; above 1 - erfc(x), where erfc(x) exp(x^2) is a polynomial in 1/(x
// + 2) on [1, 6.1], fitted at Chebyshev nodes: 1e-17 absolute. From 6 on the nearest double is 1.
static Value erfF64(FloatCode &c, Value x) {
  Value magnitude = c.abs(x), square = c.mul(x, x);
  SmallVector<double> near;
  double factorial = 1;
  for (int n = 0; n < 22; factorial *= ++n)
    near.push_back((n % 2 ? -M_2_SQRTPI : M_2_SQRTPI) / (factorial * (2 * n + 1)));
  Value small = c.mul(magnitude, c.fusedPolynomial(square, near));
  static constexpr double far[] = {
      0.223456721145890499,     0.169658819294365898,     0.042075179138007579,
      0.00632948536346845222,   0.000226223830333623881,  -0.0000997938646365217513,
      -9.16040184618501726e-6,  2.6570767415072299e-6,    2.15876525002925569e-7,
      -1.01304770791278093e-7,  -3.57400596084631815e-10, 4.05215510337056086e-9,
      -4.46663045401283708e-10, -1.2058999281209517e-10,  3.22003347200108459e-11,
      5.67572483148672582e-13};
  Value t = c.div(c.real(1.0, x), c.add(magnitude, 2.0));
  t = c.mul(c.add(t, -0.23046713517982637453), 9.2152380952380952381);
  Value scale = expF64(c, c.neg(square));
  Value large = c.sub(c.real(1.0, x), c.mul(c.fusedPolynomial(t, far), scale));
  large = c.select(c.compare(P::OGT, magnitude, 6.0), c.real(1.0, x), large);
  Value value = c.select(c.compare(P::OLT, magnitude, 1.0), small, large);
  return c.withSign(c.select(c.isNaN(x), x, value), x);
}

void ampc::target::addF64Exponentials(RewritePatternSet &patterns) {
  patterns.add<ExpandF64<math::ExpOp, expF64>, ExpandF64<math::ExpM1Op, expm1F64>,
               ExpandF64<math::TanhOp, tanhF64>, ExpandF64<math::LogOp, logF64>,
               ExpandF64<math::Log2Op, log2F64>, ExpandF64<math::Log1pOp, log1pF64>,
               ExpandF64<math::ErfOp, erfF64>, ExpandPowF64>(patterns.getContext());
}
