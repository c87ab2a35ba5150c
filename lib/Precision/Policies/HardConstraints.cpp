// Hard constraints of the minimum cut: values that stay in f32 at any saving.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Policies/HardConstraints.h"
#include "lib/Precision/Casts.h"
#include "lib/Precision/Ranges.h"
#include "mlir-dialects/Train/Ops/Parts.h"

using namespace mlir;
using namespace ampc;

namespace {
class HardConstraintFinder {
public:
  explicit HardConstraintFinder(const PrecisionAnalysis &facts) : facts(facts) {}
  HardConstraints run() {
    for (BlockArgument argument : facts.func.getArguments())
      if (facts.isReal(argument) && !facts.isDuplicable(argument))
        pin(argument, "state-or-input", "inputs and state are f32");
    gradients = gradientsOf(facts);
    findReadByStatistics();
    facts.untilStable([&] {
      size_t before = statistics.size() + unbounded.size();
      decideAll();
      return statistics.size() + unbounded.size() != before;
    });
    pinBetween();
    pinMagnified();
    findSensitive(facts, hardConstraints);
    return std::move(hardConstraints);
  }

private:
  void pin(Value v, StringRef rule, const Twine &text) {
    hardConstraints.full.try_emplace(v, Reason{rule, text.str()});
  }
  void decideAll() {
    for (Operation *op : facts.ops)
      if (facts.isDecided(op))
        for (Value result : op->getResults())
          if (facts.isReal(result) && !facts.isDuplicable(result))
            decide(op, result);
  }
  void decide(Operation *op, Value result);
  void pinBetween();
  void pinMagnified();
  bool isStatistic(Operation *op, Value result);
  std::optional<std::string> overflow(Operation *op, Value result);
  bool isScore(Operation *op, Value result);
  void findReadByStatistics();
  void findReadByContractions(DenseSet<Value> &readByContractions) const;

  const PrecisionAnalysis &facts;
  HardConstraints hardConstraints;
  DenseSet<Value> gradients, statistics, unbounded, readByStatistics;
};
} // namespace

DenseSet<Value> ampc::gradientsOf(const PrecisionAnalysis &facts) {
  DenseSet<Value> gradients;
  for (Operation *op : facts.ops)
    if (facts.isDecided(op))
      gradients.insert_range(op->getResults());
  auto passesOn = [&](Operation *user) {
    return isa<train::GradientOp, train::SumRanksOp>(user) ||
           (facts.isDecided(user) && computesAsStored(facts.treatment(user)) &&
            user->getNumResults() == 1 && gradients.contains(user->getResult(0)));
  };
  auto isGradient = [&](Value result) {
    SmallVector<Operation *> users = facts.usersOf(result);
    return facts.isReal(result) && !users.empty() && llvm::all_of(users, passesOn);
  };
  // From all values down: the sum that a loop carries reads itself.
  facts.untilStable([&] {
    size_t before = gradients.size();
    for (Operation *op : llvm::reverse(facts.ops))
      for (Value result : op->getResults())
        if (gradients.contains(result) && !isGradient(result))
          gradients.erase(result);
    return gradients.size() != before;
  });
  return gradients;
}

/// Statistics: sums over dimensions, single numbers, and values computed from statistics alone. The
/// seed cotangent of the loss counts too: after loss scaling the seed may exceed the range of 16
/// bits.
bool HardConstraintFinder::isStatistic(Operation *op, Value result) {
  if (isa<train::SeedOp>(op) || (elements(result) == 1 && facts.treatment(op) != Treatment::Low))
    return true;
  SmallVector<Value> operands = llvm::filter_to_vector(
      op->getOperands(), [&](Value v) { return facts.isReal(v) && !facts.isDuplicable(v); });
  if (operands.empty())
    return false;
  if (facts.treatment(op) == Treatment::Full || facts.treatment(op) == Treatment::Normalize)
    if (llvm::all_of(operands, [&](Value v) {
          return elements(v) > elements(result) || statistics.contains(facts.sourceOf(v));
        }))
      return true;
  return llvm::all_of(operands, [&](Value v) { return statistics.contains(facts.sourceOf(v)); });
}

