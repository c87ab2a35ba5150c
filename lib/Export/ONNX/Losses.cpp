// Losses per row or element, for models that return losses beside scores.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Export/ONNX/Emitter.h"
#include "mlir-dialects/Train/Text/Numbers.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::exporting;

/// Emits -log[class] of every row of log-probabilities. Ignored labels read class 0; `isIgnored`
/// becomes the name of the mask of ignored labels, or stays empty.
static std::string lossOfClasses(Emitter &e, const std::string &logs, int64_t axis, Value target,
                                 std::optional<int64_t> ignore, std::string &isIgnored) {
  Type i32 = Emitter::elementTypeOf(target);
  std::string classes = e.in(target), last = e.integers({axis});
  if (ignore) {
    isIgnored = e.node("Equal", {classes, e.number(double(*ignore), i32)});
    classes = e.node("Where", {isIgnored, e.number(0, i32), classes});
  }
  std::string column = e.node("Unsqueeze", {classes, last});
  std::string log = e.node("GatherElements", {logs, column}, {{"axis", axis}});
  return e.node("Neg", {e.node("Squeeze", {log, last})});
}
static std::string clearIgnored(Emitter &e, const std::string &isIgnored, std::string loss,
                                Type element) {
  return isIgnored.empty() ? loss : e.node("Where", {isIgnored, e.number(0, element), loss});
}

static std::string lossOfClasses(Emitter &e, train::SoftmaxCrossEntropyOp op,
                                 const std::string &logs) {
  Type element = Emitter::elementTypeOf(op.getLogits());
  int64_t axis = Emitter::rankOf(op.getLogits()) - 1;
  std::string isIgnored;
  std::string loss = lossOfClasses(e, logs, axis, op.getTarget(), op.getIgnore(), isIgnored);
  double smoothing = number(op.getSmoothing());
  if (smoothing != 0) {
    double share = smoothing / double(Emitter::shapeOf(op.getLogits()).back());
    std::string sum = e.node("ReduceSum", {logs, e.integers({axis})}, {{"keepdims", int64_t(0)}});
    std::string others = e.node("Mul", {sum, e.number(-share, element)});
    loss = e.node("Add", {e.node("Mul", {loss, e.number(1 - smoothing, element)}), others});
  }
  return clearIgnored(e, isIgnored, loss, element);
}

static void emitNll(Emitter &e, train::NllOp op) {
  std::string isIgnored;
  std::string loss = lossOfClasses(e, e.in(op.getX()), Emitter::rankOf(op.getX()) - 1,
                                   op.getLabel(), op.getIgnore(), isIgnored);
  e.set(op, clearIgnored(e, isIgnored, loss, Emitter::elementTypeOf(op)));
}

static void emitCrossEntropy(Emitter &e, train::SoftmaxCrossEntropyOp op) {
  Value logits = op.getLogits();
  std::string logs = e.node("LogSoftmax", {e.in(logits)}, {{"axis", int64_t(-1)}});
  if (op.isSparse())
    return e.set(op, lossOfClasses(e, op, logs));
  Type element = Emitter::elementTypeOf(logits);
  std::string target = e.in(op.getTarget());
  double smoothing = number(op.getSmoothing());
  if (smoothing != 0) {
    double share = smoothing / double(Emitter::shapeOf(logits).back());
    target = e.node("Mul", {target, e.number(1 - smoothing, element)});
    target = e.node("Add", {target, e.number(share, element)});
  }
  std::string last = e.integers({Emitter::rankOf(logits) - 1});
  std::string sum =
      e.node("ReduceSum", {e.node("Mul", {target, logs}), last}, {{"keepdims", int64_t(0)}});
  e.set(op, e.node("Neg", {sum}));
}

static void emitMse(Emitter &e, train::MseOp op) {
  Aligned x = align(e, {op.getX(), op.getTarget()}, Emitter::rankOf(op));
  std::string difference = e.node("Sub", x.names);
  e.set(op, e.node("Mul", {difference, difference}), x.order);
}

static void emitL1(Emitter &e, train::L1Op op) {
  Aligned x = align(e, {op.getX(), op.getTarget()}, Emitter::rankOf(op));
  e.set(op, e.node("Abs", {e.node("Sub", x.names)}), x.order);
}

