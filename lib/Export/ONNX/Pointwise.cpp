// Elementwise ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Export/ONNX/Emitter.h"
#include "mlir-dialects/Train/Text/Numbers.h"
#include <cmath>

using namespace mlir;
using namespace ampc;
using namespace ampc::exporting;

Aligned exporting::align(Emitter &e, ValueRange operands, int64_t rank) {
  Aligned aligned{{}, identity(rank)};
  for (Value operand : operands)
    if (Emitter::rankOf(operand) == rank && !e.isConstant(operand)) {
      aligned.order = e.order(operand);
      break;
    }
  for (Value operand : operands)
    aligned.names.push_back(e.in(operand, aligned.order, rank));
  return aligned;
}

/// Name of the only operand, in the order of the graph's value.
static std::string only(Emitter &e, Operation *op) {
  Value x = op->getOperand(0);
  return e.in(x, e.order(x));
}
static void give(Emitter &e, Operation *op, std::string name) {
  e.set(op->getResult(0), std::move(name), e.order(op->getOperand(0)));
}
static Type elementOf(Operation *op) { return Emitter::elementTypeOf(op->getResult(0)); }

// ---- One node of ONNX ----

/// Emits a node of the kind with broadcast operands.
static void emitAs(Emitter &e, Operation *op, StringRef kind) {
  int64_t rank = Emitter::rankOf(op->getResult(0));
  Aligned x = align(e, op->getOperands(), rank);
  e.set(op->getResult(0), e.node(kind, x.names), x.order);
}
// Macros, because strings cannot be template arguments.
#define NODE(OP, KIND) entry<train::OP>([](Emitter &e, Operation *op) { emitAs(e, op, KIND); })
/// Emits arithmetic, which ONNX lacks for booleans, by logic modulo 2: 1 + 1 = 0 is Xor, and x / y,
/// which is 0 where y is 0, is And.
static void emitByElement(Emitter &e, Operation *op, StringRef ofNumbers, StringRef ofTruths) {
  emitAs(e, op, elementOf(op).isInteger(1) ? ofTruths : ofNumbers);
}
#define NODE_OR_TRUTH(OP, KIND, OF_TRUTHS)                                                         \
  entry<train::OP>([](Emitter &e, Operation *op) { emitByElement(e, op, KIND, OF_TRUTHS); })

static void emitIdentity(Emitter &e, Operation *op) {
  e.alias(op->getResult(0), op->getOperand(0));
}

static void emitLeakyRelu(Emitter &e, train::LeakyReluOp op) {
  give(e, op, e.node("LeakyRelu", {only(e, op)}, {{"alpha", number(op.getSlope())}}));
}

static void emitElu(Emitter &e, train::EluOp op) {
  give(e, op, e.node("Elu", {only(e, op)}, {{"alpha", number(op.getAlpha())}}));
}
static void emitCelu(Emitter &e, train::CeluOp op) {
  give(e, op, e.node("Celu", {only(e, op)}, {{"alpha", number(op.getAlpha())}}));
}
static void emitHardsigmoid(Emitter &e, train::HardsigmoidOp op) {
  give(e, op,
       e.node("HardSigmoid", {only(e, op)},
              {{"alpha", number(op.getSlope())}, {"beta", number(op.getOffset())}}));
}

static void emitClamp(Emitter &e, train::ClampOp op) {
  std::string low = e.number(number(op.getLow()), elementOf(op));
  std::string high = e.number(number(op.getHigh()), elementOf(op));
  give(e, op, e.node("Clip", {only(e, op), low, high}));
}

/// Emits comparisons of booleans, which Less and Greater do not take: x < y is (not x) and y.
static std::string compareTruths(Emitter &e, train::ComparePredicate predicate, std::string x,
                                 std::string y) {
  using train::ComparePredicate;
  bool isGreater = predicate == ComparePredicate::gt || predicate == ComparePredicate::ge;
  bool isStrict = predicate == ComparePredicate::lt || predicate == ComparePredicate::gt;
  if (isGreater)
    std::swap(x, y);
  return e.node(isStrict ? "And" : "Or", {e.node("Not", {x}), y});
}
static void emitCompare(Emitter &e, train::CompareOp op) {
  static const char *const kinds[] = {"Equal",       "Equal",   "Less",
                                      "LessOrEqual", "Greater", "GreaterOrEqual"};
  Aligned x = align(e, op->getOperands(), Emitter::rankOf(op));
  bool isOrder = static_cast<int>(op.getPredicate()) > 1;
  if (isOrder && Emitter::elementTypeOf(op.getLhs()).isInteger(1))
    return e.set(op, compareTruths(e, op.getPredicate(), x.names[0], x.names[1]), x.order);
  std::string result = e.node(kinds[static_cast<int>(op.getPredicate())], x.names);
  if (op.getPredicate() == train::ComparePredicate::ne)
    result = e.node("Not", {result});
  e.set(op, result, x.order);
}

