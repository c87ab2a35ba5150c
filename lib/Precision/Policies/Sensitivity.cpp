// Values whose rounding would cost a loss more accuracy than the roundings of torch.autocast: the
// cut keeps such values in f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Autocast rounds the operands and results of contractions. Values computed from inputs, rows of
// tables or statistics alone stay f32 until a contraction reads the value, and so do losses. The
// cut rounds no other values than autocast, so the error is not larger, and stores values where
// storage is cheapest. A loss that a model writes out as pointwise ops is recognized by position:
// after the last contraction.
#include "lib/Precision/Policies/HardConstraints.h"
#include "lib/Precision/Ranges.h"
#include "mlir-dialects/Train/Ops/Loops.h"

using namespace mlir;
using namespace ampc;

namespace {
/// Rounding history of a value.
enum class RoundingHistory {
  Neutral, ///< random numbers and constants: exact in any type, or nearly
  Rounded, ///< from a contraction in 16 bits
  Wide,    ///< from f32, without a contraction on the way
};

class SensitivityFinder {
public:
  SensitivityFinder(const PrecisionAnalysis &facts, HardConstraints &hardConstraints)
      : facts(facts), hardConstraints(hardConstraints) {}
  void run() {
    traceOrigins();
    facts.untilStable([&] { return findPlaces(); });
    pinRecurrent();
    for (Operation *op : facts.ops)
      if (facts.isDecided(op))
        for (Value result : op->getResults())
          if (isCandidate(result))
            decide(op, result);
    for (auto &[value, reason] : hardConstraints.sensitive)
      if (maySaveRounded(value))
        hardConstraints.savedLow.insert(value);
    for (Value value : hardConstraints.savedLow)
      if (!fits(value))
        hardConstraints.savedWide.insert(value);
  }

private:
  bool isCandidate(Value v) const {
    return facts.isReal(v) && !facts.isDuplicable(v) && !facts.isUnrounded(v) &&
           !hardConstraints.isFull(v) && !hardConstraints.low.contains(v);
  }
  bool passesOn(Operation *op, Value result) const;
  bool reachesItself(Value argument) const;
  bool isContraction(Operation *op) const {
    return facts.isDecided(op) && facts.treatment(op) == Treatment::Low &&
           facts.lowOf(op) != facts.f32;
  }
  RoundingHistory originOf(Value v) const {
    auto found = origins.find(isCarriedArgument(v) ? v : facts.sourceOf(v));
    return found == origins.end() ? RoundingHistory::Neutral : found->second;
  }
  void traceOrigins();
  bool traceOriginsOnce();
  void pinRecurrent();
  RoundingHistory trace(Operation *op) const;
  bool votes(Operation *op, Value v) const;
  bool findPlaces();
  bool feedsContraction(ValueRange values) const;
  bool readerRounds(OpOperand &use) const;
  bool isBiasSum(OpOperand &use) const;
  bool givesLogits(Operation *op) const;
  void decide(Operation *op, Value result);
  bool isReadAgain(Operation *op) const;
  bool maySaveRounded(Value v) const;
  bool fits(Value v) const;

  const PrecisionAnalysis &facts;
  HardConstraints &hardConstraints;
  DenseMap<Value, RoundingHistory> origins;
  DenseSet<Operation *> feeding;    ///< forward ops with a path to a contraction
  DenseSet<Value> roundedByReaders; ///< values that every consumer rounds first: contractions, and
                                    ///< moves into contractions
  DenseSet<Value> logits;           ///< results of the last contractions that may be rounded
};
} // namespace

/// Votes follow torch: numbers, and tensors broadcast to a larger tensor, do not change the result
/// type. In the backward pass only cotangents vote: forward values are as exact as the cut stores
/// forward values.
bool SensitivityFinder::votes(Operation *op, Value v) const {
  if (!facts.isReal(v) || originOf(v) == RoundingHistory::Neutral)
    return false;
  if (facts.isBackward(op))
    return facts.producerOf(v) && facts.isBackward(facts.producerOf(v));
  return !isa<ScalarOpInterface>(op) || llvm::none_of(op->getOperands(), [&](Value other) {
    return facts.isReal(other) && originOf(other) != RoundingHistory::Neutral &&
           elements(other) > elements(v);
  });
}

