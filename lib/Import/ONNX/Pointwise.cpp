// Elementwise nodes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/ConstantFolding.h"
#include "lib/Import/ONNX/Raise.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;
using train::ComparePredicate;

namespace {
/// Operands in a common dimension order: channels last if an operand exists in that order only.
struct Aligned {
  SmallVector<Value> values;
  bool isImage = false;

  Aligned(Converter &c, unsigned count) {
    int64_t rank = 0;
    for (unsigned i = 0; i < count; ++i)
      rank = std::max(rank, c.rank(i));
    for (unsigned i = 0; i < count; ++i)
      isImage |= c.isChannelsLast(i) && c.rank(i) == rank;
    for (unsigned i = 0; i < count; ++i)
      values.push_back(isImage ? asImage(c, i, rank) : c.in(i));
  }
  Value operator[](unsigned i) const { return values[i]; }
  void set(Converter &c, Value result) const {
    if (isImage)
      c.setImage(0, result);
    else
      c.set(0, result);
  }

private:
  /// Operand that broadcasts to an image, with channels last: [C, 1, 1] -> [C].
  static Value asImage(Converter &c, unsigned i, int64_t rank) {
    ArrayRef<int64_t> dims = c.dims(i);
    int64_t wide = llvm::count_if(dims, [](int64_t size) { return size != 1; });
    // The result has the rank of an operand: an image of one element stays an image.
    bool isImage = c.rank(i) == rank && c.isChannelsLast(i);
    if (wide == 0 && !isImage)
      return c.reshape(c.in(i), {});
    if (c.rank(i) == rank && (wide > 1 || isImage))
      return c.image(i);
    Dims shape(rank - dims.size(), 1);
    llvm::append_range(shape, dims);
    Value x = c.reshape(c.in(i), shape);
    Dims order = toChannelsLast(rank);
    if (wide > 1)
      return c.transpose(x, order);
    Dims moved;
    for (int64_t from : order)
      moved.push_back(shape[from]);
    return c.reshape(x, moved);
  }
};
} // namespace

// ---- One operand ----

template <typename Op> static void unary(Converter &c) {
  Aligned x(c, 1);
  x.set(c, c.make<Op>(x[0]));
}
template <typename Op, const Scalar *function> static void evaluatedUnary(Converter &c) {
  if (!evaluate(c, *function))
    unary<Op>(c);
}
template <typename Build> static void compose(Converter &c, Build build) {
  Aligned x(c, 1);
  if (x[0])
    x.set(c, build(x[0]));
}

static Value clamp(Converter &c, Value x, double low, double high) {
  return c.make<train::ClampOp>(x, {c.attr("low", low), c.attr("high", high)});
}
static Value elu(Converter &c, Value x, double alpha) {
  return c.make<train::EluOp>(x, c.attr("alpha", alpha));
}
static Value hardSigmoid(Converter &c, Value x) {
  return c.make<train::HardsigmoidOp>(
      x, {c.attr("slope", c.real("alpha", 0.2)), c.attr("offset", c.real("beta", 0.5))});
}

static Value extremum(Converter &c, Value x, Value y, bool isGreater);

/// Converts min(max(x, low), high): all results are `high` if low > high, and NaN if a bound is
/// NaN. An absent bound is no bound.
static void convertClip(Converter &c) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  auto bound = [&](StringRef name, unsigned i, double otherwise) -> std::optional<double> {
    if (const Literal *known = c.setting(i); known && known->count() == 1)
      return known->real(0);
    if (c.has(i))
      return std::nullopt;
    return c.opset < 11 ? c.real(name, otherwise) : otherwise;
  };
  auto low = bound("min", 1, -infinity), high = bound("max", 2, infinity);
  if (low && high && *low <= *high && onnx::isReal(c.type(0)))
    return compose(c, [&](Value x) { return clamp(c, x, *low, *high); });
  Value x = c.in(0);
  auto cut = [&](unsigned i, std::optional<double> known, bool isLow) {
    if (x && c.has(i))
      x = extremum(c, x, c.reshape(c.in(i), {}), isLow);
    else if (x && known && std::isfinite(*known))
      x = extremum(c, x, c.real(*known, x), isLow);
  };
  cut(1, low, true);
  cut(2, high, false);
  c.set(0, x);
}

