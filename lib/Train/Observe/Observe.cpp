// Marked values as additional results of a step's program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Train/Observe.h"
#include "ampc/Precision/Profile.h"
#include "ampc/Train/Passes.h"
#include "mlir-dialects/Train/Ops/Loops.h"
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

/// Value as the consumers read it: the rounded form if a rounding cast in the same block is the
/// only consumer, e.g. f32 -> bf16, else the value.
static Value asConsumed(Value v) {
  Operation *user = v.hasOneUse() ? *v.getUsers().begin() : nullptr;
  return user && user->getBlock() == v.getParentBlock() && isRounding(user) ? user->getResult(0)
                                                                            : v;
}

static std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

namespace {
/// Values of a program that become results, with their keys.
class ObservedValues {
public:
  explicit ObservedValues(train::FuncOp func) : func(func) {
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (Value v : op->getResults())
        if (DictionaryAttr mark = op->hasAttr("amp.recompute") ? DictionaryAttr() : markOf(v))
          add(v, keyOf(mark));
    });
  }
  /// The values outside of loops: of a value inside, the tensor of all rounds.
  ArrayRef<std::pair<Value, std::string>> ofAllRounds() {
    func.walk([&](train::ScanOp scan) { keepValues(scan); }); // the innermost loops first
    return values;
  }

private:
  void add(Value v, StringRef key);
  void keepValues(train::ScanOp scan);

  train::FuncOp func;
  SmallVector<std::pair<Value, std::string>> values;
  llvm::StringSet<> known;
};
} // namespace

/// Adds a value in the form that the consumers read, and copies that are rounded for some
/// consumers.
void ObservedValues::add(Value v, StringRef key) {
  if (!known.insert(key).second)
    return;
  Value seen = asConsumed(v);
  values.push_back({seen, key.str()});
  if (seen != v)
    return;
  for (Operation *user : v.getUsers())
    if (isRounding(user) && user->getBlock() == v.getParentBlock() &&
        !user->hasAttr("amp.recompute")) {
      std::string rounded = (key + " as " + textOf(getElementTypeOrSelf(user->getResult(0)))).str();
      if (known.insert(rounded).second)
        values.push_back({user->getResult(0), rounded});
    }
}

/// Adds observed values of the block to the values that the loop keeps of every round.
void ObservedValues::keepValues(train::ScanOp scan) {
  SmallVector<Value> kept;
  SmallVector<Value *> places;
  for (auto &[value, key] : values)
    if (value.getParentBlock() == &scan.getBody().front()) {
      kept.push_back(value);
      places.push_back(&value);
    }
  if (kept.empty())
    return;
  ResultRange stacks = keepOfEveryRound(scan, kept).getResults().take_back(kept.size());
  for (auto [place, stack] : llvm::zip(places, stacks))
    *place = stack;
}

namespace {
struct TrainObserve : ampc::impl::TrainObserveBase<TrainObserve> {
  void runOnOperation() override {
    if (failed(checkHasOnlyLoops(getOperation(), getArgument())))
      return signalPassFailure();
    getOperation()->walk([&](train::FuncOp func) {
      if (func.is(train::Role::Train))
        observe(func);
    });
  }

private:
  void observe(train::FuncOp func) {
    ObservedValues found(func);
    for (auto &[value, key] : found.ofAllRounds())
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
    } else if (Operation *op = v.getDefiningOp(); op && !isLoopBoundary(op)) {
      for (Value operand : op->getOperands())
        add(operand);
    } else { // a row, a carried value, or the result of a loop
      for (Value from : flowsFrom(v))
        add(from);
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

/// Loops in program order, with their numbers.
static DenseMap<Operation *, unsigned> numberLoops(train::FuncOp func) {
  DenseMap<Operation *, unsigned> numbers;
  func.walk<WalkOrder::PreOrder>(
      [&](train::ScanOp scan) { numbers.try_emplace(scan, numbers.size()); });
  return numbers;
}

/// The value inside of loops whose tensor of all rounds the result is; adds the loops.
static Value insideLoops(Value result, const DenseMap<Operation *, unsigned> &numbers,
                         std::vector<ObservedLoop> &loops) {
  while (auto scan = result.getDefiningOp<train::ScanOp>()) {
    loops.push_back({numbers.lookup(scan), scan.getRounds(), scan.getReverse(), locationOf(scan)});
    result = flowsFrom(result).front();
  }
  return result;
}

static ObservedValue describe(train::FuncOp func, Value result, StringRef key,
                              const DenseMap<Operation *, unsigned> &loops) {
  ObservedValue value;
  result = insideLoops(result, loops, value.loops);
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
    DenseMap<Operation *, unsigned> loops = numberLoops(func);
    for (OpOperand &returned : func.getBody().front().getTerminator()->getOpOperands())
      if (auto output = Signature(func).result<train::OutputAttr>(returned);
          output && output.getKind() == train::Output::Observed)
        values.push_back(describe(func, returned.get(), output.getName(), loops));
  });
  return values;
}