RoundingHistory SensitivityFinder::trace(Operation *op) const {
  if (facts.treatment(op) == Treatment::Low)
    return facts.lowOf(op) == facts.f32 ? RoundingHistory::Wide : RoundingHistory::Rounded;
  if (isa<train::SeedOp>(op))
    return RoundingHistory::Wide;
  SmallVector<Value> voters =
      llvm::filter_to_vector(op->getOperands(), [&](Value v) { return votes(op, v); });
  auto is = [&](RoundingHistory origin) {
    return llvm::any_of(voters, [&](Value v) { return originOf(v) == origin; });
  };
  if (facts.isBackward(op)) // a sum of cotangents is rounded if any term is
    return is(RoundingHistory::Rounded) ? RoundingHistory::Rounded
           : is(RoundingHistory::Wide)  ? RoundingHistory::Wide
                                        : RoundingHistory::Neutral;
  if (is(RoundingHistory::Wide) ||
      (is(RoundingHistory::Rounded) && facts.treatment(op) == Treatment::Full))
    return RoundingHistory::Wide;
  if (is(RoundingHistory::Rounded))
    return RoundingHistory::Rounded;
  // Rows of a table and numbers from integers.
  return !facts.isDuplicable(op->getResult(0)) && !op->getOperands().empty() &&
                 llvm::any_of(op->getOperands(), [&](Value v) { return facts.isReal(v); })
             ? RoundingHistory::Wide
             : RoundingHistory::Neutral;
}

void SensitivityFinder::traceOrigins() {
  for (BlockArgument argument : facts.func.getArguments())
    if (facts.isReal(argument) && !facts.isDuplicable(argument))
      origins[argument] = RoundingHistory::Wide;
  facts.untilStable([&] { return traceOriginsOnce(); });
}

/// History of a carried argument: that of the init in the first round, of the value passed on
/// later. Wide prevails in the forward pass, rounded in the backward pass, as in sums.
static RoundingHistory join(RoundingHistory init, RoundingHistory passed, bool isBackward) {
  RoundingHistory strong = isBackward ? RoundingHistory::Rounded : RoundingHistory::Wide,
                  weak = isBackward ? RoundingHistory::Wide : RoundingHistory::Rounded;
  auto is = [&](RoundingHistory history) { return init == history || passed == history; };
  return is(strong) ? strong : is(weak) ? weak : RoundingHistory::Neutral;
}

/// Traces all values once, from the histories so far; whether a history changed.
bool SensitivityFinder::traceOriginsOnce() {
  auto before = origins;
  for (Value copy : facts.copies.all())
    if (isCarriedArgument(copy) && facts.isReal(copy)) {
      SmallVector<Value, 2> from = flowsFrom(copy);
      Operation *producer = facts.producerOf(copy);
      origins[copy] =
          join(originOf(from[1]), originOf(from[0]), producer && facts.isBackward(producer));
    }
  for (Operation *op : facts.ops) {
    // A tensor of constants is f32 like an input; a single constant is neutral.
    if (op->hasTrait<OpTrait::ConstantLike>() && !isNumber(op->getResult(0)))
      origins[op->getResult(0)] = RoundingHistory::Wide;
    if (!facts.isDecided(op))
      continue;
    RoundingHistory origin = trace(op);
    for (Value result : op->getResults())
      if (facts.isReal(result) && !facts.isDuplicable(result))
        origins[result] = origin;
  }
  return before != origins;
}

/// Whether the size of a rounding error in an operand stays in the result: neither a contraction,
/// which rounds the operand anyway, nor a bounded function such as tanh.
bool SensitivityFinder::passesOn(Operation *op, Value result) const {
  if (!facts.isReal(result) || facts.treatment(op) == Treatment::Low)
    return false;
  auto precision = dyn_cast<PrecisionOpInterface>(op);
  return !precision || (precision.getCategory() != Category::LowPrecision &&
                        !precision.getRange(cast<OpResult>(result).getResultNumber(),
                                            [](unsigned) { return ampc::Range(); }));
}

