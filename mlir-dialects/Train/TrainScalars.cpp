// Scalar code longer than an entry holds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Train.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

static double number(const APFloat &x) { return x.convertToDouble(); }

// The number of the row times what one step is worth: (linear / inner) mod size.
SmallVector<Value> IotaOp::buildScalars(ScalarBuilder &b, ValueRange) {
  ArrayRef<int64_t> shape = getType().getShape();
  int64_t inner = 1, size = shape[getDim()];
  bool isLast = getDim() + 1 == int64_t(shape.size());
  for (int64_t extent : shape.drop_front(getDim() + 1))
    inner *= extent;
  Type i32 = b.builder.getI32Type();
  Value position = isLast ? b.rowIndex() : b.linearIndex();
  if (inner != 1)
    position = b.div(position, b.integer(inner, i32));
  if (getDim() != 0 && !isLast)
    position = b.sub(position, b.mul(b.div(position, b.integer(size, i32)), b.integer(size, i32)));
  Type element = getType().getElementType();
  return {b.castTo(position, isa<FloatType>(element) ? b.compute : element)};
}

// ---- Cross entropy ----

// log(sum(exp)) sum(t) - sum(t x) with the smoothed target; for a class the sum of targets is 1.
SmallVector<Value> SoftmaxCrossEntropyOp::buildScalars(ScalarBuilder &b, ValueRange x) {
  double smoothing = number(getSmoothing()), classes = getLogits().getType().getShape().back();
  Value zero = b.real(0.0), m = b.rowMax(x[0]), shifted = b.sub(x[0], m);
  Value logSum = b.log(b.rowSum(b.exp(shifted)));
  Value hit =
      isSparse() ? b.select(b.equal(b.rowIndex(), x[1]), shifted, zero) : b.mul(x[1], shifted);
  Value total = isSparse() ? b.real(1.0) : b.rowSum(x[1]);
  Value picked = b.rowSum(hit);
  if (smoothing != 0.0) {
    picked = b.add(b.mul(b.real(1 - smoothing), picked),
                   b.mul(b.real(smoothing / classes), b.rowSum(shifted)));
    total = b.add(b.mul(b.real(1 - smoothing), total), b.real(smoothing));
  }
  Value loss = b.sub(b.mul(logSum, total), picked);
  if (auto ignore = getIgnore(); ignore && isSparse())
    loss = b.select(b.equal(x[1], b.integer(*ignore, x[1].getType())), zero, loss);
  return {loss};
}

// ---- Normalisation, x = {x, gamma, g} ----

// With n the normalised row and h = g gamma: dx = scale (h - mean(h) - n mean(h n)).
SmallVector<Value> LayerNormGradOp::buildScalars(ScalarBuilder &b, ValueRange x) {
  Value n = b.real(double(getX().getType().getShape().back()));
  Value mean = b.div(b.rowSum(x[0]), n), centred = b.sub(x[0], mean);
  Value variance = b.div(b.rowSum(b.mul(centred, centred)), n);
  Value scale = b.rsqrt(b.add(variance, b.real(number(getEps()))));
  Value normal = b.mul(centred, scale), h = b.mul(x[2], x[1]);
  Value inner =
      b.sub(b.sub(h, b.div(b.rowSum(h), n)), b.mul(normal, b.div(b.rowSum(b.mul(h, normal)), n)));
  return {b.mul(scale, inner), mean, scale};
}
SmallVector<Value> RmsNormGradOp::buildScalars(ScalarBuilder &b, ValueRange x) {
  Value n = b.real(double(getX().getType().getShape().back()));
  Value scale = b.rsqrt(b.add(b.div(b.rowSum(b.mul(x[0], x[0])), n), b.real(number(getEps()))));
  Value normal = b.mul(x[0], scale), h = b.mul(x[2], x[1]);
  return {b.mul(scale, b.sub(h, b.mul(normal, b.div(b.rowSum(b.mul(h, normal)), n)))), scale};
}

// ---- Random numbers ----

namespace {
/// Philox4x32-10 on scalars of i32; products are formed in i64.
struct Philox {
  ScalarBuilder &b;
  Type i32 = b.builder.getI32Type(), i64 = b.builder.getI64Type();

  Value wide(Value v) { return arith::ExtUIOp::create(b.builder, b.loc, i64, v); }
  Value low(Value v) { return arith::TruncIOp::create(b.builder, b.loc, i32, v); }
  Value high(Value v) {
    return low(arith::ShRUIOp::create(b.builder, b.loc, v, b.integer(32, i64)));
  }
  Value exclusive(Value x, Value y) { return arith::XOrIOp::create(b.builder, b.loc, x, y); }
  Value times(Value v, uint32_t factor) { return b.mul(wide(v), b.integer(factor, i64)); }
  Value word(uint32_t value) { return b.integer(int32_t(value), i32); }