/// Exports selects. Runtimes have no Where of booleans, so these become And and Or.
static void emitSelect(Emitter &e, train::SelectOp op) {
  Aligned x = align(e, op->getOperands(), Emitter::rankOf(op));
  if (!elementOf(op).isInteger(1))
    return e.set(op, e.node("Where", x.names), x.order);
  std::string first = e.node("And", {x.names[0], x.names[1]});
  std::string second = e.node("And", {e.node("Not", {x.names[0]}), x.names[2]});
  e.set(op, e.node("Or", {first, second}), x.order);
}

static void emitCast(Emitter &e, train::CastOp op) {
  give(e, op, e.cast(only(e, op), Emitter::elementTypeOf(op.getX()), elementOf(op)));
}

// ---- Several ----

static void emitSquare(Emitter &e, train::SquareOp op) {
  std::string x = only(e, op);
  give(e, op, e.node("Mul", {x, x}));
}

static void emitRsqrt(Emitter &e, train::RsqrtOp op) {
  give(e, op, e.node("Reciprocal", {e.node("Sqrt", {only(e, op)})}));
}

// Emits log(u) x / (u - 1) with u = 1 + x rounded, and x where u is 1: as accurate as the logarithm
// (Goldberg 1991, theorem 4).
std::string exporting::log1p(Emitter &e, const std::string &x, Type element) {
  std::string one = e.number(1, element);
  std::string u = e.node("Add", {x, one}), rest = e.node("Sub", {u, one});
  std::string isSmall = e.node("Equal", {u, one});
  std::string divisor = e.node("Where", {isSmall, one, rest});
  std::string log = e.node("Log", {u}), ratio = e.node("Div", {log, divisor});
  // For large x the ratio would be inf / inf, and log(u) is accurate without correction.
  std::string isLarge = e.node("Greater", {x, e.number(1e4, element)});
  std::string exact = e.node("Where", {isLarge, log, e.node("Mul", {x, ratio})});
  return e.node("Where", {isSmall, x, exact});
}
static void emitLog1p(Emitter &e, train::Log1pOp op) {
  give(e, op, log1p(e, only(e, op), elementOf(op)));
}

static void emitGelu(Emitter &e, train::GeluOp op) {
  std::string x = only(e, op);
  if (e.model.opset >= 20)
    return give(e, op, e.node("Gelu", {x}));
  Type type = elementOf(op);
  std::string scaled = e.node("Mul", {x, e.number(M_SQRT1_2, type)});
  std::string phi = e.node("Add", {e.node("Erf", {scaled}), e.number(1, type)});
  give(e, op, e.node("Mul", {e.node("Mul", {x, e.number(0.5, type)}), phi}));
}

static void emitGeluTanh(Emitter &e, train::GeluTanhOp op) {
  std::string x = only(e, op);
  if (e.model.opset >= 20)
    return give(e, op, e.node("Gelu", {x}, {{"approximate", "tanh"}}));
  Type type = elementOf(op);
  std::string cube = e.node("Mul", {x, e.node("Mul", {x, x})});
  std::string sum = e.node("Add", {x, e.node("Mul", {cube, e.number(0.044715, type)})});
  std::string u = e.node("Mul", {sum, e.number(M_2_SQRTPI * M_SQRT1_2, type)});
  std::string phi = e.node("Add", {e.node("Tanh", {u}), e.number(1, type)});
  give(e, op, e.node("Mul", {e.node("Mul", {x, e.number(0.5, type)}), phi}));
}

static void emitSilu(Emitter &e, train::SiluOp op) {
  std::string x = only(e, op);
  give(e, op, e.node("Mul", {x, e.node("Sigmoid", {x})}));
}

static void emitMish(Emitter &e, train::MishOp op) {
  std::string x = only(e, op);
  if (e.model.opset >= 18)
    return give(e, op, e.node("Mish", {x}));
  give(e, op, e.node("Mul", {x, e.node("Tanh", {e.node("Softplus", {x})})}));
}

/// Exports expm1 as tanh(x / 2) (exp(x) + 1), without cancellation where exp(x) is near 1.
static void emitExpm1(Emitter &e, train::Expm1Op op) {
  std::string x = only(e, op);
  std::string half = e.node("Tanh", {e.node("Mul", {x, e.number(0.5, elementOf(op))})});
  std::string sum = e.node("Add", {e.node("Exp", {x}), e.number(1, elementOf(op))});
  give(e, op, e.node("Mul", {half, sum}));
}

static void emitFmod(Emitter &e, train::FmodOp op) {
  Aligned x = align(e, op->getOperands(), Emitter::rankOf(op));
  e.set(op, e.node("Mod", x.names, {{"fmod", int64_t(1)}}), x.order);
}

