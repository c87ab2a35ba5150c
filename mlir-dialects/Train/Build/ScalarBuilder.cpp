// The builder that op entries write their scalar code with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Train.h"
#include <cmath>

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

static bool isReal(Value v) { return isa<FloatType>(v.getType()); }
/// i1 has no sign: signed code takes true for -1.
static bool isTruth(Value v) { return v.getType().isInteger(1); }

template <typename FloatOp, typename IntOp>
static Value arithmetic(ScalarBuilder &b, Value x, Value y) {
  return isReal(x) ? FloatOp::create(b.builder, b.loc, x, y).getResult()
                   : IntOp::create(b.builder, b.loc, x, y).getResult();
}
Value ScalarBuilder::add(Value a, Value b) {
  return arithmetic<arith::AddFOp, arith::AddIOp>(*this, a, b);
}
Value ScalarBuilder::sub(Value a, Value b) {
  return arithmetic<arith::SubFOp, arith::SubIOp>(*this, a, b);
}
Value ScalarBuilder::mul(Value a, Value b) {
  return arithmetic<arith::MulFOp, arith::MulIOp>(*this, a, b);
}
// Processors trap on both, and the unused lanes of a vector divide 0 by 0. A constant divisor folds
// the checks away.
static Value divideIntegers(ScalarBuilder &b, Value x, Value y) {
  using I = arith::CmpIPredicate;
  OpBuilder &builder = b.builder;
  unsigned bits = y.getType().getIntOrFloatBitWidth();
  auto is = [&](Value v, const APInt &number) {
    Value constant =
        arith::ConstantOp::create(builder, b.loc, builder.getIntegerAttr(v.getType(), number));
    return builder.createOrFold<arith::CmpIOp>(b.loc, I::eq, v, constant);
  };
  auto either = [&](Value condition, int64_t number, Value other) {
    return builder.createOrFold<arith::SelectOp>(b.loc, condition, b.integer(number, y.getType()),
                                                 other);
  };
  Value isZero = is(y, APInt::getZero(bits));
  Value overflows = builder.createOrFold<arith::AndIOp>(
      b.loc, is(x, APInt::getSignedMinValue(bits)), is(y, APInt::getAllOnes(bits)));
  Value divisor = either(isZero, 1, either(overflows, 1, y));
  return either(isZero, 0, arith::DivSIOp::create(builder, b.loc, x, divisor));
}
// x / 1 is x, and x / 0 is 0.
Value ScalarBuilder::div(Value a, Value b) {
  if (isTruth(a))
    return arith::AndIOp::create(builder, loc, a, b);
  return isReal(a) ? arith::DivFOp::create(builder, loc, a, b).getResult()
                   : divideIntegers(*this, a, b);
}
Value ScalarBuilder::max(Value a, Value b) {
  if (isTruth(a))
    return arith::OrIOp::create(builder, loc, a, b);
  return arithmetic<arith::MaximumFOp, arith::MaxSIOp>(*this, a, b);
}
Value ScalarBuilder::min(Value a, Value b) {
  if (isTruth(a))
    return arith::AndIOp::create(builder, loc, a, b);
  return arithmetic<arith::MinimumFOp, arith::MinSIOp>(*this, a, b);
}
Value ScalarBuilder::neg(Value a) {
  return isReal(a) ? arith::NegFOp::create(builder, loc, a).getResult()
                   : sub(integer(0, a.getType()), a);
}
Value ScalarBuilder::exp(Value a) { return math::ExpOp::create(builder, loc, a); }
Value ScalarBuilder::log(Value a) { return math::LogOp::create(builder, loc, a); }
Value ScalarBuilder::log1p(Value a) { return math::Log1pOp::create(builder, loc, a); }
Value ScalarBuilder::sin(Value a) { return math::SinOp::create(builder, loc, a); }
Value ScalarBuilder::cos(Value a) { return math::CosOp::create(builder, loc, a); }
Value ScalarBuilder::erf(Value a) { return math::ErfOp::create(builder, loc, a); }
Value ScalarBuilder::tanh(Value a) { return math::TanhOp::create(builder, loc, a); }
Value ScalarBuilder::sqrt(Value a) { return math::SqrtOp::create(builder, loc, a); }
Value ScalarBuilder::rsqrt(Value a) { return div(real(1.0), sqrt(a)); }
Value ScalarBuilder::pow(Value a, Value b) { return math::PowFOp::create(builder, loc, a, b); }
Value ScalarBuilder::abs(Value a) {
  if (isTruth(a))
    return a;
  return isReal(a) ? math::AbsFOp::create(builder, loc, a).getResult()
                   : math::AbsIOp::create(builder, loc, a).getResult();
}
Value ScalarBuilder::floor(Value a) { return math::FloorOp::create(builder, loc, a); }
Value ScalarBuilder::sigmoid(Value a) { return div(real(1.0), add(real(1.0), exp(neg(a)))); }
Value ScalarBuilder::softplus(Value a) { return add(max(a, real(0.0)), log1p(exp(neg(abs(a))))); }
Value ScalarBuilder::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(builder, loc, condition, a, b);
}
Value ScalarBuilder::compare(ComparePredicate predicate, Value a, Value b) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  static const F reals[] = {F::OEQ, F::UNE, F::OLT, F::OLE, F::OGT, F::OGE};
  static const I integers[] = {I::eq, I::ne, I::slt, I::sle, I::sgt, I::sge};
  static const I truths[] = {I::eq, I::ne, I::ult, I::ule, I::ugt, I::uge};
  auto index = static_cast<uint32_t>(predicate);
  if (isReal(a))
    return arith::CmpFOp::create(builder, loc, reals[index], a, b);
  return arith::CmpIOp::create(builder, loc, (isTruth(a) ? truths : integers)[index], a, b);
}
Value ScalarBuilder::greater(Value a, Value b) { return compare(ComparePredicate::gt, a, b); }
Value ScalarBuilder::equal(Value a, Value b) { return compare(ComparePredicate::eq, a, b); }
Value ScalarBuilder::real(double value) {
  return arith::ConstantOp::create(builder, loc, builder.getFloatAttr(compute, value));
}
Value ScalarBuilder::integer(int64_t value, Type type) {
  return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
}
// Saturating conversion to integers: processors, and vector and tail loops, differ for numbers out
// of range. Both bounds are powers of two, which every type of 32 bits holds exactly.
static Value toInteger(ScalarBuilder &b, Value x, Type type) {
  OpBuilder &builder = b.builder;
  if (x.getType().getIntOrFloatBitWidth() < 32)
    x = b.castTo(x, builder.getF32Type());
  unsigned bits = type.getIntOrFloatBitWidth();
  auto real = [&](double value) -> Value {
    return arith::ConstantOp::create(builder, b.loc, builder.getFloatAttr(x.getType(), value));
  };
  auto whole = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(builder, b.loc, builder.getIntegerAttr(type, value));
  };
  double end = std::ldexp(1.0, bits - 1);
  Value isBelow = b.compare(ComparePredicate::lt, x, real(-end)),
        isAbove = b.compare(ComparePredicate::ge, x, real(end)),
        isNumber = b.compare(ComparePredicate::eq, x, x);
  Value outside = arith::OrIOp::create(builder, b.loc, isBelow, isAbove);
  Value fits = b.select(outside, real(0.0), b.select(isNumber, x, real(0.0)));
  Value result = arith::FPToSIOp::create(builder, b.loc, type, fits);
  result = b.select(isBelow, whole(APInt::getSignedMinValue(bits)), result);
  return b.select(isAbove, whole(APInt::getSignedMaxValue(bits)), result);
}