static void emitSmoothL1(Emitter &e, train::SmoothL1Op op) {
  Aligned x = align(e, {op.getX(), op.getTarget()}, Emitter::rankOf(op));
  Type element = Emitter::elementTypeOf(op);
  double width = number(op.getBeta());
  std::string distance = e.node("Abs", {e.node("Sub", x.names)}), beta = e.number(width, element);
  std::string square = e.node("Mul", {distance, distance});
  std::string inside = e.node("Mul", {square, e.number(0.5 / width, element)});
  std::string outside = e.node("Sub", {distance, e.number(width / 2, element)});
  std::string isInside = e.node("Less", {distance, beta});
  e.set(op, e.node("Where", {isInside, inside, outside}), x.order);
}

/// Exports |x| (x > 0 ? 1 - target : target) + log1p(exp(-|x|)), the formula of the op itself.
static void emitBce(Emitter &e, train::BceWithLogitsOp op) {
  Aligned x = align(e, {op.getX(), op.getTarget()}, Emitter::rankOf(op));
  Type element = Emitter::elementTypeOf(op);
  std::string size = e.node("Abs", {x.names[0]}), zero = e.number(0, element);
  std::string isPositive = e.node("Greater", {x.names[0], zero});
  std::string other = e.node("Sub", {e.number(1, element), x.names[1]});
  std::string wrong = e.node("Where", {isPositive, other, x.names[1]});
  std::string rest = log1p(e, e.node("Exp", {e.node("Neg", {size})}), element);
  e.set(op, e.node("Add", {e.node("Mul", {size, wrong}), rest}), x.order);
}

static void emitHuber(Emitter &e, train::HuberOp op) {
  Aligned x = align(e, {op.getX(), op.getTarget()}, Emitter::rankOf(op));
  Type element = Emitter::elementTypeOf(op);
  double delta = number(op.getDelta());
  std::string distance = e.node("Abs", {e.node("Sub", x.names)}), half = e.number(0.5, element);
  std::string square = e.node("Mul", {half, e.node("Mul", {distance, distance})});
  std::string rest = e.node("Sub", {distance, e.number(delta / 2, element)});
  std::string line = e.node("Mul", {e.number(delta, element), rest});
  std::string isFar = e.node("Greater", {distance, e.number(delta, element)});
  e.set(op, e.node("Where", {isFar, line, square}), x.order);
}

static void emitKlDiv(Emitter &e, train::KlDivOp op) {
  Aligned x = align(e, {op.getX(), op.getTarget()}, Emitter::rankOf(op));
  std::string zero = e.number(0, Emitter::elementTypeOf(op)), target = x.names[1];
  std::string rest = e.node("Sub", {e.node("Log", {target}), x.names[0]});
  std::string isZero = e.node("Equal", {target, zero});
  e.set(op, e.node("Where", {isZero, zero, e.node("Mul", {target, rest})}), x.order);
}

static void emitHinge(Emitter &e, train::HingeOp op) {
  Aligned x = align(e, {op.getX(), op.getTarget()}, Emitter::rankOf(op));
  std::string one = e.number(1, Emitter::elementTypeOf(op));
  e.set(op, e.node("Relu", {e.node("Sub", {one, e.node("Mul", x.names)})}), x.order);
}

static void emitPoissonNll(Emitter &e, train::PoissonNllOp op) {
  Aligned x = align(e, {op.getX(), op.getTarget()}, Emitter::rankOf(op));
  e.set(op, e.node("Sub", {e.node("Exp", {x.names[0]}), e.node("Mul", x.names)}), x.order);
}

std::vector<Entry> exporting::lossEntries() {
  return {
      entry<train::SoftmaxCrossEntropyOp, emitCrossEntropy>(),
      entry<train::NllOp, emitNll>(),
      entry<train::MseOp, emitMse>(),
      entry<train::HuberOp, emitHuber>(),
      entry<train::KlDivOp, emitKlDiv>(),
      entry<train::HingeOp, emitHinge>(),
      entry<train::PoissonNllOp, emitPoissonNll>(),
      entry<train::L1Op, emitL1>(),
      entry<train::SmoothL1Op, emitSmoothL1>(),
      entry<train::BceWithLogitsOp, emitBce>(),
  };
}