/// Score: a product of two activations that a softmax or a loss reads. |q k| grows with both
/// factors, and storing the score in f16 may overflow. An op with statistics inside (attention)
/// stores no scores, because the result is a mean.
bool HardConstraintFinder::isScore(Operation *op, Value result) {
  auto precision = cast<PrecisionOpInterface>(op);
  auto hasStatistics = llvm::any_of(op->getResults(), [&](OpResult other) {
    return precision.resultStaysFull(other.getResultNumber());
  });
  if (facts.treatment(op) != Treatment::Low || facts.isBackward(op) || hasStatistics)
    return false;
  if (llvm::any_of(op->getOperands(),
                   [&](Value v) { return facts.isReal(v) && facts.isDuplicable(v); }))
    return false;
  return readByStatistics.contains(result);
}

/// Values read by a softmax or another op with sums over dimensions in the forward pass, directly
/// or through ops that compute as stored. Reverse order, so that consumers are known first.
void HardConstraintFinder::findReadByStatistics() {
  auto leadsOn = [&](Operation *user) {
    if (facts.isBackward(user) || !facts.isDecided(user))
      return false;
    Treatment treatment = facts.treatment(user);
    return treatment == Treatment::Full || treatment == Treatment::Normalize ||
           (computesAsStored(treatment) && llvm::any_of(user->getResults(), [&](Value next) {
              return readByStatistics.contains(next);
            }));
  };
  facts.untilStable([&] {
    size_t before = readByStatistics.size();
    for (Operation *op : llvm::reverse(facts.ops))
      for (Value result : op->getResults())
        if (llvm::any_of(facts.usersOf(result), leadsOn))
          readByStatistics.insert(result);
    return readByStatistics.size() != before;
  });
}

/// Reason why the 16-bit type's range may not hold the value.
std::optional<std::string> HardConstraintFinder::overflow(Operation *op, Value result) {
  Type low = facts.lowOf(op);
  if (auto misfit = constantMisfit(op, low))
    return misfit;
  if (rangeOf(result))
    return rangeMisfit(result, low);
  bool follows = computesAsStored(facts.treatment(op)) &&
                 llvm::any_of(op->getOperands(),
                              [&](Value v) { return unbounded.contains(facts.sourceOf(v)); });
  if (low.isF16() && (follows || isScore(op, result))) {
    unbounded.insert(result);
    return std::string("no bound is known for these scores, and f16 ends at 65504");
  }
  return std::nullopt;
}

/// Values that contractions read, directly or through ops whose results are not pinned.
void HardConstraintFinder::findReadByContractions(DenseSet<Value> &readByContractions) const {
  auto feeds = [&](Operation *op) {
    return facts.treatment(op) == Treatment::Low ||
           (computesAsStored(facts.treatment(op)) && llvm::any_of(op->getResults(), [&](Value v) {
              return !hardConstraints.full.contains(v) && readByContractions.contains(v);
            }));
  };
  facts.untilStable([&] {
    size_t before = readByContractions.size();
    for (Operation *op : llvm::reverse(facts.ops))
      if (facts.isDecided(op) && feeds(op))
        for (OpOperand &operand : op->getOpOperands())
          if (!cast<PrecisionOpInterface>(op).operandStaysFull(operand.getOperandNumber()))
            readByContractions.insert(facts.sourceOf(operand.get()));
    return readByContractions.size() != before;
  });
}