/// Whether the value that a round passes on is computed from the carried argument by ops that pass
/// errors on. Moves alone add no error, e.g. the selection of the old state.
bool SensitivityFinder::reachesItself(Value argument) const {
  Operation *scan = cast<BlockArgument>(argument).getOwner()->getParentOp();
  Value end = flowsFrom(argument).front();
  DenseSet<Value> seen[2]; // without and with arithmetic on the way
  SmallVector<std::pair<Value, bool>> open;
  auto visit = [&](Value v, bool computed) {
    if (seen[computed].insert(v).second)
      open.emplace_back(v, computed);
  };
  visit(argument, false);
  while (!open.empty()) {
    auto [v, computed] = open.pop_back_val();
    for (OpOperand &use : v.getUses()) {
      Operation *user = use.getOwner();
      if (!scan->isProperAncestor(user))
        continue;
      for (Value to : flowsTo(use))
        visit(to, computed);
      for (Value result : user->getResults())
        if (!isLoopBoundary(user) && passesOn(user, result))
          visit(result, computed || !isa<PrecisionOpInterface>(user) || !movesElements(user));
    }
  }
  return seen[true].contains(end);
}

/// States that are not read by contractions alone, such as a cell state or a running sum.
void SensitivityFinder::pinRecurrent() {
  for (Value copy : facts.copies.all()) {
    Operation *op = isCarriedArgument(copy) ? facts.producerOf(copy) : nullptr;
    if (op && facts.isDecided(op) && isCandidate(facts.sourceOf(copy)) && reachesItself(copy))
      hardConstraints.sensitive.try_emplace(
          facts.sourceOf(copy),
          Reason{"recurrent",
                 "rounds pass the value on without a contraction on the way, so that a "
                 "rounding error per round would add up"});
  }
}

/// Whether the consumer reads the value in 16 bits, whatever the storage type.
bool SensitivityFinder::readerRounds(OpOperand &use) const {
  Operation *user = use.getOwner();
  if (!facts.isDecided(user))
    return false;
  auto precision = cast<PrecisionOpInterface>(user);
  if (isContraction(user))
    return !precision.operandStaysFull(use.getOperandNumber());
  auto results =
      llvm::make_filter_range(user->getResults(), [&](Value v) { return facts.isReal(v); });
  return !results.empty() && movesElements(user) &&
         llvm::all_of(results, [&](Value v) { return roundedByReaders.contains(v); });
}

/// Gradients of biases read the same cotangents as the contractions of the same layer.
bool SensitivityFinder::isBiasSum(OpOperand &use) const {
  Operation *user = use.getOwner();
  return facts.isBackward(user) && isa<ReduceOpInterface>(user) && facts.isDecided(user);
}

/// Marks values by their consumers; returns whether a mark is new.
bool SensitivityFinder::findPlaces() {
  size_t before = roundedByReaders.size() + feeding.size();
  for (Operation *op : llvm::reverse(facts.ops)) {
    auto isNear = [&](OpOperand *use) { // consumers in the other pass have no vote
      return facts.isBackward(use->getOwner()) == facts.isBackward(op);
    };
    for (Value result : op->getResults()) {
      auto uses = llvm::filter_to_vector(facts.usesOf(result), isNear);
      if (facts.isReal(result) &&
          llvm::all_of(uses,
                       [&](OpOperand *use) { return readerRounds(*use) || isBiasSum(*use); }) &&
          llvm::any_of(uses, [&](OpOperand *use) { return readerRounds(*use); }))
        roundedByReaders.insert(result);
    }
    if (facts.isBackward(op))
      continue;
    bool contracts = facts.isDecided(op) && facts.treatment(op) == Treatment::Low;
    if (contracts || feedsContraction(op->getResults()))
      feeding.insert(op);
  }
  return roundedByReaders.size() + feeding.size() != before;
}

