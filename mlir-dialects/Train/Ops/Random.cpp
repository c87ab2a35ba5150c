// Random numbers: verifiers and scalar code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Random.h"
#include "mlir-dialects/Train/Program/Knob.h"
#include "mlir-dialects/Train/Text/KnobNumbers.h"
#include "mlir-dialects/Train/Text/Numbers.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

RankedTensorType ampc::randomStateType(MLIRContext *context) {
  return RankedTensorType::get({2}, IntegerType::get(context, 64));
}

static LogicalResult verifyState(Operation *op, OperandRange state) {
  if (state.empty() || (state.size() >= 2 && state.size() <= 3 && state[0] == state[1]))
    return success();
  return op->emitOpError() << "expected the random state twice (a body reads both elements), and "
                              "at most the number of a part of the batch, but got "
                           << state.size() << " operands";
}

LogicalResult RandomUniformOp::verify() {
  if (failed(verifyFinite([&] { return emitOpError(); }, {{"low", getLow()}, {"high", getHigh()}})))
    return failure();
  if (!(number(getLow()) <= number(getHigh())))
    return emitOpError() << "expected low <= high, but got " << number(getLow()) << " and "
                         << number(getHigh());
  return verifyState(*this, getState());
}

/// Indexing map of an element of the random state [seed, counter], or of the first element of the
/// number of the part.
static AffineMap stateMap(Operation *op, unsigned rank, unsigned element) {
  return AffineMap::get(rank, 0, getAffineConstantExpr(element % 2, op->getContext()),
                        op->getContext());
}

AffineMap RandomUniformOp::getOperandMap(unsigned i) {
  return stateMap(*this, getType().getRank(), i);
}

