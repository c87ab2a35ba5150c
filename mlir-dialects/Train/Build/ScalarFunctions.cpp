// Functions in scalar code, built of arithmetic, exponentials and logarithms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Build/ScalarBuilder.h"
#include "mlir-dialects/Train/Train.h"
#include <cmath>

using namespace mlir;
using namespace ampc;
using train::ComparePredicate;

Value ScalarBuilder::polynomial(Value a, ArrayRef<double> c) {
  Value sum = real(c.back());
  for (double coefficient : llvm::reverse(c.drop_back()))
    sum = add(mul(sum, a), real(coefficient));
  return sum;
}

static bool isDouble(Value v) { return v.getType().isF64(); }
static Value less(ScalarBuilder &b, Value x, double bound) { return b.greater(b.real(bound), x); }
static Value more(ScalarBuilder &b, Value x, double bound) { return b.greater(x, b.real(bound)); }

// ---- Whole numbers ----

Value ScalarBuilder::ceil(Value a) { return math::CeilOp::create(builder, loc, a); }
Value ScalarBuilder::roundEven(Value a) { return math::RoundEvenOp::create(builder, loc, a); }
Value ScalarBuilder::withSign(Value magnitude, Value sign) {
  return math::CopySignOp::create(builder, loc, magnitude, sign);
}

/// Constant in the type of `like`.
static Value number(ScalarBuilder &b, int64_t value, Value like) {
  return isa<FloatType>(like.getType()) ? b.real(double(value)) : b.integer(value, like.getType());
}

// Values neither above nor below 0 are 0 or NaN, and are kept.
Value ScalarBuilder::sign(Value a) {
  Value zero = number(*this, 0, a), below = select(greater(zero, a), number(*this, -1, a), a);
  return select(greater(a, zero), number(*this, 1, a), below);
}

/// Remainder of magnitudes. The quotient may have been rounded up to the next integer, which the
/// last step corrects.
static Value remainder(ScalarBuilder &b, Value x, Value y) {
  Value quotient = b.floor(b.div(x, y));
  Value rest = math::FmaOp::create(b.builder, b.loc, b.neg(quotient), y, x);
  Value zero = arith::ConstantOp::create(b.builder, b.loc, b.builder.getFloatAttr(x.getType(), 0));
  rest = b.select(b.greater(zero, rest), b.add(rest, y), rest);
  rest = b.select(b.compare(ComparePredicate::ge, rest, y), b.sub(rest, y), rest);
  return b.select(b.greater(y, x), x, rest); // where y is infinite too
}

// f32 is computed in f64, which holds the product of a quotient below 2^29 and a divisor exactly.
Value ScalarBuilder::fmod(Value a, Value b) {
  if (!isa<FloatType>(a.getType()))
    return sub(a, mul(b, div(a, b)));
  Type wide = builder.getF64Type();
  Value rest = remainder(*this, castTo(abs(a), wide), castTo(abs(b), wide));
  return withSign(castTo(rest, a.getType()), a);
}

Value ScalarBuilder::mod(Value a, Value b) {
  Value rest = fmod(a, b), zero = number(*this, 0, rest);
  Value differs = compare(ComparePredicate::ne, greater(zero, rest), greater(zero, b));
  Value moved = select(differs, add(rest, b), rest);
  Value none = isa<FloatType>(a.getType()) ? withSign(rest, b) : rest;
  return select(equal(rest, zero), none, moved);
}

// ---- Exponentials ----

/// 1/first!, 1/(first + step)!, ...
static SmallVector<double> reciprocalFactorials(unsigned first, unsigned step, unsigned count) {
  SmallVector<double> k;
  for (unsigned i = 0; i < count; ++i)
    k.push_back(1 / std::tgamma(first + i * step + 1.0));
  return k;
}

// A separate polynomial near 0, where exp(a) - 1 would cancel.
Value ScalarBuilder::expm1(Value a) {
  auto k = reciprocalFactorials(2, 1, isDouble(a) ? 14 : 8);
  Value near = add(mul(mul(a, a), polynomial(a, k)), a), far = sub(exp(a), real(1.0));
  return withSign(select(less(*this, abs(a), 0.5), near, far), a);
}

// The exponential of a half does not overflow before the result does.
Value ScalarBuilder::sinh(Value a) {
  Value size = abs(a), square = mul(a, a), w = exp(mul(size, real(0.5))), v = div(real(1.0), w);
  auto k = reciprocalFactorials(3, 2, isDouble(a) ? 9 : 5);
  Value near = add(mul(mul(size, square), polynomial(square, k)), size);
  Value far = mul(mul(real(0.5), sub(w, v)), add(w, v));
  return withSign(select(less(*this, size, 1.0), near, far), a);
}
Value ScalarBuilder::cosh(Value a) {
  Value half = real(0.5), w = exp(mul(abs(a), half)), v = div(real(1.0), w);
  return add(mul(mul(half, w), w), mul(mul(half, v), v));
}