bool SensitivityFinder::feedsContraction(ValueRange values) const {
  return llvm::any_of(values, [&](Value v) {
    return llvm::any_of(facts.usersOf(v), [&](Operation *user) { return feeding.contains(user); });
  });
}

/// Logits of a wide vocabulary, which autocast hands to the loss rounded. Narrower results, e.g.
/// [batch, 1], are few numbers on which the whole loss depends.
bool SensitivityFinder::givesLogits(Operation *op) const {
  Value result = op->getResult(0);
  if (isContraction(op)) {
    int64_t widest = 0;
    for (Value v : op->getOperands())
      if (facts.isReal(v) && !facts.isDuplicable(v))
        widest = std::max(widest, elements(v));
    return elements(result) >= widest;
  }
  auto isLogits = [&](Value v) { return logits.contains(facts.sourceOf(v)); };
  return (op->hasTrait<SumsOperands>() || movesElements(op)) &&
         llvm::any_of(op->getOperands(), isLogits) && llvm::all_of(op->getOperands(), [&](Value v) {
           return isLogits(v) || facts.isDuplicable(v) || !facts.isReal(v);
         });
}

void SensitivityFinder::decide(Operation *op, Value result) {
  bool isLast = !facts.isBackward(op) && !feedsContraction(result);
  if (isLast && givesLogits(op)) {
    logits.insert(result);
    return;
  }
  if (isLast && !facts.usesOf(result).empty()) {
    hardConstraints.sensitive[result] = {"loss", "between the last contraction and the loss"};
    return;
  }
  if (isContraction(op) || originOf(result) != RoundingHistory::Wide ||
      roundedByReaders.contains(result))
    return;
  if (facts.isBackward(op))
    hardConstraints.sensitive[result] = {
        "loss", "the value is between the loss and the first contraction of the backward pass"};
  else
    hardConstraints.sensitive[result] = {
        "unrounded", "computed from f32, and read by other ops than contractions"};
}

/// Whether the backward rounds of a loop compute the op again from its operands, in f32. A rounded
/// copy of an operand would be kept besides. Example: h - n of a GRU, h f32 and n bf16.
bool SensitivityFinder::isReadAgain(Operation *op) const {
  return llvm::any_of(op->getResults(), [&](Value result) {
    return facts.isReal(result) && facts.isNeverStored(result) && facts.isStoredByLoop(result) &&
           llvm::any_of(facts.usersOf(result),
                        [&](Operation *user) { return facts.isBackward(user); });
  });
}

/// Whether the backward pass may read a rounded copy: all backward consumers combine the value with
/// a cotangent that is rounded anyway.
bool SensitivityFinder::maySaveRounded(Value v) const {
  Operation *op = v.getDefiningOp();
  if (facts.isBackward(op))
    return false;
  bool isKept = false;
  for (Operation *user : facts.usersOf(v)) {
    if (!facts.isBackward(user)) {
      if (isReadAgain(user))
        return false;
      continue;
    }
    isKept = true;
    if (llvm::none_of(user->getOperands(), [&](Value other) {
          Operation *source = facts.producerOf(other);
          return source && facts.isBackward(source) && originOf(other) == RoundingHistory::Rounded;
        }))
      return false;
  }
  return isKept;
}

/// Whether the 16-bit type holds a value that the forward pass keeps in f32. A residual stream has
/// no bound that is known without data: the f16 copy would be infinite where the stream is not, and
/// all gradients computed from the copy NaN.
bool SensitivityFinder::fits(Value v) const {
  Type low = facts.lowOf(v.getDefiningOp());
  if (!low.isF16())
    return true;
  return facts.hasProfile() ? !facts.misfit(v) : rangeOf(v) && !rangeMisfit(v, low);
}

void ampc::findSensitive(const PrecisionAnalysis &facts, HardConstraints &hardConstraints) {
  SensitivityFinder(facts, hardConstraints).run();
}
