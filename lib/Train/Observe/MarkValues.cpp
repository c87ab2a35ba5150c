// Keys of values, unique within a program and equal in every precision.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Train/Observe.h"
#include "ampc/Train/Passes.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir-dialects/Train/Program/Signature.h"
#include "mlir-dialects/Train/TrainFlat.h"

namespace ampc {
#define GEN_PASS_DEF_TRAINMARKVALUES
#include "ampc/Train/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

StringRef ampc::textOf(ValueKind kind) {
  switch (kind) {
  case ValueKind::Forward:
    return "forward";
  case ValueKind::Gradient:
    return "gradient";
  case ValueKind::WeightGradient:
    return "weight-gradient";
  case ValueKind::Update:
    return "update";
  }
  llvm_unreachable("all kinds are covered");
}

static bool isRealValue(Value v) { return isa<FloatType>(getElementTypeOrSelf(v)); }

namespace {
/// Walks a program; the kind of an op follows from the kinds of the operands: gradient -> gradient,
/// weight gradient -> update. A value inside a loop has a single key for all rounds; carried
/// values, rows and results of a loop are copies of values with keys.
class KeyAssigner {
public:
  explicit KeyAssigner(train::FuncOp func) : func(func), body(func.getBody().front()) {}
  std::vector<KeyedValue> run() {
    while (findKinds())
      ;
    addInputs();
    body.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto scan = dyn_cast<train::ScanOp>(op))
        visitLoop(scan);
      else
        visit(op);
    });
    return std::move(values);
  }

private:
  bool findKinds();
  bool setKind(Value value, ValueKind kind);
  ValueKind kindOf(Operation *op) const;
  bool isKnownStatistic(Value value) const;
  bool isStatistic(Operation *op, Value result) const;
  void addInputs();
  void visitLoop(train::ScanOp scan);
  void visit(Operation *op);

  train::FuncOp func;
  Block &body;
  DenseMap<Value, ValueKind> kinds;
  DenseSet<Value> statistics;
  llvm::StringMap<unsigned> taken;
  std::vector<KeyedValue> values;
};
} // namespace

/// Whether the result is a statistic of operand x that an adjoint returns beside a cotangent.
/// Statistics do not carry the loss scale.
static bool isSideStatistic(Value result) {
  auto precision = result.getDefiningOp<PrecisionOpInterface>();
  return precision && precision.resultIsStatistic(cast<OpResult>(result).getResultNumber());
}

ValueKind KeyAssigner::kindOf(Operation *op) const {
  if (isa<train::GradientOp>(op))
    return ValueKind::WeightGradient;
  if (isa<train::SeedOp>(op))
    return ValueKind::Gradient;
  ValueKind kind = stageOf(op) == train::Stage::Update ? ValueKind::Update : ValueKind::Forward;
  for (Value operand : op->getOperands()) {
    auto of = kinds.find(operand);
    if (of == kinds.end())
      continue;
    if (of->second == ValueKind::WeightGradient || of->second == ValueKind::Update)
      return ValueKind::Update;
    if (of->second == ValueKind::Gradient)
      kind = ValueKind::Gradient;
  }
  return kind;
}

/// Kinds only rise, so that the kinds of values that rounds pass on settle.
bool KeyAssigner::setKind(Value value, ValueKind kind) {
  auto [at, isNew] = kinds.try_emplace(value, kind);
  if (isNew || at->second >= kind)
    return isNew;
  at->second = kind;
  return true;
}

/// Kinds by the kinds that are known so far; whether a kind has changed.
bool KeyAssigner::findKinds() {
  bool changed = false;
  auto copy = [&](Value to) {
    for (Value from : flowsFrom(to))
      if (auto of = kinds.find(from); of != kinds.end())
        changed |= setKind(to, of->second);
  };
  body.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto scan = dyn_cast<train::ScanOp>(op)) {
      llvm::for_each(scan.getBody().getArguments(), copy);
      llvm::for_each(scan.getResults(), copy);
    } else if (!op->hasTrait<OpTrait::ConstantLike>()) {
      for (Value result : op->getResults())
        changed |= setKind(result, isSideStatistic(result) ? ValueKind::Forward : kindOf(op));
    }
  });
  return changed;
}