static Value swish(Converter &c, Value x) {
  if (double alpha = c.real("alpha", 1); alpha != 1)
    return c.mul(x, c.make<train::SigmoidOp>(c.mul(x, c.real(alpha, x))));
  return c.make<train::SiluOp>(x);
}

static Value shrink(Converter &c, Value x) {
  double lambda = c.real("lambd", 0.5), bias = c.real("bias", 0);
  Value low = c.compare(ComparePredicate::lt, x, c.real(-lambda, x));
  Value high = c.compare(ComparePredicate::gt, x, c.real(lambda, x));
  return c.select(low, c.add(x, c.real(bias, x)),
                  c.select(high, c.sub(x, c.real(bias, x)), c.real(0, x)));
}

static Value isInfinite(Converter &c, Value x) {
  bool positive = c.integer("detect_positive", 1), negative = c.integer("detect_negative", 1);
  double infinity = std::numeric_limits<double>::infinity();
  if (positive && negative)
    return c.compare(ComparePredicate::eq, c.make<train::AbsOp>(x), c.real(infinity, x));
  if (!positive && !negative)
    return c.compare(ComparePredicate::lt, x, c.real(-infinity, x));
  return c.compare(ComparePredicate::eq, x, c.real(positive ? infinity : -infinity, x));
}

static void convertGelu(Converter &c) {
  if (c.text("approximate", "none") == "tanh")
    unary<train::GeluTanhOp>(c);
  else
    unary<train::GeluOp>(c);
}

static void convertCast(Converter &c) {
  auto to = c.node.op == "CastLike" ? c.type(1) : static_cast<onnx::Type>(c.integer("to", 1));
  if (!bytesOf(to)) {
    c.fail(Twine("expected a type of numbers, but got ") + nameOf(to));
    return;
  }
  if (const Literal *known = c.literal(0))
    return c.set(0, castLiteral(*known, to));
  mlir::Type element = c.elementOf(to);
  compose(c, [&](Value x) { return c.cast(x, element); });
}

/// Converts Dropout. Files exported for training have a `training_mode` input; before opset 12
/// there is none.
static void convertDropout(Converter &c) {
  double ratio = c.real("ratio", 0.5);
  if (const Literal *known = c.setting(1); known && known->count() == 1)
    ratio = known->real(0);
  const Literal *training = c.literal(2);
  bool isOnInFile = c.opset < 12 || (training && training->count() == 1 && training->integer(0));
  bool isOn = c.mode == LayerMode::Train || (c.mode == LayerMode::File && isOnInFile);
  if (c.wants(1) && isOn && ratio != 0)
    c.fail("expected no use of the mask");
  if (!isOn || ratio == 0) {
    // Mask of a dropout that keeps everything.
    Literal all = Literal::scalar(onnx::Type::Bool, 1.0);
    if (c.wants(1))
      c.set(1, c.broadcastTo(c.constant(all), c.dims(0)));
    return c.pass(0, 0);
  }
  compose(c, [&](Value x) { return c.make<train::DropoutOp>(x, c.attr("rate", ratio)); });
}

// ---- Two and more operands ----

