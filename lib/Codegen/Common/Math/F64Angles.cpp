// sin and cos of f64, without a library.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Common/Math/MathPatterns.h"
#include <cmath>

using namespace mlir;
using namespace ampc::target;
using P = arith::CmpFPredicate;

// 2/pi in pieces of 24 bits, for exact products with half a double, up to the largest double. Payne
// and Hanek, "Radian reduction for trigonometric functions" (1983): whole turns of every product
// are dropped before the sum.
static constexpr double twoOverPi[] = {
    0xa2f983p-24,   0x6e4e44p-48,   0x1529fcp-72,   0x2757d1p-96,  0xf534ddp-120, 0xc0db62p-144,
    0x95993cp-168,  0x439041p-192,  0xfe5163p-216,  0xabdebbp-240, 0xc561b7p-264, 0x246e3ap-288,
    0x424dd2p-312,  0xe00649p-336,  0x2eea09p-360,  0xd1921cp-384, 0xfe1debp-408, 0x1cb129p-432,
    0xa73ee8p-456,  0x8235f5p-480,  0x2ebb44p-504,  0x84e99cp-528, 0x7026b4p-552, 0x5f7e41p-576,
    0x3991d6p-600,  0x398353p-624,  0x39f49cp-648,  0x845f8bp-672, 0xbdf928p-696, 0x3b1ff8p-720,
    0x97ffdep-744,  0x05980fp-768,  0xef2f11p-792,  0x8b5a0ap-816, 0x6d1f6dp-840, 0x367ecfp-864,
    0x27cb09p-888,  0xb74f46p-912,  0x3f669ep-936,  0x5fea2dp-960, 0x7527bap-984, 0xc7ebe5p-1008,
    0xf17b3dp-1032, 0x0739f7p-1056, 0x8a5292p-1080,
};

namespace {
/// Number as an unevaluated sum upper + lower.
struct Pair {
  Value upper, lower;
};
} // namespace

/// Sum with the rounding error (Knuth).
static Pair exactSum(FloatCode &c, Value x, Value y) {
  Value sum = c.add(x, y), shared = c.sub(sum, x);
  return {sum, c.add(c.sub(x, c.sub(sum, shared)), c.sub(y, shared))};
}

/// Quarter turns of a magnitude, modulo 4. Example: pi -> 2.
static Pair quarterTurns(FloatCode &c, Value magnitude) {
  // Upper 26 bits of the mantissa, and the rest.
  Value upper =
      c.floatOf(c.andBits(c.bits(magnitude), ~((int64_t(1) << 27) - 1)), c.b.getF64Type());
  Value halves[] = {upper, c.sub(magnitude, upper)};
  Pair turns = {c.real(0.0, magnitude), c.real(0.0, magnitude)};
  for (double piece : twoOverPi)
    for (Value half : halves) {
      Value product = c.mul(half, piece);
      Value whole = math::FloorOp::create(c.b, c.loc, c.mul(product, 0.25));
      Pair sum = exactSum(c, turns.upper, c.sub(product, c.mul(whole, 4.0)));
      turns = {sum.upper, c.add(turns.lower, sum.lower)};
    }
  return turns;
}

// Taylor polynomials, accurate on |angle| <= pi/4.
static Value sine(FloatCode &c, Value r) {
  SmallVector<double> k;
  double term = -1 / 6.0;
  for (int n = 3; n < 19; term /= -double((n + 1) * (n + 2)), n += 2)
    k.push_back(term);
  Value square = c.mul(r, r);
  return c.fma(c.mul(r, square), c.fusedPolynomial(square, k), r);
}
static Value cosine(FloatCode &c, Value r) {
  SmallVector<double> k{1};
  double term = -0.5;
  for (int n = 2; n < 20; term /= -double((n + 1) * (n + 2)), n += 2)
    k.push_back(term);
  return c.fusedPolynomial(c.mul(r, r), k);
}

/// sin(magnitude + shift * pi/2).
static Value sineOfTurns(FloatCode &c, Value magnitude, double shift) {
  Pair turns = quarterTurns(c, magnitude);
  Value quarter = math::RoundEvenOp::create(c.b, c.loc, turns.upper);
  Value fraction = c.add(c.sub(turns.upper, quarter), turns.lower);
  // Product with pi/2 in two parts.
  Value angle = c.mul(fraction, M_PI_2);
  Value rounding = c.fma(fraction, c.real(M_PI_2, angle), c.neg(angle));
  angle = c.add(angle, c.fma(fraction, c.real(0x1.1a62633145c07p-54, angle), rounding));
  // The lowest bits of quarter + 2^52 are the integer's.
  Value bits = c.bits(c.add(c.add(quarter, shift), 0x1p52));
  Value isOdd = c.above(c.andBits(bits, 1), 0), isNegative = c.above(c.andBits(bits, 2), 0);
  Value value = c.select(isOdd, cosine(c, angle), sine(c, angle));
  return c.select(isNegative, c.neg(value), value);
}
static Value sinF64(FloatCode &c, Value x) {
  Value value = sineOfTurns(c, c.abs(x), 0);
  Value isNegative = c.compare(P::OLT, x, 0.0);
  // Below 2^-27 the sine equals the angle, and products would be denormal.
  Value isTiny = c.compare(P::OLT, c.abs(x), 0x1p-27);
  return c.select(isTiny, x, c.select(isNegative, c.neg(value), value));
}
static Value cosF64(FloatCode &c, Value x) { return sineOfTurns(c, c.abs(x), 1); }

void ampc::target::addF64Angles(RewritePatternSet &patterns) {
  patterns.add<ExpandF64<math::SinOp, sinF64>, ExpandF64<math::CosOp, cosF64>>(
      patterns.getContext());
}
