// Results that the treatment `narrow` stores in 16 bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Analysis/NarrowTensors.h"
#include "lib/Precision/Assignment.h"
#include "lib/Precision/Ranges.h"
#include "lib/Precision/Values.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir-dialects/Train/Program/Signature.h"

using namespace mlir;
using namespace ampc;

static bool isSingle(Value v) { return elements(v) == 1; }

/// Whether the use keeps the value as state for later steps, such as running statistics.
static bool isStateResult(train::FuncOp func, OpOperand &use) {
  return isa<train::ReturnOp>(use.getOwner()) &&
         Signature(func).stateResult(use.getOperandNumber());
}

namespace {
struct NarrowTensors {
  const DecidedProgram &program;
  Type low;
  const SourceGroups &groups;
  const Treatments &treatments;
  const DuplicableValues &duplicable;
  const IllConditionedValues &illConditioned;
  UserConstraints &constraints;
  UnroundedIntermediates &partial;
  DenseSet<Value> statistics = {}; ///< sums over dimensions, and values computed from statistics
                                   ///< alone

  void run();
  bool isNarrowed(Operation *op) const;
  bool isStatistic(Operation *op, Value result) const;
  SmallVector<Value> tensorsOf(Operation *op) const;
  std::optional<Reason> whyInternal(Operation *op) const;
  std::optional<Reason> whyFull(Operation *op) const;
  void demand(Operation *op);
};
} // namespace

/// Reason to see a result as an intermediate inside an op of the model rather than as a tensor of
/// the model.
std::optional<Reason> NarrowTensors::whyInternal(Operation *op) const {
  auto results =
      llvm::make_filter_range(op->getResults(), [&](Value v) { return program.isReal(v); });
  auto all = [&](auto test) { return llvm::all_of(results, test); };
  if (all(isSingle))
    return Reason{"statistic", "single numbers (counts, losses, cotangents of losses) stay in f32"};
  auto isFloat = [](Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); };
  if (isa<train::CastOp>(op) && llvm::none_of(op->getOperandTypes(), isFloat))
    return Reason{"integer", "16 bits do not hold every integer"};
  if (!isa<train::GradientOp>(op) && all([&](Value v) {
        return llvm::all_of(program.usesOf(v),
                            [&](OpOperand *use) { return isStateResult(program.func, *use); });
      }))
    return Reason{"state", "state of the model is f32"};
  train::OriginAttr origin = originOf(op);
  auto isWithin = [&](OpOperand &use, bool ofSource) {
    train::OriginAttr user = originOf(use.getOwner());
    return isStateResult(program.func, use) ||
           (origin && user &&
            (ofSource ? user.getName() == origin.getName() : user.isOneWith(origin)));
  };
  if (all([&](Value v) {
        return statistics.contains(v) && llvm::all_of(program.usesOf(v), [&](OpOperand *use) {
                 return isWithin(*use, /*ofSource=*/true);
               });
      }))
    return Reason{"statistic", "a statistic of the op stays in f32"};
  if (all([&](Value v) { return partial.contains(v); }))
    return Reason{"partial-result", "only the result of an op is rounded, not intermediate values"};
  // Moving a tensor of the model adds no rounding error, so f32 would protect nothing.
  bool moves = cast<PrecisionOpInterface>(op).getCategory() == Category::Passthrough &&
               llvm::any_of(op->getOperands(), [&](Value v) {
                 return program.isReal(v) && !duplicable.contains(v) && !partial.contains(v) &&
                        program.producerOf(v);
               });
  if (!moves && all([&](Value v) {
        return llvm::all_of(program.usesOf(v),
                            [&](OpOperand *use) { return isWithin(*use, /*ofSource=*/false); });
      }))
    return Reason{"partial-result", "only the result of an op is rounded, not intermediate values"};
  return std::nullopt;
}

bool NarrowTensors::isNarrowed(Operation *op) const {
  return program.isDecided(op) && treatments.of(op) == Treatment::Narrow &&
         !constraints.isForced(op) && !constraints.lookup(op).disabled &&
         constraints.lowOf(op) != program.f32 &&
         llvm::none_of(op->getResults(), [&](Value v) { return duplicable.contains(v); });
}

/// Operands whose types the pass decides.
SmallVector<Value> NarrowTensors::tensorsOf(Operation *op) const {
  return llvm::filter_to_vector(
      op->getOperands(), [&](Value v) { return program.isReal(v) && !duplicable.contains(v); });
}

bool NarrowTensors::isStatistic(Operation *op, Value result) const {
  SmallVector<Value> operands = tensorsOf(op);
  bool sums = cast<PrecisionOpInterface>(op).getCategory() == Category::FullPrecision;
  return !operands.empty() && llvm::all_of(operands, [&](Value v) {
    return statistics.contains(program.sourceOf(v)) || isSingle(v) ||
           (sums && elements(v) > elements(result));
  });
}

std::optional<Reason> NarrowTensors::whyFull(Operation *op) const {
  if (std::optional<Reason> why = whyInternal(op))
    return why;
  if (auto misfit = constantMisfit(op, constraints.lowOf(op)))
    return Reason{"range", *misfit};
  if (const Reason *why = illConditioned.why(op->getResult(0));
      why && cast<PrecisionOpInterface>(op).getCategory() != Category::LowPrecision)
    return *why;
  for (Value result : op->getResults())
    if (program.isReal(result))
      if (auto misfit = rangeMisfit(result, constraints.lowOf(op)))
        return Reason{"range", *misfit};
  return std::nullopt;
}

void NarrowTensors::demand(Operation *op) {
  for (Value result : op->getResults())
    if (isStatistic(op, result))
      statistics.insert(result);
  bool moves = cast<PrecisionOpInterface>(op).getCategory() == Category::Passthrough;
  // An argument of the program has no producer that could be kept in f32.
  bool readsFull = !moves && llvm::any_of(tensorsOf(op), [&](Value v) {
    return partial.contains(v) || (!program.producerOf(v) && illConditioned.why(v));
  });
  std::optional<Reason> why = whyFull(op);
  if (!why)
    return constraints.set(op, {constraints.lowOf(op), /*disabled=*/false, /*forced=*/true,
                                "the policy stores everything in 16 bits", std::nullopt, "narrow",
                                /*roundsOnce=*/readsFull});
  for (Value result : op->getResults())
    if (program.isReal(result))
      partial.insert(result);
  constraints.forceFull(op, why->text, why->rule);
}

void NarrowTensors::run() {
  if (low == program.f32)
    return;
  for (Operation *op : program.ops)
    if (isNarrowed(op))
      demand(op);
}

void ampc::constrainNarrowTensors(const DecidedProgram &program, Type low,
                                  const SourceGroups &groups, const Treatments &treatments,
                                  const DuplicableValues &duplicable,
                                  const IllConditionedValues &illConditioned,
                                  UserConstraints &constraints, UnroundedIntermediates &partial) {
  NarrowTensors{program, low, groups, treatments, duplicable, illConditioned, constraints, partial}
      .run();
}