template <typename Op> static void binary(Converter &c) {
  Aligned x(c, 2);
  x.set(c, c.make<Op>({x[0], x[1]}));
}
template <typename Op, const Scalar *function> static void evaluatedBinary(Converter &c) {
  if (!evaluate(c, *function))
    binary<Op>(c);
}
static void convertAdd(Converter &c) {
  if (evaluate(c, scalar::add))
    return;
  Aligned x(c, 2);
  for (unsigned i : {0, 1})
    if (Value norm = matchGroupNorm(c, x[i], x[1 - i]))
      return c.setImage(0, norm);
  x.set(c, c.make<train::AddOp>({x[0], x[1]}));
}
/// Folds any number of operands from the left.
template <typename Op> static Value all(Converter &c, const Aligned &x) {
  Value result = x[0];
  for (Value next : ArrayRef(x.values).drop_front())
    result = c.make<Op>({result, next});
  return result;
}
static void convertSum(Converter &c) {
  if (evaluate(c, scalar::add))
    return;
  Aligned x(c, c.inputs());
  x.set(c, all<train::AddOp>(c, x));
}

/// Minimum or maximum; integers have no op, so a select.
static Value extremum(Converter &c, Value x, Value y, bool isGreater) {
  if (!x || !y || isa<FloatType>(Converter::elementOf(x)))
    return isGreater ? c.make<train::MaximumOp>({x, y}) : c.make<train::MinimumOp>({x, y});
  auto predicate = isGreater ? ComparePredicate::ge : ComparePredicate::le;
  return c.select(c.compare(predicate, x, y), x, y);
}
static void extrema(Converter &c, bool isGreater) {
  if (evaluate(c, isGreater ? scalar::max : scalar::min))
    return;
  Aligned x(c, c.inputs());
  Value result = x[0];
  for (Value next : ArrayRef(x.values).drop_front())
    result = extremum(c, result, next, isGreater);
  x.set(c, result);
}
static void convertMean(Converter &c) {
  Aligned x(c, c.inputs());
  Value sum = all<train::AddOp>(c, x);
  x.set(c, c.mul(sum, c.real(1.0 / c.inputs(), sum)));
}

static void convertSwiGlu(Converter &c) {
  Aligned x(c, 2);
  if (x[0] && x[1])
    x.set(c, c.mul(swish(c, x[0]), x[1]));
}

static void compare(Converter &c, ComparePredicate predicate) {
  if (evaluateComparison(c, predicate))
    return;
  Aligned x(c, 2);
  x.set(c, c.compare(predicate, x[0], x[1]));
}

static void convertWhere(Converter &c) {
  if (isKnown(c) && c.literal(1) && c.literal(2) &&
      give(c, selectLiteral(*c.literal(0), *c.literal(1), *c.literal(2))))
    return;
  Aligned x(c, 3);
  x.set(c, c.select(x[0], x[1], x[2]));
}

/// Integer power by squaring, with wrap-around: x^5 = (x^2)^2 x.
static Value wholePower(Converter &c, Value x, int64_t exponent) {
  Value result;
  for (; x && exponent > 0; exponent >>= 1) {
    if (exponent & 1)
      result = result ? c.mul(result, x) : x;
    if (exponent > 1)
      x = c.mul(x, x);
  }
  return result ? result : c.broadcastTo(c.real(1, x), Converter::shapeOf(x));
}

/// Power of integers whose exponents are known in a step only, by squaring with wrap-around. A
/// negative exponent is the inverse, truncated: 1 or -1 for those bases, else 0.
static Value integerPower(Converter &c, Value x, Value exponent) {
  constexpr int bits = 31; // of an exponent from 0 on in i32
  Value zero = c.real(0, x), one = c.real(1, x), two = c.real(2, x), minusOne = c.real(-1, x);
  auto isOdd = [&](Value n) {
    return c.compare(ComparePredicate::ne, c.make<train::ModOp>({n, two}), zero);
  };
  Value sign = c.select(isOdd(exponent), x, one);
  Value isUnit = c.make<train::LogicalOrOp>(
      {c.compare(ComparePredicate::eq, x, one), c.compare(ComparePredicate::eq, x, minusOne)});
  Value inverse = c.select(isUnit, sign, zero);
  Value result = one, square = x, rest = extremum(c, exponent, zero, true);
  for (int bit = 0; bit < bits; ++bit) {
    Value isSet = isOdd(rest);
    result = c.select(isSet, c.mul(result, square), result);
    square = c.mul(square, square);
    rest = c.div(c.sub(rest, c.cast(isSet, Converter::elementOf(rest))), two);
  }
  return c.select(c.compare(ComparePredicate::lt, exponent, zero), inverse, result);
}