/// Distance of the keys of neighbouring parts of a batch.
static constexpr uint32_t keyStride = 0x9E3779B1;

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

  /// Draw of a random op: `state` has the elements [seed, counter] and, if the op draws for a part
  /// of the batch whose number the run knows, this number. The part changes the key as
  /// train-expand-step does for micro-batches.
  SmallVector<Value, 4> draw(ValueRange state, int32_t key) {
    Value own = word(key);
    if (state.size() > 2)
      own = b.add(own, b.mul(low(state[2]), word(keyStride)));
    return draw(state[0], state[1], own);
  }
  /// Counter {element, key, counter low, counter high}, key {seed low, seed high}.
  SmallVector<Value, 4> draw(Value seed, Value counter, Value key) {
    Value c0 = b.linearIndex(), c1 = key, c2 = low(counter), c3 = high(counter);
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

/// The largest number of the type below `high`.
static double largestBelow(double high, FloatType type) {
  APFloat largest(high);
  bool isInexact;
  largest.convert(type.getFloatSemantics(), APFloat::rmTowardNegative, &isInexact);
  if (largest.convertToDouble() == high)
    largest.next(/*nextDown=*/true);
  return largest.convertToDouble();
}

static bool holds(Type type, double value) {
  bool isInexact;
  APFloat rounded(value);
  rounded.convert(cast<FloatType>(type).getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &isInexact);
  return rounded.isFinite();
}

// The sum, and the type of the result, may round to `high`: for u of [0, 1) in steps of 2^-24, 100
// + u is 101 in f32 from u = 1 - 2^-18 on.
SmallVector<Value> RandomUniformOp::buildScalars(ScalarBuilder &b, ValueRange x) {
  Philox philox{b};
  Value u = philox.unit(philox.draw(x, getKey())[0]);
  double low = number(getLow()), high = number(getHigh());
  Value drawn = holds(b.compute, high - low)
                    ? b.add(b.real(low), b.mul(b.real(high - low), u))
                    : b.add(b.mul(b.real(low), b.sub(b.real(1.0), u)), b.mul(b.real(high), u));
  double largest = largestBelow(high, cast<FloatType>(getType().getElementType()));
  return {low < largest ? b.min(drawn, b.real(largest)) : drawn};
}

LogicalResult RandomNormalOp::verify() {
  if (!(number(getStd()) >= 0))
    return emitOpError() << "expected a standard deviation of at least 0, but got "
                         << number(getStd());
  return verifyState(*this, getState());
}

AffineMap RandomNormalOp::getOperandMap(unsigned i) {
  return stateMap(*this, getType().getRank(), i);
}

// Box-Muller with 1 - u, which is never 0 and has a finite logarithm.
SmallVector<Value> RandomNormalOp::buildScalars(ScalarBuilder &b, ValueRange x) {
  Philox philox{b};
  SmallVector<Value, 4> words = philox.draw(x, getKey());
  Value radius = b.sqrt(b.mul(b.real(-2.0), b.log(b.sub(b.real(1.0), philox.unit(words[0])))));
  Value wave = b.cos(b.mul(b.real(2 * M_PI), philox.unit(words[1])));
  return {b.add(b.real(number(getMean())), b.mul(b.real(number(getStd())), b.mul(radius, wave)))};
}

static LogicalResult verifyProbability(Operation *op, StringRef what, const APFloat &p,
                                       bool below) {
  double value = number(p);
  if (!(value >= 0 && (below ? value < 1 : value <= 1)))
    return op->emitOpError() << "expected a " << what << " in [0, 1" << (below ? ")" : "]")
                             << ", but got " << value;
  return success();
}

LogicalResult RandomBernoulliOp::verify() {
  return failed(verifyProbability(*this, "probability", getProbability(), false))
             ? failure()
             : verifyState(*this, getState());
}

AffineMap RandomBernoulliOp::getOperandMap(unsigned i) {
  return stateMap(*this, getType().getRank(), i);
}

SmallVector<Value> RandomBernoulliOp::buildScalars(ScalarBuilder &b, ValueRange x) {
  Philox philox{b};
  Value u = philox.unit(philox.draw(x, getKey())[0]);
  return {b.select(b.greater(b.real(number(getProbability())), u), b.real(1.0), b.real(0.0))};
}

LogicalResult DropoutOp::verify() {
  return failed(verifyProbability(*this, "rate", getRate(), true)) ? failure()
                                                                   : verifyState(*this, getState());
}

AffineMap DropoutOp::getOperandMap(unsigned i) {
  unsigned rank = getType().getRank();
  return i == 0 ? AffineMap::getMultiDimIdentityMap(rank, getContext())
                : stateMap(*this, rank, i - 1);
}

SmallVector<Value> DropoutOp::buildScalars(ScalarBuilder &b, ValueRange x) {
  Philox philox{b};
  double rate = number(getRate());
  Value u = philox.unit(philox.draw(x.drop_front(), getKey())[0]), zero = b.real(0.0);
  return {b.select(b.greater(b.real(rate), u), zero, b.mul(x[0], b.real(1 / (1 - rate))))};
}

SmallVector<Value> DropoutOp::buildInference(GradBuilder &) { return {getX()}; }

/// Dropout by the current value of a knob: u < rate is compared in f32, whatever type x has; the
/// gain 1 / (1 - rate) is computed in f64 for x of f64, else in f32.
static Value dropBy(GradBuilder &b, DropoutOp op, KnobOp knob) {
  auto type = op.getType();
  Type element = type.getElementType(), wide = b.builder.getF32Type();
  Value read = b.op<ReadOp>(knob.getType(), FlatSymbolRefAttr::get(knob.getSymNameAttr()));
  Value rate = b.castTo(read, wide);
  // In a loop the op has the state of the round already.
  Value u = b.op<RandomUniformOp>(type.clone(wide), op.getState(), APFloat(0.0), APFloat(1.0),
                                  op.getKey());
  Value exact = b.castTo(read, element.isF64() ? element : wide), one = b.real(1.0, exact);
  Value gain = b.castTo(b.div(one, b.sub(one, exact)), element);
  return b.select(b.greater(rate, u), b.real(0.0, element), b.mul(op.getX(), gain));
}

SmallVector<Value> DropoutOp::buildTraining(GradBuilder &b) {
  FlatSymbolRefAttr name = knobOf(*this, "rate");
  if (!name)
    return {};
  auto knob = SymbolTable::lookupNearestSymbolFrom<KnobOp>(*this, name);
  return knob ? SmallVector<Value>{dropBy(b, *this, knob)} : SmallVector<Value>();
}

OpFoldResult DropoutOp::fold(FoldAdaptor) {
  return number(getRate()) == 0 ? getX() : OpFoldResult();
}

namespace {
/// Stochastic rounding of an f32 `real` to an f32 that a 16-bit type holds.
struct StochasticRounding {
  ScalarBuilder &b;
  Value real, draw; ///< draw: 32 random bits
  OpBuilder &builder = b.builder;
  Type i32 = builder.getI32Type(), f32 = builder.getF32Type();

  Value word(uint32_t value) { return b.integer(int32_t(value), i32); }
  Value keep(Value bits, uint32_t mask) {
    return arith::AndIOp::create(builder, b.loc, bits, word(mask));
  }
  Value bitsOf(Value x) { return arith::BitcastOp::create(builder, b.loc, i32, x); }
  /// Stochastic rounding by `mask`, the bits that the narrow type drops (f32 -> bf16: 0xFFFF):
  /// adding random bits under the mask carries into the kept bits with the probability of rounding
  /// up; then the dropped bits are cleared.
  Value droppingBits(uint32_t mask) {
    Value rounded = keep(b.add(bitsOf(real), keep(draw, mask)), ~mask);
    return arith::BitcastOp::create(builder, b.loc, f32, rounded);
  }
  /// To a multiple of 2^-24, the distance of the denormal numbers of f16.
  Value toDenormal() {
    ScalarBuilder in(builder, b.loc, f32, b.positions);
    Value size = in.mul(in.abs(real), in.real(0x1p24));
    Value whole = in.floor(in.add(size, Philox{in}.unit(draw)));
    return in.withSign(in.mul(whole, in.real(0x1p-24)), real);
  }
  Value toF16() {
    ScalarBuilder in(builder, b.loc, f32, b.positions);
    Value size = in.abs(real), rounded = droppingBits(0x1FFF);
    // Overflow of f16: 65504 is the largest finite number, and 65520 the midpoint to the next power
    // of two.
    Value last = in.withSign(in.real(65504.0), real);
    Value isLast = in.greater(size, in.real(65504.0));
    rounded = in.select(isLast, in.select(in.greater(in.real(65520.0), size), last, real), rounded);
    return in.select(in.greater(in.real(0x1p-14), size), toDenormal(), rounded);
  }
  /// Keeps infinities and NaN, whose exponent bits are all 1.
  Value ifFinite(Value rounded) {
    Value isFinite =
        b.compare(ComparePredicate::ne, keep(bitsOf(real), 0x7F800000), word(0x7F800000));
    return b.select(isFinite, rounded, real);
  }
};
} // namespace

Value ampc::roundStochastically(ScalarBuilder &b, Value x, Value count, int32_t key, Type element) {
  Value seed = b.integer(0, b.builder.getI64Type());
  Philox philox{b};
  Value draw = philox.draw(seed, count, philox.word(key))[0];
  StochasticRounding rounding{b, b.castTo(x, b.builder.getF32Type()), draw};
  Value rounded = element.isF16() ? rounding.toF16() : rounding.droppingBits(0xFFFF);
  return b.castTo(rounding.ifFinite(rounded), b.compute);
}

SmallVector<Value> StochasticRoundOp::buildScalars(ScalarBuilder &b, ValueRange x) {
  return {roundStochastically(b, x[0], x[1], getKey(), getType().getElementType())};
}