// log(x + sqrt(x^2 + 1)) by log1p, without the sum's 1; log(2 x) from 1e17 on.
static constexpr double huge = 1e17;
Value ScalarBuilder::asinh(Value a) {
  Value size = abs(a), one = real(1.0), isHuge = more(*this, size, huge);
  Value x = select(isHuge, one, size), square = mul(x, x);
  Value above = add(x, div(square, add(one, sqrt(add(one, square)))));
  Value y = add(log1p(select(isHuge, size, above)), select(isHuge, real(M_LN2), real(0.0)));
  return withSign(y, a);
}
// log(x + sqrt(x^2 - 1)) by log1p with t = x - 1. The two roots are NaN below 1.
Value ScalarBuilder::acosh(Value a) {
  Value one = real(1.0), isHuge = more(*this, a, huge), t = select(isHuge, one, sub(a, one));
  Value above = add(t, mul(sqrt(t), sqrt(add(t, real(2.0)))));
  return add(log1p(select(isHuge, a, above)), select(isHuge, real(M_LN2), real(0.0)));
}
Value ScalarBuilder::atanh(Value a) {
  Value size = abs(a), ratio = div(add(size, size), sub(real(1.0), size));
  return withSign(mul(real(0.5), log1p(ratio)), a);
}

// ---- Angles ----
// Polynomials are interpolations at Chebyshev's nodes, with errors below half a unit in the last
// place.

namespace {
/// pi/2 in two parts.
struct RightAngle {
  Value upper, lower;
  RightAngle(ScalarBuilder &b, bool isDouble)
      : upper(b.real(M_PI_2)),
        lower(b.real(isDouble ? 6.123233995736766e-17 : M_PI_2 - double(float(M_PI_2)))) {}
  Value minus(ScalarBuilder &b, Value x) const { return b.sub(upper, b.sub(x, lower)); }
};
} // namespace

/// asin(|x|) for |x| <= 1/2, else asin(sqrt((1 - |x|) / 2)), which is half of pi/2 - asin(|x|).
static Value halfArcsine(ScalarBuilder &b, Value size, Value isLarge) {
  static constexpr double single[] = {0.1666666634,  0.07500094543, 0.04459940153,
                                      0.03110066274, 0.01714923836, 0.0336908472};
  static constexpr double full[] = {
      0.1666666666666666783,   0.07499999999998432933, 0.04464285714635542978,
      0.03038194413853124724,  0.02237217294214988934, 0.01735239272086994389,
      0.01397121297355331043,  0.01147917741518161673, 0.01032281435020519945,
      0.005457506718563782028, 0.01740087944288715169, -0.01485188707152891292,
      0.02875785136760232752};
  Value rest = b.mul(b.real(0.5), b.sub(b.real(1.0), size));
  Value square = b.select(isLarge, rest, b.mul(size, size));
  Value x = b.select(isLarge, b.sqrt(rest), size);
  auto k = isDouble(size) ? ArrayRef(full) : ArrayRef(single);
  return b.add(x, b.mul(b.mul(x, square), b.polynomial(square, k)));
}
Value ScalarBuilder::asin(Value a) {
  Value size = abs(a), isLarge = more(*this, size, 0.5), half = halfArcsine(*this, size, isLarge);
  Value large = RightAngle(*this, isDouble(a)).minus(*this, add(half, half));
  return withSign(select(isLarge, large, half), a);
}
Value ScalarBuilder::acos(Value a) {
  Value size = abs(a), isLarge = more(*this, size, 0.5), half = halfArcsine(*this, size, isLarge);
  RightAngle right(*this, isDouble(a));
  Value obtuse = right.minus(*this, half);
  Value large = select(greater(a, real(0.0)), add(half, half), add(obtuse, obtuse));
  return select(isLarge, large, right.minus(*this, withSign(half, a)));
}

// Range reduction: angles above 3 pi/8 as pi/2 minus the rest, angles above pi/8 after subtraction
// of pi/4.
Value ScalarBuilder::atan(Value a) {
  static constexpr double single[] = {-0.3333333176, 0.1999954048, -0.142639556, 0.1074373149,
                                      -0.06451928208};
  static constexpr double full[] = {
      -0.3333333333333333016,  0.1999999999999552068,   -0.1428571428466654292,
      0.1111111101525636171,   -0.09090904578123901478, 0.07692183190826078722,
      -0.06664511447381854475, 0.05858148912801505313,  -0.05085449737937004705,
      0.0392316582955030025,   -0.01917688711896892376};
  Value size = abs(a), one = real(1.0), zero = real(0.0);
  Value isSteep = more(*this, size, 2.414213562373095),
        isLarge = more(*this, size, 0.4142135623730950);
  Value above = select(isSteep, real(-1.0), select(isLarge, sub(size, one), size));
  Value below = select(isSteep, size, select(isLarge, add(size, one), one));
  Value x = div(above, below), square = mul(x, x);
  auto k = isDouble(a) ? ArrayRef(full) : ArrayRef(single);
  RightAngle right(*this, isDouble(a));
  Value half = real(0.5), share = select(isSteep, one, select(isLarge, half, zero));
  Value rest = add(mul(mul(x, square), polynomial(square, k)), mul(share, right.lower));
  return withSign(add(mul(share, right.upper), add(x, rest)), a);
}