/// Power of integers with real exponents, truncated: exact for whole exponents, else in f64, as the
/// result of sqrt(4) must not be truncated to 1.
static Value realPowerOfInteger(Converter &c, Value x, Value exponent) {
  mlir::Type element = Converter::elementOf(x);
  Value isWhole = c.compare(ComparePredicate::eq, exponent, c.make<train::FloorOp>(exponent));
  Value whole = integerPower(c, x, c.cast(exponent, element));
  Value power =
      c.make<train::PowOp>({c.cast(x, c.b.getF64Type()), c.cast(exponent, c.b.getF64Type())});
  return c.select(isWhole, whole, c.cast(power, element));
}

/// Power with a constant exponent for all elements.
static Value constantPower(Converter &c, Value x, double power) {
  if (power == 1)
    return x;
  if (!isa<FloatType>(Converter::elementOf(x)))
    return power >= 0 && power == std::floor(power) && power <= INT32_MAX
               ? wholePower(c, x, int64_t(power))
               : realPowerOfInteger(c, x, c.constant(Literal::scalar(onnx::Type::F64, power)));
  if (power == 2)
    return c.make<train::SquareOp>(x);
  if (power == 0.5)
    return c.make<train::SqrtOp>(x);
  return c.make<train::PowOp>({x, c.real(power, x)});
}

static void convertPow(Converter &c) {
  if (evaluate(c, scalar::pow))
    return;
  const Literal *known = c.literal(1);
  if (known && known->allEqual() && known->count() > 0 &&
      broadcastShape(c.dims(0), c.dims(1)) == Dims(c.dims(0)))
    return compose(c, [&](Value x) { return constantPower(c, x, known->real(0)); });
  bool isOfIntegers = !onnx::isReal(c.type(0));
  Aligned x(c, 2);
  if (isOfIntegers && x[0] && x[1])
    return x.set(c, onnx::isReal(c.type(1)) ? realPowerOfInteger(c, x[0], x[1])
                                            : integerPower(c, x[0], x[1]));
  if (x[0] && x[1])
    x.set(c, c.make<train::PowOp>({x[0], c.cast(x[1], Converter::elementOf(x[0]))}));
}

/// Converts Mod: sign of the divisor (fmod = 0) or of the dividend (fmod = 1).
static void convertMod(Converter &c) {
  bool isFmod = c.integer("fmod", 0);
  if (evaluate(c, isFmod ? scalar::fmod : scalar::mod))
    return;
  if (isFmod)
    binary<train::FmodOp>(c);
  else
    binary<train::ModOp>(c);
}

#define UNARY(NAME, OP) {NAME, unary<train::OP>}
#define KNOWN_UNARY(NAME, OP, FUNCTION) {NAME, evaluatedUnary<train::OP, &scalar::FUNCTION>}
#define KNOWN_BINARY(NAME, OP, FUNCTION) {NAME, evaluatedBinary<train::OP, &scalar::FUNCTION>, 7}
#define COMPOSED(NAME, ...)                                                                        \
  {NAME, [](Converter &c) { compose(c, [&](Value x) -> Value { return __VA_ARGS__; }); }}
#define COMPARE(NAME, PREDICATE)                                                                   \
  {NAME, [](Converter &c) { compare(c, ComparePredicate::PREDICATE); }}