/// Values computed from f32 that no contraction reads, not even later: masked losses and targets.
/// Rounding would save bytes, but no neighbour of such a value computes in 16 bits.
void HardConstraintFinder::pinBetween() {
  auto isPinned = [&](Value v) { return hardConstraints.full.contains(facts.sourceOf(v)); };
  DenseSet<Value> readByContractions;
  findReadByContractions(readByContractions);
  // A partial result is f32 only for being unrounded; the sources of the partial result decide
  // instead.
  DenseSet<Value> fullParts;
  auto isFull = [&](Value v) {
    return facts.isUnrounded(v) ? fullParts.contains(facts.sourceOf(v))
                                : facts.isReal(v) && isPinned(v);
  };
  auto isNeutral = [&](Value v) { return !facts.isReal(v) || facts.isDuplicable(v); };
  for (Operation *op : facts.ops) {
    if (!facts.isDecided(op) || facts.treatment(op) == Treatment::Low ||
        llvm::none_of(op->getOperands(), isFull) ||
        !llvm::all_of(op->getOperands(), [&](Value v) { return isNeutral(v) || isFull(v); }))
      continue;
    for (Value result : op->getResults()) {
      if (facts.isUnrounded(result))
        fullParts.insert(result);
      else if (computesAsStored(facts.treatment(op)) && !isNeutral(result) &&
               !readByContractions.contains(result) && !hardConstraints.low.contains(result))
        pin(result, "between-f32", "the operands are f32 and no contraction reads the value");
    }
  }
}

void HardConstraintFinder::pinMagnified() {
  for (Operation *op : facts.ops)
    for (Value result : op->getResults())
      if (const Reason *why = facts.illConditioned(result);
          why && !facts.isUnrounded(result) && !hardConstraints.low.contains(result))
        pin(result, why->rule, why->text);
}

void HardConstraintFinder::decide(Operation *op, Value result) {
  UserConstraint demand = facts.demand(op);
  Treatment treatment = facts.treatment(op);
  bool isGradient = isa<train::GradientOp>(op) || gradients.contains(result);
  if (demand.forced && demand.type == facts.f32)
    return pin(result, demand.rule, demand.source);
  if (cast<PrecisionOpInterface>(op).resultStaysFull(cast<OpResult>(result).getResultNumber()))
    return pin(result, "statistic", "a statistic of the op stays in f32");
  if (demand.forced && (!isGradient || demand.rule == "narrow")) {
    hardConstraints.low.try_emplace(result, Reason{demand.rule, demand.source});
    return;
  }
  if (isGradient)
    return pin(result, "gradient", "a parameter's gradient reaches the optimizer without rounding");
  if (isStatistic(op, result)) {
    statistics.insert(result);
    return pin(result, "statistic", "sums, single numbers and functions of both stay in f32");
  }
  if (demand.disabled || facts.lowOf(op) == facts.f32)
    return pin(result, "region",
               demand.disabled ? demand.source : "no region sets a 16-bit type here");
  if (llvm::any_of(result.getUsers(), [](Operation *user) { return isa<train::ReturnOp>(user); }))
    return pin(result, "output", "results of the program are f32");
  if (treatment == Treatment::Full)
    return pin(result, "full-precision", "losses, exponentials and powers compute and store f32");
  if (treatment == Treatment::Untouched)
    return pin(result, "untouched", "the policy has no rule for this op");
  if (op->getNumOperands() > 0 &&
      llvm::none_of(op->getOperandTypes(),
                    [](Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); }) &&
      isa<train::CastOp>(op))
    return pin(result, "integer", "16 bits do not hold every integer");
  if (facts.isUnrounded(result) && !facts.isWithinKernel(result))
    return pin(result, "partial-result",
               "only the result of an adjoint or a sum is rounded, not intermediate values");
  if (const std::string *why = facts.misfit(result))
    return pin(result, "profile", *why);
  if (auto why = overflow(op, result))
    return pin(result, "range", *why);
  if (facts.isWithinKernel(result))
    pin(result, "same-kernel", "all consumers are pointwise ops of the same kernel");
}

HardConstraints ampc::findHardConstraints(const PrecisionAnalysis &facts) {
  return HardConstraintFinder(facts).run();
}
