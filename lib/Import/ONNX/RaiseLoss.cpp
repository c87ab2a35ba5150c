// Restoration of losses and table lookups that an exporter decomposed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Raise.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include <cmath>

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

static NamedAttribute reductionAttr(Operation *root, train::Reduction kind) {
  return NamedAttribute(StringAttr::get(root->getContext(), "reduction"),
                        train::ReductionAttr::get(root->getContext(), kind));
}
/// Creates a loss with the type of the root's result.
template <typename Op>
static Operation *makeLoss(Operation *root, Value x, Value target,
                           train::Reduction kind = train::Reduction::none) {
  return makeBefore(root, Op::getOperationName(), {x, target}, reductionAttr(root, kind),
                    root->getResult(0).getType());
}

// ---- Classes ----

/// Matches log(softmax(x)).
static Operation *raiseLogSoftmax(Operation *root) {
  auto log = dyn_cast<train::LogOp>(root);
  auto softmax = log ? log.getX().getDefiningOp<train::SoftmaxOp>() : nullptr;
  return softmax ? makeBefore(root, train::LogSoftmaxOp::getOperationName(), softmax.getX(),
                              softmax->getAttrs(), softmax.getType())
                 : nullptr;
}

/// Matches the negative log-softmax at the class of every row.
static Operation *raisePicked(Operation *root) {
  auto nll = dyn_cast<train::NllOp>(root);
  auto logs = nll ? nll.getX().getDefiningOp<train::LogSoftmaxOp>() : nullptr;
  return logs && logs.getAlong() == nll.getAlong()
             ? makeBefore(root, train::SoftmaxCrossEntropyOp::getOperationName(),
                          {logs.getX(), nll.getLabel()}, root->getAttrs(), nll.getType())
             : nullptr;
}

/// Sum along the last dimension, kept or not.
static train::ReduceSumOp sumOfRows(Value value) {
  auto sum = value.getDefiningOp<train::ReduceSumOp>();
  int64_t last = sum ? tensorOf(sum.getX()).getRank() - 1 : 0;
  return sum && sum.getDims() == ArrayRef<int64_t>(last) ? sum : nullptr;
}

/// Operand of a mean or sum to a scalar over sums of rows; else `value` itself.
static Value belowReduction(Value value, train::Reduction &kind) {
  Operation *op = value.getDefiningOp();
  if (tensorOf(value).getRank() != 0 || !value.hasOneUse() ||
      !isa_and_nonnull<train::ReduceMeanOp, train::ReduceSumOp>(op) ||
      !op->getOperand(0).getDefiningOp<train::ReduceSumOp>())
    return value;
  kind = isa<train::ReduceMeanOp>(op) ? train::Reduction::mean : train::Reduction::sum;
  return op->getOperand(0);
}

/// Matches -sum(target * log_softmax(x)) over rows, with the sign inside or in front of the mean. A
/// target by `OneHot` stays one-hot: a class out of range has loss 0.
static Operation *raiseDistribution(Operation *root) {
  double sign = 1;
  train::Reduction kind = train::Reduction::none;
  Value value = root->getResult(0);
  if (auto negative = dyn_cast<train::NegOp>(root)) {
    sign = -1;
    value = belowReduction(negative.getX(), kind);
  }
  auto sum = sumOfRows(value);
  if (!sum || (sign < 0 && !value.hasOneUse()))
    return nullptr;
  Product product = apart(sum.getX());
  if (product.values.size() != 2 || product.factor * sign != -1)
    return nullptr;
  for (unsigned i : {0, 1}) {
    auto logs = product.values[i].getDefiningOp<train::LogSoftmaxOp>();
    Value target = product.values[1 - i];
    if (!logs || !logs.isAlongLast() || target.getType() != logs.getType())
      continue;
    return makeLoss<train::SoftmaxCrossEntropyOp>(root, logs.getX(), target, kind);
  }
  return nullptr;
}

// ---- Binary cross entropy ----

namespace {
struct Term {
  double sign;
  Value value;
};
} // namespace

/// Collects terms of nested sums and differences without other consumers.
static void takeTerms(Value value, double sign, SmallVectorImpl<Term> &terms, int depth = 0) {
  Operation *op = value.getDefiningOp();
  bool isOpen = op && canLookThrough(value, depth);
  if (isOpen && isa<train::NegOp>(op))
    return takeTerms(op->getOperand(0), -sign, terms, depth + 1);
  if (!isOpen || !isa<train::AddOp, train::SubOp>(op))
    return terms.push_back({sign, value});
  takeTerms(op->getOperand(0), sign, terms, depth + 1);
  takeTerms(op->getOperand(1), isa<train::SubOp>(op) ? -sign : sign, terms, depth + 1);
}

