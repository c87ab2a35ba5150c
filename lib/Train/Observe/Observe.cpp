// Marked values as additional results of a step's program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Train/Observe.h"
#include "ampc/Precision/Profile.h"
#include "ampc/Train/Passes.h"
#include "mlir-dialects/Train/Program/Signature.h"
#include "mlir-dialects/Train/TrainFlat.h"
#include "llvm/ADT/StringSet.h"

namespace ampc {
#define GEN_PASS_DEF_TRAINOBSERVE
#include "ampc/Train/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

/// Mark of a value; null if there is none. A recomputed value has the mark of the original.
static DictionaryAttr markOf(Value v) {
  Operation *op = v.getDefiningOp();
  auto marks = op ? op->getAttrOfType<ArrayAttr>("train.values") : ArrayAttr();
  if (!marks)
    return {};
  auto mark = cast<DictionaryAttr>(marks[cast<OpResult>(v).getResultNumber()]);
  return mark.empty() ? DictionaryAttr() : mark;
}

static StringRef keyOf(DictionaryAttr mark) { return cast<StringAttr>(mark.get("key")).getValue(); }

static bool isRounding(Operation *op) {
  return isa<train::CastOp>(op) && isa<FloatType>(getElementTypeOrSelf(op->getOperand(0))) &&
         getElementTypeOrSelf(op->getResult(0)).getIntOrFloatBitWidth() <
             getElementTypeOrSelf(op->getOperand(0)).getIntOrFloatBitWidth() &&
         !isa<IntegerType>(getElementTypeOrSelf(op->getResult(0)));
}

/// Value as the consumers read it: the rounded form if a rounding cast is the only consumer, e.g.
/// f32 -> bf16, else the value.
static Value asConsumed(Value v) {
  return v.hasOneUse() && isRounding(*v.getUsers().begin()) ? (*v.getUsers().begin())->getResult(0)
                                                            : v;
}

static std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

namespace {
struct TrainObserve : ampc::impl::TrainObserveBase<TrainObserve> {
  void runOnOperation() override {
    if (failed(checkIsFlat(getOperation(), getArgument())))
      return signalPassFailure();
    getOperation()->walk([&](train::FuncOp func) {
      if (func.is(train::Role::Train))
        observe(func);
    });
  }

private:
  void observe(train::FuncOp func) {
    SmallVector<std::pair<Value, std::string>> results;
    llvm::StringSet<> known;
    for (Operation &op : func.getBody().front().without_terminator())
      for (Value v : op.getResults()) {
        DictionaryAttr mark = op.hasAttr("amp.recompute") ? DictionaryAttr() : markOf(v);
        if (!mark || !known.insert(keyOf(mark)).second)
          continue;
        Value seen = asConsumed(v);
        results.push_back({seen, keyOf(mark).str()});
        if (seen != v)
          continue;
        for (Operation *user : v.getUsers())
          if (isRounding(user) && !user->hasAttr("amp.recompute")) {
            std::string key =
                (keyOf(mark) + " as " + textOf(getElementTypeOrSelf(user->getResult(0)))).str();
            if (known.insert(key).second)
              results.push_back({user->getResult(0), key});
          }
      }
    for (auto &[value, key] : results)
      Signature(func).addResult(value,
                                train::OutputAttr::get(&getContext(), train::Output::Observed,
                                                       StringAttr::get(&getContext(), key), -1));
  }
};

/// Names of the values that an op depends on, looking through ops without a key.
class ProducerNames {
public:
  ProducerNames(train::FuncOp func, Operation *op) : func(func) {
    for (Value operand : op->getOperands())
      add(operand);
  }
  std::vector<std::string> names;

private:
  void add(Value v) {
    if (!seen.insert(v).second)
      return;
    if (BlockArgument argument = programArgument(v)) {
      Signature signature(func);
      if (auto state = signature.argument<train::StateAttr>(argument))
        note(state.getName());
      else if (auto input = signature.argument<train::InputAttr>(argument))
        note(input.getName());
    } else if (DictionaryAttr mark = markOf(v)) {
      note(keyOf(mark));
    } else {
      for (Value operand : v.getDefiningOp()->getOperands())
        add(operand);
    }
  }
  void note(StringRef name) {
    if (!llvm::is_contained(names, name))
      names.push_back(name.str());
  }
  train::FuncOp func;
  DenseSet<Value> seen;
};
} // namespace

static std::string locationOf(Operation *op) {
  std::string text;
  op->getLoc()->walk([&](Location at) {
    auto place = dyn_cast<FileLineColLoc>(at);
    if (!place)
      return WalkResult::advance();
    llvm::raw_string_ostream(text)
        << place.getFilename().getValue() << ":" << place.getLine() << ":" << place.getColumn();
    return WalkResult::interrupt();
  });
  return text;
}

static ObservedValue describe(train::FuncOp func, Value result, StringRef key) {
  ObservedValue value;
  value.key = key.str();
  value.step = func.getStepName().str();
  Value source = markOf(result) ? result : result.getDefiningOp()->getOperand(0);
  DictionaryAttr mark = markOf(source);
  bool isForm = keyOf(mark) != key;
  Operation *op = isForm ? result.getDefiningOp() : source.getDefiningOp();
  value.op = op->getName().stripDialect().str();
  value.location = locationOf(source.getDefiningOp());
  value.producers = ProducerNames(func, op).names;
  value.mayCancel = mayCancel(op);
  value.isStatistic = mark.get("statistic") != nullptr;
  auto kind = cast<StringAttr>(mark.get("kind")).getValue();
  for (ValueKind k :
       {ValueKind::Forward, ValueKind::Gradient, ValueKind::WeightGradient, ValueKind::Update})
    if (textOf(k) == kind)
      value.kind = k;
  return value;
}

std::vector<ObservedValue> ampc::findObserved(ModuleOp module) {
  std::vector<ObservedValue> values;
  module->walk([&](train::FuncOp func) {
    if (!func.is(train::Role::Train))
      return;
    for (OpOperand &returned : func.getBody().front().getTerminator()->getOpOperands())
      if (auto output = Signature(func).result<train::OutputAttr>(returned);
          output && output.getKind() == train::Output::Observed)
        values.push_back(describe(func, returned.get(), output.getName()));
  });
  return values;
}