  /// Counter {element, key, counter low, counter high}, key {seed low, seed high}.
  SmallVector<Value, 4> draw(Value seed, Value counter, int32_t key) {
    Value c0 = b.linearIndex(), c1 = word(key), c2 = low(counter), c3 = high(counter);
    Value k0 = low(seed), k1 = high(seed);
    for (int round = 0; round < 10; ++round) {
      Value p0 = times(c0, 0xD2511F53), p1 = times(c2, 0xCD9E8D57);
      Value next0 = exclusive(exclusive(high(p1), c1), k0),
            next2 = exclusive(exclusive(high(p0), c3), k1);
      c1 = low(p1), c3 = low(p0), c0 = next0, c2 = next2;
      k0 = b.add(k0, word(0x9E3779B9)), k1 = b.add(k1, word(0xBB67AE85));
    }
    return {c0, c1, c2, c3};
  }
  /// The upper 24 bits as a real on [0, 1).
  Value unit(Value bits) {
    Value top = arith::ShRUIOp::create(b.builder, b.loc, bits, b.integer(8, i32));
    return b.mul(b.castTo(top, b.compute), b.real(0x1p-24));
  }
};
} // namespace

/// What the state's two elements are to a body: the maps of the two operands that hold the state.
static AffineMap stateMap(Operation *op, unsigned rank, unsigned element) {
  return AffineMap::get(rank, 0, getAffineConstantExpr(element, op->getContext()),
                        op->getContext());
}
AffineMap RandomUniformOp::getOperandMap(unsigned i) {
  return stateMap(*this, getType().getRank(), i);
}
AffineMap RandomNormalOp::getOperandMap(unsigned i) {
  return stateMap(*this, getType().getRank(), i);
}
AffineMap RandomBernoulliOp::getOperandMap(unsigned i) {
  return stateMap(*this, getType().getRank(), i);
}
AffineMap DropoutOp::getOperandMap(unsigned i) {
  unsigned rank = getType().getRank();
  return i == 0 ? AffineMap::getMultiDimIdentityMap(rank, getContext())
                : stateMap(*this, rank, i - 1);
}

SmallVector<Value> RandomUniformOp::buildScalars(ScalarBuilder &b, ValueRange x) {
  Philox philox{b};
  Value u = philox.unit(philox.draw(x[0], x[1], getKey())[0]);
  return {b.add(b.real(number(getLow())), b.mul(b.real(number(getHigh()) - number(getLow())), u))};
}
// 1 - u is never 0, so that its logarithm is finite.
SmallVector<Value> RandomNormalOp::buildScalars(ScalarBuilder &b, ValueRange x) {
  Philox philox{b};
  SmallVector<Value, 4> words = philox.draw(x[0], x[1], getKey());
  Value radius = b.sqrt(b.mul(b.real(-2.0), b.log(b.sub(b.real(1.0), philox.unit(words[0])))));
  Value wave = b.cos(b.mul(b.real(2 * M_PI), philox.unit(words[1])));
  return {b.add(b.real(number(getMean())), b.mul(b.real(number(getStd())), b.mul(radius, wave)))};
}
SmallVector<Value> RandomBernoulliOp::buildScalars(ScalarBuilder &b, ValueRange x) {
  Philox philox{b};
  Value u = philox.unit(philox.draw(x[0], x[1], getKey())[0]);
  return {b.select(b.greater(b.real(number(getProbability())), u), b.real(1.0), b.real(0.0))};
}
SmallVector<Value> DropoutOp::buildScalars(ScalarBuilder &b, ValueRange x) {
  Philox philox{b};
  double rate = number(getRate());
  Value u = philox.unit(philox.draw(x[1], x[2], getKey())[0]), zero = b.real(0.0);
  return {b.select(b.greater(b.real(rate), u), zero, b.mul(x[0], b.real(1 / (1 - rate))))};
}

// The lower 16 bits of an f32 are what bf16 leaves out. Adding 16 random bits carries into the
// upper half as often as the lower half is large; then the rest is cut off. (Infinities and NaN
// have an exponent of ones.)
SmallVector<Value> StochasticRoundOp::buildScalars(ScalarBuilder &b, ValueRange x) {
  OpBuilder &builder = b.builder;
  Type i32 = builder.getI32Type(), f32 = builder.getF32Type();
  auto word = [&](uint32_t value) { return b.integer(int32_t(value), i32); };
  auto keep = [&](Value bits, uint32_t mask) -> Value {
    return arith::AndIOp::create(builder, b.loc, bits, word(mask));
  };
  Value seed = b.integer(0, builder.getI64Type()), real = b.castTo(x[0], f32);
  Value noise = keep(Philox{b}.draw(seed, x[1], getKey())[0], 0xFFFF);
  Value bits = arith::BitcastOp::create(builder, b.loc, i32, real);
  Value rounded = keep(b.add(bits, noise), 0xFFFF0000);
  Value finite = b.compare(ComparePredicate::ne, keep(bits, 0x7F800000), word(0x7F800000));
  Value wide = b.select(finite, arith::BitcastOp::create(builder, b.loc, f32, rounded), real);
  return {b.castTo(wide, b.compute)};
}
