// exp and tanh of f32, computed in f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Common/Math/MathPatterns.h"
#include <cmath>

using namespace mlir;
using namespace ampc::target;
using P = arith::CmpFPredicate;

// exp(x) = 2^n exp(r) with |r| <= ln(2)/2. The polynomial is minimax, 3e-9 relative; the result is
// within 1.2 ulp. 2^n is the product of two factors with half the exponent each, which are normal
// even if the result is denormal or near overflow.
static Value expF32(FloatCode &c, Value x) {
  // Comparisons keep NaN. Outside of these bounds the result is infinity or 0.
  Value bounded = c.select(c.compare(P::OGT, x, 89.0), c.real(89.0, x), x);
  bounded = c.select(c.compare(P::OLT, x, -104.0), c.real(-104.0, x), bounded);
  // The sum rounds to an integer, whose lowest bits are n + 254, the sum of the factors' exponents.
  constexpr double shift = 0x1.8p23 + 254;
  Value shifted = c.fma(bounded, c.real(M_LOG2E, x), c.real(shift, x)), n = c.add(shifted, -shift);
  // The upper part of ln(2) has few bits, so the product with n is exact.
  constexpr double upper = 0x1.62e4p-1;
  Value r = c.fma(n, c.real(-upper, x), bounded);
  r = c.fma(n, c.real(upper - M_LN2, x), r);
  static constexpr double k[] = {1,
                                 1,
                                 0.49999993372854457,
                                 0.16666519521798961,
                                 0.041668401130075507,
                                 0.0083688512789010048,
                                 0.0013814318366390662};
  Value bits = c.bits(shifted), half = c.right(bits, 1), rest = c.subBits(bits, half);
  auto power = [&](Value exponent) { return c.floatOf(c.left(exponent, 23), c.b.getF32Type()); };
  // Underflowing products are slow on some processors, and masked softmaxes have many: such results
  // come from a factor of 0.
  Value last = c.select(c.compare(P::OLT, x, -103.97208), c.real(0.0, x), power(rest));
  return c.mul(c.mul(c.fusedPolynomial(r, k), power(half)), last);
}

// x / y in f32 for y in [1, 2^60], without division, which takes as long as seven or more such
// steps. The difference of bit patterns approximates 1 / y within 5.1 % (subtracted exponents,
// nearly subtracted mantissas); two Halley iterations each cube the error.
static Value quotientF32(FloatCode &c, Value x, Value y) {
  Value one = c.real(1.0, y), bits = c.bits(y), minus = c.neg(y);
  Value inverse = c.floatOf(c.subBits(c.integer(0x7ef31000, bits), bits), c.b.getF32Type());
  auto improve = [&](Value value) {
    Value error = c.fma(minus, inverse, one);
    return c.fma(value, c.fma(error, error, error), value);
  };
  inverse = improve(inverse);
  return improve(c.mul(x, inverse));
}

// Quotient of polynomials, minimax on [0, 9.02] with f32 coefficients, 3e-8 relative. Positive
// coefficients avoid cancellation; leading coefficients of 1 preserve small numbers, except for 1
// in 6500 that the quotient moves by an ulp. From 9.011 on the nearest float is 1.
static Value tanhF32(FloatCode &c, Value x) {
  Value magnitude = c.abs(x), square = c.mul(x, x), one = c.real(1.0, x);
  static constexpr double above[] = {1, 0.133826882, 0.0034974583, 2.06358418e-05, 1.33843301e-08};
  static constexpr double below[] = {1, 0.467160106, 0.0258843619, 0.000328851922, 7.79025868e-07};
  Value quotient = quotientF32(c, c.mul(magnitude, c.fusedPolynomial(square, above)),
                               c.fusedPolynomial(square, below));
  quotient = c.select(c.compare(P::OGT, quotient, 1.0), one, quotient);
  return c.withSign(c.select(c.compare(P::OGT, magnitude, 9.0109), one, quotient), x);
}

void ampc::target::addExponentialPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandF32<math::ExpOp, expF32>, ExpandF32<math::TanhOp, tanhF32>>(
      patterns.getContext());
}