/// Whether the value is a statistic, or a loop's result that is a statistic in every round.
bool KeyAssigner::isKnownStatistic(Value value) const {
  if (value.getDefiningOp<train::ScanOp>())
    value = flowsFrom(value).front();
  return statistics.contains(value);
}

/// Whether the value is a statistic, by the rule of the precision pass, from facts known before
/// precision is assigned.
bool KeyAssigner::isStatistic(Operation *op, Value result) const {
  if (isa<train::SeedOp>(op) || cast<RankedTensorType>(result.getType()).getNumElements() == 1)
    return true;
  bool any = false;
  for (Value operand : op->getOperands()) {
    Operation *made = operand.getDefiningOp();
    if (!isRealValue(operand) || (made && made->hasTrait<OpTrait::ConstantLike>()))
      continue;
    any = true;
    if (!isKnownStatistic(operand))
      return false;
  }
  return any;
}

/// Adds inputs; the micro-batches of an input share its name.
void KeyAssigner::addInputs() {
  for (BlockArgument argument : body.getArguments()) {
    auto input = Signature(func).argument<train::InputAttr>(argument);
    if (!input || !isRealValue(argument))
      continue;
    StringAttr name = input.getName();
    taken[name.getValue()] = 1;
    bool single = cast<RankedTensorType>(argument.getType()).getNumElements() == 1;
    values.push_back({argument, name.str(), ValueKind::Forward, single});
  }
}

/// A copy of a statistic is a statistic, if the copy has no other source; a carried scalar is a
/// statistic, too.
void KeyAssigner::visitLoop(train::ScanOp scan) {
  for (BlockArgument argument : scan.getBody().getArguments()) {
    SmallVector<Value, 2> from = flowsFrom(argument);
    bool isSingle = cast<RankedTensorType>(argument.getType()).getNumElements() == 1;
    if (isSingle || (from.size() == 1 && statistics.contains(from.front())))
      statistics.insert(argument);
  }
}

void KeyAssigner::visit(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>())
    return;
  for (Value result : op->getResults()) {
    if (!isRealValue(result))
      continue;
    bool statistic = isStatistic(op, result);
    if (statistic)
      statistics.insert(result);
    // A train.gradient op repeats the value in front of the mark.
    bool isMarked = !result.use_empty() && llvm::all_of(result.getUsers(), [](Operation *user) {
      return isa<train::GradientOp>(user);
    });
    if (isa<train::SeedOp>(op) || isMarked)
      continue;
    std::string key = nameOf(op);
    unsigned number = ++taken[key];
    if (number > 1)
      key += ":" + std::to_string(number);
    values.push_back({result, std::move(key), kinds.lookup(result), statistic});
  }
}

std::vector<KeyedValue> ampc::keyValues(train::FuncOp func) { return KeyAssigner(func).run(); }

namespace {
struct TrainMarkValues : ampc::impl::TrainMarkValuesBase<TrainMarkValues> {
  void runOnOperation() override {
    if (failed(checkHasOnlyLoops(getOperation(), getArgument())))
      return signalPassFailure();
    Builder b(&getContext());
    getOperation()->walk([&](train::FuncOp func) {
      if (!func.is(train::Role::Train))
        return;
      for (const KeyedValue &keyed : keyValues(func)) {
        SmallVector<NamedAttribute> mark{
            b.getNamedAttr("key", b.getStringAttr(keyed.key)),
            b.getNamedAttr("kind", b.getStringAttr(textOf(keyed.kind)))};
        if (keyed.isStatistic)
          mark.push_back(b.getNamedAttr("statistic", b.getUnitAttr()));
        Operation *op = keyed.value.getDefiningOp();
        if (!op)
          continue; // inputs of the caller
        SmallVector<Attribute> marks(op->getNumResults(), b.getDictionaryAttr({}));
        if (auto known = op->getAttrOfType<ArrayAttr>("train.values"))
          llvm::copy(known, marks.begin());
        marks[cast<OpResult>(keyed.value).getResultNumber()] = b.getDictionaryAttr(mark);
        op->setAttr("train.values", b.getArrayAttr(marks));
      }
    });
  }
};
} // namespace