/// i1 is 0 or 1.
Value ScalarBuilder::castTo(Value a, Type type, bool isUnsigned) {
  Type from = a.getType();
  isUnsigned |= from.isInteger(1);
  if (from == type)
    return a;
  if (isa<FloatType>(from) && isa<FloatType>(type)) {
    // 16-bit formats differ in range and precision: f16 to bf16 goes through f32.
    if (from.getIntOrFloatBitWidth() == type.getIntOrFloatBitWidth())
      return castTo(castTo(a, builder.getF32Type()), type);
    if (from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
      return arith::ExtFOp::create(builder, loc, type, a);
    return arith::TruncFOp::create(builder, loc, type, a);
  }
  if (type.isInteger(1)) {
    TypedAttr zero = builder.getZeroAttr(from);
    return compare(ComparePredicate::ne, a, arith::ConstantOp::create(builder, loc, zero));
  }
  if (isa<FloatType>(from))
    return toInteger(*this, a, type);
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 16) // as processors and PyTorch do
    return castTo(castTo(a, builder.getF32Type(), isUnsigned), type);
  if (isa<FloatType>(type))
    return isUnsigned ? arith::UIToFPOp::create(builder, loc, type, a).getResult()
                      : arith::SIToFPOp::create(builder, loc, type, a).getResult();
  if (from.getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(builder, loc, type, a);
  return isUnsigned ? arith::ExtUIOp::create(builder, loc, type, a).getResult()
                    : arith::ExtSIOp::create(builder, loc, type, a).getResult();
}