/// Exports floored modulo: Mod of reals in ONNX has the sign of the dividend.
static void emitMod(Emitter &e, train::ModOp op) {
  Aligned x = align(e, op->getOperands(), Emitter::rankOf(op));
  if (!isa<FloatType>(elementOf(op)))
    return e.set(op, e.node("Mod", x.names), x.order);
  std::string rest = e.node("Mod", x.names, {{"fmod", int64_t(1)}});
  std::string zero = e.number(0, elementOf(op)), divisor = x.names[1];
  std::string isOther =
      e.node("Less", {e.node("Mul", {e.node("Sign", {rest}), e.node("Sign", {divisor})}), zero});
  e.set(op, e.node("Where", {isOther, e.node("Add", {rest, divisor}), rest}), x.order);
}

static void emitOneHot(Emitter &e, train::OneHotOp op) {
  int64_t rank = Emitter::rankOf(op);
  // OneHot is no option: ONNX counts negative labels from the end.
  std::string column = e.node("Unsqueeze", {e.in(op.getLabel()), e.integers({rank - 1})});
  std::string classes = e.positions(Emitter::shapeOf(op).back(), 0, 1);
  std::string isClass = e.node("Equal", {column, classes});
  e.set(op, e.cast(isClass, IntegerType::get(op.getContext(), 1), elementOf(op)));
}

std::vector<Entry> exporting::pointwiseEntries() {
  return {
      NODE_OR_TRUTH(AddOp, "Add", "Xor"),
      NODE_OR_TRUTH(SubOp, "Sub", "Xor"),
      NODE_OR_TRUTH(MulOp, "Mul", "And"),
      NODE_OR_TRUTH(DivOp, "Div", "And"),
      NODE(PowOp, "Pow"),
      NODE_OR_TRUTH(MaximumOp, "Max", "Or"),
      NODE_OR_TRUTH(MinimumOp, "Min", "And"),
      NODE_OR_TRUTH(NegOp, "Neg", "Identity"),
      NODE(ReluOp, "Relu"),
      NODE(TanhOp, "Tanh"),
      NODE(ExpOp, "Exp"),
      NODE(SqrtOp, "Sqrt"),
      NODE(SinOp, "Sin"),
      NODE(CosOp, "Cos"),
      NODE(FloorOp, "Floor"),
      NODE_OR_TRUTH(AbsOp, "Abs", "Identity"),
      NODE(ReciprocalOp, "Reciprocal"),
      NODE(LogOp, "Log"),
      NODE(ErfOp, "Erf"),
      NODE(SigmoidOp, "Sigmoid"),
      NODE(SoftplusOp, "Softplus"),
      NODE(SoftsignOp, "Softsign"),
      NODE(SeluOp, "Selu"),
      NODE(HardswishOp, "HardSwish"),
      NODE(PreluOp, "PRelu"),
      NODE(TanOp, "Tan"),
      NODE(AsinOp, "Asin"),
      NODE(AcosOp, "Acos"),
      NODE(AtanOp, "Atan"),
      NODE(SinhOp, "Sinh"),
      NODE(CoshOp, "Cosh"),
      NODE(AsinhOp, "Asinh"),
      NODE(AcoshOp, "Acosh"),
      NODE(AtanhOp, "Atanh"),
      NODE(CeilOp, "Ceil"),
      NODE(RoundOp, "Round"),
      NODE(SignOp, "Sign"),
      NODE(LogicalAndOp, "And"),
      NODE(LogicalOrOp, "Or"),
      NODE(LogicalXorOp, "Xor"),
      NODE(LogicalNotOp, "Not"),
      entry<train::StopGradientOp>(emitIdentity),
      entry<train::DropoutOp>(emitIdentity),
      entry<train::LeakyReluOp, emitLeakyRelu>(),
      entry<train::EluOp, emitElu>(),
      entry<train::CeluOp, emitCelu>(),
      entry<train::HardsigmoidOp, emitHardsigmoid>(),
      entry<train::ClampOp, emitClamp>(),
      entry<train::CompareOp, emitCompare>(),
      entry<train::SelectOp, emitSelect>(),
      entry<train::CastOp, emitCast>(),
      entry<train::SquareOp, emitSquare>(),
      entry<train::RsqrtOp, emitRsqrt>(),
      entry<train::Log1pOp, emitLog1p>(),
      entry<train::GeluOp, emitGelu>(),
      entry<train::GeluTanhOp, emitGeluTanh>(),
      entry<train::SiluOp, emitSilu>(),
      entry<train::MishOp, emitMish>(),
      entry<train::Expm1Op, emitExpm1>(),
      entry<train::FmodOp, emitFmod>(),
      entry<train::ModOp, emitMod>(),
      entry<train::OneHotOp, emitOneHot>(),
  };
}