/// Operand of 1 - value, written as a difference or as 1 + (-value); null for other values.
static Value complementOf(Value value) {
  auto isOne = [](Value x) { return numberOf(x) == 1.0; };
  if (auto difference = value.getDefiningOp<train::SubOp>())
    return isOne(difference.getLhs()) ? difference.getRhs() : Value();
  if (auto sum = value.getDefiningOp<train::AddOp>())
    for (unsigned i : {0, 1})
      if (auto negative = sum->getOperand(i).getDefiningOp<train::NegOp>();
          negative && isOne(sum->getOperand(1 - i)))
        return negative.getX();
  return {};
}
/// Operand of 1 - value up to the sign: `value - 1` negates the factor.
static Value complementOf(Value value, double &factor) {
  if (auto difference = value.getDefiningOp<train::SubOp>();
      difference && numberOf(difference.getRhs()) == 1.0) {
    factor = -factor;
    return difference.getLhs();
  }
  return complementOf(value);
}

namespace {
/// Operand of a sigmoid, and the lower bound of the sigmoid's logarithm, if any.
struct Logit {
  Value x;
  std::optional<double> least;
};
} // namespace

/// Value below a lower bound, which goes to `least`.
static Value unbounded(Value value, std::optional<double> &least) {
  if (auto clamp = value.getDefiningOp<train::ClampOp>();
      clamp && clamp.getHigh().convertToDouble() >= 0) {
    least = clamp.getLow().convertToDouble();
    return clamp.getX();
  }
  if (auto maximum = value.getDefiningOp<train::MaximumOp>())
    for (unsigned i : {0, 1})
      if (auto number = numberOf(maximum->getOperand(i))) {
        least = number;
        return maximum->getOperand(1 - i);
      }
  return value;
}

/// Value below reshapes.
static Value unshaped(Value value) {
  while (auto reshape = value ? value.getDefiningOp<train::ReshapeOp>() : nullptr)
    value = reshape.getX();
  return value;
}

/// Logit x if `value` is log(sigmoid(x)), or with `isRest` log(1 - sigmoid(x)).
static Logit logitOf(Value value, bool isRest) {
  Logit logit;
  auto log = unbounded(value, logit.least).getDefiningOp<train::LogOp>();
  Value inside = log ? log.getX() : Value();
  if (inside && isRest)
    inside = complementOf(inside);
  inside = unshaped(inside);
  if (auto sigmoid = inside ? inside.getDefiningOp<train::SigmoidOp>() : nullptr)
    logit.x = sigmoid.getX();
  return logit;
}

/// `x` in the shape of the target.
static Value shapedAs(Operation *root, Value x, Value target) {
  if (x.getType() == target.getType() ||
      tensorOf(x).getNumElements() != tensorOf(target).getNumElements())
    return x;
  Operation *made = makeBefore(root, train::ReshapeOp::getOperationName(), x, {}, target.getType());
  return made ? made->getResult(0) : x;
}

/// Logit clamped for a lower bound of the logarithms: a bound of -100 equals clamping x to [-100,
/// 100], up to 1e-43, because beyond, one logarithm is the bound and the other is 0. Null for
/// bounds above -50, where the difference shows.
static Value bounded(Operation *root, const Logit &logit) {
  if (!logit.least)
    return logit.x;
  if (!(*logit.least <= -50))
    return {};
  Builder b(root->getContext());
  Operation *made = makeBefore(root, train::ClampOp::getOperationName(), logit.x,
                               {b.getNamedAttr("low", b.getF64FloatAttr(*logit.least)),
                                b.getNamedAttr("high", b.getF64FloatAttr(-*logit.least))},
                               logit.x.getType());
  return made ? made->getResult(0) : Value();
}

/// Matches -(t log(sigmoid(x)) + (1 - t) log(1 - sigmoid(x))), the form of torch.onnx; the
/// logarithms may have a lower bound.
static Operation *raiseTwoLogs(Operation *root, const Product &yes, const Product &no) {
  for (unsigned i : {0, 1})
    for (unsigned j : {0, 1}) {
      Logit logit = logitOf(yes.values[i], false), rest = logitOf(no.values[j], true);
      Value target = yes.values[1 - i];
      double factor = no.factor;
      if (!logit.x || rest.x != logit.x || rest.least != logit.least ||
          complementOf(no.values[1 - j], factor) != target || factor != -1 ||
          target.getType() != yes.values[i].getType())
        continue;
      logit.x = shapedAs(root, logit.x, target);
      if (Value x = bounded(root, logit))
        return makeLoss<train::BceWithLogitsOp>(root, x, target);
    }
  return nullptr;
}