static const Entry entries[] = {
    KNOWN_UNARY("Abs", AbsOp, abs),
    UNARY("Acos", AcosOp),
    UNARY("Acosh", AcoshOp),
    UNARY("Asin", AsinOp),
    UNARY("Asinh", AsinhOp),
    UNARY("Atan", AtanOp),
    UNARY("Atanh", AtanhOp),
    KNOWN_UNARY("Ceil", CeilOp, ceil),
    UNARY("Cos", CosOp),
    UNARY("Cosh", CoshOp),
    UNARY("Erf", ErfOp),
    KNOWN_UNARY("Exp", ExpOp, exp),
    KNOWN_UNARY("Floor", FloorOp, floor),
    UNARY("HardSwish", HardswishOp),
    KNOWN_UNARY("Log", LogOp, log),
    UNARY("Mish", MishOp),
    KNOWN_UNARY("Neg", NegOp, neg),
    KNOWN_UNARY("Reciprocal", ReciprocalOp, reciprocal),
    UNARY("Relu", ReluOp),
    UNARY("Round", RoundOp),
    UNARY("Sigmoid", SigmoidOp),
    UNARY("Sign", SignOp),
    UNARY("Sin", SinOp),
    UNARY("Sinh", SinhOp),
    UNARY("Softplus", SoftplusOp),
    UNARY("Softsign", SoftsignOp),
    KNOWN_UNARY("Sqrt", SqrtOp, sqrt),
    UNARY("Tan", TanOp),
    UNARY("Tanh", TanhOp),
    COMPOSED("Celu", c.make<train::CeluOp>(x, c.attr("alpha", c.real("alpha", 1)))),
    COMPOSED("Elu", elu(c, x, c.real("alpha", 1))),
    COMPOSED("HardSigmoid", hardSigmoid(c, x)),
    COMPOSED("LeakyRelu", c.make<train::LeakyReluOp>(x, c.attr("slope", c.real("alpha", 0.01)))),
    COMPOSED("Selu", c.mul(c.real(c.real("gamma", 1.05070102214813232421875), x),
                           elu(c, x, c.real("alpha", 1.67326319217681884765625)))),
    COMPOSED("ThresholdedRelu",
             c.select(c.compare(ComparePredicate::gt, x, c.real(c.real("alpha", 1), x)), x,
                      c.real(0, x))),
    COMPOSED("IsInf", isInfinite(c, x)),
    COMPOSED("IsNaN", c.compare(ComparePredicate::ne, x, x)),
    COMPOSED("Shrink", shrink(c, x)),
    COMPOSED("Swish", swish(c, x)),
    {"SwiGLU", convertSwiGlu},
    {"Cast", convertCast},
    {"CastLike", convertCast},
    {"Clip", convertClip},
    {"Dropout", convertDropout},
    {"Gelu", convertGelu},
    {"Identity", [](Converter &c) { c.pass(0, 0); }},
    {"Add", convertAdd, 7},
    KNOWN_BINARY("Div", DivOp, div),
    KNOWN_BINARY("Mul", MulOp, mul),
    KNOWN_BINARY("Sub", SubOp, sub),
    {"Max", [](Converter &c) { extrema(c, true); }},
    {"Mean", convertMean},
    {"Min", [](Converter &c) { extrema(c, false); }},
    {"Mod", convertMod},
    {"Pow", convertPow, 7},
    {"PRelu", binary<train::PreluOp>},
    {"Sum", convertSum},
    KNOWN_BINARY("And", LogicalAndOp, logicalAnd),
    KNOWN_UNARY("Not", LogicalNotOp, logicalNot),
    KNOWN_BINARY("Or", LogicalOrOp, logicalOr),
    {"Where", convertWhere},
    KNOWN_BINARY("Xor", LogicalXorOp, logicalXor),
    COMPARE("Equal", eq),
    COMPARE("Greater", gt),
    COMPARE("GreaterOrEqual", ge),
    COMPARE("Less", lt),
    COMPARE("LessOrEqual", le),
};

ArrayRef<Entry> ampc::onnx::pointwiseEntries() { return entries; }
