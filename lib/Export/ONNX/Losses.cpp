// Losses of rows or elements, which models give beside their scores.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Export/ONNX/Emitter.h"
#include "mlir-dialects/Train/Numbers.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::exporting;

/// Of classes, one per row. Those that are ignored read class 0 and have loss 0.
static std::string lossOfClasses(Emitter &e, train::SoftmaxCrossEntropyOp op, std::string logs) {
  Value target = op.getTarget();
  Type i32 = Emitter::elementTypeOf(target), element = Emitter::elementTypeOf(op.getLogits());
  std::string classes = e.in(target), isIgnored;
  if (op.getIgnore()) {
    isIgnored = e.node("Equal", {classes, e.number(double(*op.getIgnore()), i32)});
    classes = e.node("Where", {isIgnored, e.number(0, i32), classes});
  }
  int64_t axis = Emitter::rankOf(op.getLogits()) - 1;
  std::string last = e.integers({axis}), column = e.node("Unsqueeze", {classes, last});
  std::string log = e.node("GatherElements", {logs, column}, {{"axis", axis}});
  std::string loss = e.node("Neg", {e.node("Squeeze", {log, last})});
  double smoothing = number(op.getSmoothing());
  if (smoothing != 0) {
    double share = smoothing / double(Emitter::shapeOf(op.getLogits()).back());
    std::string sum = e.node("ReduceSum", {logs, last}, {{"keepdims", int64_t(0)}});
    std::string others = e.node("Mul", {sum, e.number(-share, element)});
    loss = e.node("Add", {e.node("Mul", {loss, e.number(1 - smoothing, element)}), others});
  }
  return isIgnored.empty() ? loss : e.node("Where", {isIgnored, e.number(0, element), loss});
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

/// |x| (1 - target or target, whichever is wrong) + log1p(exp(-|x|)), as the op itself.
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

std::vector<Entry> exporting::lossEntries() {
  return {
      entry<train::SoftmaxCrossEntropyOp, emitCrossEntropy>(),
      entry<train::MseOp, emitMse>(),
      entry<train::L1Op, emitL1>(),
      entry<train::SmoothL1Op, emitSmoothL1>(),
      entry<train::BceWithLogitsOp, emitBce>(),
  };
}