/// Matches (1 - t) x - log(sigmoid(x)), PyTorch's decomposition.
static Operation *raiseOneLog(Operation *root, const Product &line, Value log) {
  Logit logit = logitOf(log, false);
  for (unsigned i : {0, 1})
    if (Value target = complementOf(line.values[1 - i]); logit.x && !logit.least && target &&
                                                         line.values[i] == logit.x &&
                                                         target.getType() == logit.x.getType())
      return makeLoss<train::BceWithLogitsOp>(root, logit.x, target);
  return nullptr;
}

static Operation *raiseBinary(Operation *root) {
  if (!isa<train::NegOp, train::AddOp, train::SubOp>(root))
    return nullptr;
  SmallVector<Term> terms;
  takeTerms(root->getResult(0), 1, terms);
  if (terms.size() != 2)
    return nullptr;
  for (unsigned i : {0, 1}) {
    Product a = apart(terms[i].value), b = apart(terms[1 - i].value);
    a.factor *= terms[i].sign;
    b.factor *= terms[1 - i].sign;
    Operation *made = nullptr;
    if (a.values.size() == 2 && b.values.size() == 2 && a.factor == -1 && std::abs(b.factor) == 1)
      made = raiseTwoLogs(root, a, b);
    else if (a.values.size() == 2 && b.values.size() == 1 && a.factor == 1 && b.factor == -1)
      made = raiseOneLog(root, a, b.values[0]);
    if (made)
      return made;
  }
  return nullptr;
}

// ---- Reductions ----

static bool isWithoutReduction(Operation *op) {
  auto how = op->getAttrOfType<train::ReductionAttr>("reduction");
  return how && how.getValue() == train::Reduction::none;
}

/// Folds the mean or sum of all losses into the loss, with a sign for the negated loss.
static Operation *raiseReduction(Operation *root) {
  auto mean = dyn_cast<train::ReduceMeanOp>(root);
  auto sum = dyn_cast<train::ReduceSumOp>(root);
  if ((!mean && !sum) || tensorOf(root->getResult(0)).getRank() != 0)
    return nullptr;
  Value value = root->getOperand(0);
  while (auto reshape = value.getDefiningOp<train::ReshapeOp>())
    value = reshape.getX();
  Operation *loss = value.getDefiningOp();
  if (!isa_and_nonnull<train::SoftmaxCrossEntropyOp, train::NllOp, train::BceWithLogitsOp>(loss) ||
      !value.hasOneUse() || !isWithoutReduction(loss) || (mean && loss->hasAttr("ignore")))
    return nullptr;
  NamedAttrList attributes(loss->getAttrs());
  auto how = reductionAttr(root, mean ? train::Reduction::mean : train::Reduction::sum);
  attributes.set(how.getName(), how.getValue());
  return makeBefore(root, loss->getName().getStringRef(), loss->getOperands(),
                    attributes.getAttrs(), root->getResult(0).getType());
}

/// Cancels two signs, also across a mean or sum: the log-probability at a row's class is minus the
/// loss.
static Operation *raiseSign(Operation *root) {
  auto outer = dyn_cast<train::NegOp>(root);
  if (!outer)
    return nullptr;
  Operation *first = nullptr, *last = nullptr;
  Value value = outer.getX();
  while (Operation *op = value.getDefiningOp()) {
    if (auto inner = dyn_cast<train::NegOp>(op)) {
      if (!last)
        return inner.getX().getDefiningOp() && isa<OpResult>(inner.getX()) &&
                       cast<OpResult>(inner.getX()).getResultNumber() == 0
                   ? inner.getX().getDefiningOp()
                   : nullptr;
      last->setOperand(0, inner.getX());
      first->setLoc(root->getLoc());
      return first;
    }
    if (!value.hasOneUse() || !isa<train::ReduceMeanOp, train::ReduceSumOp, train::ReshapeOp>(op))
      return nullptr;
    first = first ? first : op;
    last = op;
    value = op->getOperand(0);
  }
  return nullptr;
}

Operation *ampc::onnx::raiseLoss(Operation *root) {
  for (auto raise :
       {raiseLogSoftmax, raisePicked, raiseBinary, raiseDistribution, raiseReduction, raiseSign})
    if (Operation *made = raise(root))
      return made;
  return nullptr;
}

// ---- Table lookups ----

Operation *ampc::onnx::raiseOneHot(Operation *root) {
  auto product = dyn_cast<train::MatmulOp>(root);
  if (!isa<train::MatmulOp, train::LinearOp>(root) || root->getNumOperands() != 2 ||
      (product && (product.getTransposeLhs() || product.getTransposeRhs())))
    return nullptr;
  auto hot = root->getOperand(0).getDefiningOp<train::OneHotOp>();
  Value table = root->getOperand(1);
  if (!hot || tensorOf(table).getRank() != 2)
    return nullptr;
  return makeBefore(root, train::GatherOp::getOperationName(), {table, hot.getLabel()}, {},
                    root->getResult(0).getType());
}