// ---- Inverse of the error function ----

namespace {
/// A polynomial in (v - middle) / half.
struct Piece {
  double middle, half;
  ArrayRef<double> k;
  Value at(ScalarBuilder &b, Value v) const {
    return b.polynomial(b.mul(b.sub(v, b.real(middle)), b.real(1 / half)), k);
  }
};
} // namespace

// x times a polynomial in w = -log(1 - x^2), which is smooth near 0, and a polynomial in sqrt(w)
// for larger w (after Giles, "Approximating the erfinv function", 2012). Coefficients interpolate
// values with 60 digits at Chebyshev nodes.
static Value inverseErrorSingle(ScalarBuilder &b, Value w) {
  static constexpr double near[] = {
      1.50140936,       0.6166006976,     -0.02610870547,  -0.01957384987, 0.0085292729,
      -0.0004855878603, -0.0008456995282, 0.0002857246997, 3.56078601e-5,  -3.407259358e-5};
  static constexpr double far[] = {
      2.951328559,     0.8851584801,   0.005570313088,  -0.003709918448, 0.0023415075,
      -0.001374705676, 0.000624778009, -0.000130063894, -6.686403853e-5, 4.173202754e-5};
  Value root = b.sqrt(w);
  return b.select(less(b, w, 5), Piece{2.5, 2.5, near}.at(b, w),
                  Piece{3.11803398875, 0.88196601125, far}.at(b, root));
}
static Value inverseErrorFull(ScalarBuilder &b, Value w) {
  static constexpr double near[] = {
      1.653654562683102746,      0.7504943200799635134,     -0.05892256710378759652,
      -0.02260444745344473227,   0.01780836181875690242,    -0.004137314377547894925,
      -0.001271692276988511447,  0.001232485570299421454,   -0.0002643935864664605687,
      -0.0001168888508125076008, 0.00009336692787624058353, -0.00001502766577311719381,
      -0.0000112556539839694204, 7.129939743146950264e-6,   -6.876551807254939857e-7,
      -1.059118809818753117e-6,  5.456420572209781581e-7,   -1.041269284115963582e-8,
      -1.051499071337143651e-7,  3.931511157646558331e-8,   9.072075947892909342e-9,
      -8.627191009014393973e-9,  -8.577966939639941468e-11, 7.801712199036252148e-10};
  static constexpr double middle[] = {
      3.083885610492220629,      0.7539442257706239721,      0.003021139436384069794,
      -0.001582541089403439837,  0.0007883078509981352858,   -0.0004006356984211824717,
      0.0001696650259201801636,  -0.00004739182677882864682, 2.405839191833832507e-6,
      5.12731447034876683e-6,    -2.664698308285255765e-6,   5.264680305425013041e-7,
      9.267642775523117908e-8,   -9.469845937538110248e-8,   2.670399171848145594e-8,
      -3.608698314696507457e-10, -2.719582353788284835e-9,   9.850471331247130854e-10,
      3.929056598182975905e-12,  -6.385846404875191235e-11};
  static constexpr double far[] = {
      4.875163823000272604,     1.035550458689395626,      -0.0001623894791012419164,
      -0.000223511020673820441, 0.00008121518667561238252, -0.00002151451840406113989,
      5.051860145311057193e-6,  -1.127688895514170126e-6,  2.614545264492218775e-7,
      -7.593359114774680142e-8, 3.232294208007171846e-8,   -1.714608315282814907e-8,
      8.836079488091877786e-9,  -4.191217649765960863e-9,  1.897611980034313995e-9,
      -5.88368122698143358e-10, -1.392140402422061269e-11, 5.151478338203283531e-11};
  Value root = b.sqrt(w);
  Value large = b.select(less(b, root, 4), Piece{3.25, 0.75, middle}.at(b, root),
                         Piece{5.025, 1.025, far}.at(b, root));
  return b.select(less(b, w, 6.25), Piece{3.125, 3.125, near}.at(b, w), large);
}
Value ScalarBuilder::erfinv(Value a) {
  Value one = real(1.0), w = neg(log(mul(sub(one, a), add(one, a))));
  Value y = mul(a, isDouble(a) ? inverseErrorFull(*this, w) : inverseErrorSingle(*this, w));
  return select(equal(abs(a), one), mul(a, real(INFINITY)), y);
}
