// Cancellation: values whose rounding error the consumers magnify, so that every policy keeps such
// values in f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// * Near a singularity, and where numbers of nearly equal size are subtracted on the way there,
//   16 bits may hold none of the digits that count: 1 - sigmoid(x) is 0 in bf16 from x = 6 on,
//   and the logarithm infinite.
// * For an angle or an exponent the absolute error counts, which after rounding grows with the
//   number: the angle 1000 of a rotary position is off by 2 in bf16. Sums and products on the way
//   there keep the relative error of the operands and so pass the error on; so does everything
//   computed from inputs and constants alone, contractions included. A contraction with a
//   parameter rounds the operands as everywhere, and the result is kept in f32.
#include "lib/Precision/Analysis/IllConditionedValues.h"
#include "lib/Precision/Ranges.h"
#include "lib/Precision/Values.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir-dialects/Train/Program/Signature.h"

using namespace mlir;
using namespace ampc;

IllConditionedValues::IllConditionedValues(const DecidedProgram &program,
                                           const DuplicableValues &duplicable,
                                           const Treatments &treatments,
                                           UserConstraints &constraints)
    : program(program), duplicable(duplicable) {
  findCoordinates();
  program.untilStable([&] { return visitAll(); });
  for (Operation *op : program.ops)
    for (Value result : op->getResults())
      if (const Reason *why = this->why(result);
          why && program.isDecided(op) && isCoordinate(result) && !constraints.isForced(op) &&
          (treatments.of(op) == Treatment::Low ||
           cast<PrecisionOpInterface>(op).getCategory() == Category::LowPrecision))
        constraints.forceFull(op, why->text, why->rule);
}

void IllConditionedValues::findCoordinates() {
  auto model = program.func->getParentOfType<train::ModelOp>();
  DenseSet<StringAttr> params;
  for (auto param : model.getOps<train::ParamOp>())
    params.insert(param.getSymNameAttr());
  for (BlockArgument argument : program.func.getArguments()) {
    StringAttr state = Signature(program.func).stateArgument(argument.getArgNumber());
    if (!state || !params.contains(state))
      coordinates.insert(argument);
  }
  for (Operation *op : program.ops)
    if (!program.isBackward(op) && !isa<train::ReadOp>(op))
      coordinates.insert_range(op->getResults());
  program.untilStable([&] {
    size_t before = coordinates.size();
    for (Operation *op : program.ops)
      if (!llvm::all_of(op->getOperands(), [&](Value v) { return isCoordinate(v); }))
        for (Value result : op->getResults())
          coordinates.erase(result);
    return coordinates.size() != before;
  });
}

/// A carried argument is a coordinate if the init is one, too.
bool IllConditionedValues::isCoordinate(Value v) const {
  while (coordinates.contains(program.sourceOf(v))) {
    if (!isCarriedArgument(v))
      return true;
    v = flowsFrom(v).back();
  }
  return false;
}

/// Softmax written out by a model: x minus the maximum of the same row.
static bool isBelowMaximum(Value v) {
  Operation *op = v.getDefiningOp();
  auto precision = dyn_cast_or_null<PrecisionOpInterface>(op);
  auto rule = dyn_cast_or_null<DifferentiableOpInterface>(op);
  bool subtracts = precision && rule && op->getNumOperands() == 2 &&
                   precision.getConditioning(1) == Conditioning::Cancels &&
                   !op->hasTrait<SumsOperands>() && rule.getSaves().list.empty();
  if (!subtracts)
    return false;
  auto stopsGradient = [](Operation *bound) {
    auto rule = dyn_cast<DifferentiableOpInterface>(bound);
    return rule && rule.stopsGradient();
  };
  Operation *bound = op->getOperand(1).getDefiningOp();
  while (bound && bound->getNumOperands() == 1 && (movesOnly(bound) || stopsGradient(bound)))
    bound = bound->getOperand(0).getDefiningOp();
  auto reduction = dyn_cast_or_null<ReduceOpInterface>(bound);
  return reduction && reduction.getCombine() == "max" && bound->getOperand(0) == op->getOperand(0);
}

/// Whether rounding an exponent leaves the exponential as exact as the largest result: |x| exp(x)
/// is at most e for x up to 1.
static bool isSmallExponent(Value v) {
  ampc::Range range = rangeOf(v);
  return (range && range->high <= 1) || isBelowMaximum(v);
}

/// Conditioning that the consumer of the operand declares. Ops of an adjoint magnify no more than
/// the op under differentiation.
std::optional<Reason> IllConditionedValues::whyOwn(OpOperand &operand) const {
  Operation *op = operand.getOwner();
  auto precision = cast<PrecisionOpInterface>(op);
  std::string consumer = op->getName().getStringRef().str() + " at " + nameOf(op);
  if (precision.getConditioning(operand.getOperandNumber()) == Conditioning::Singular)
    return Reason{"cancellation", "rounded, the value may fall on a singularity of " + consumer};
  StringRef list = precision.getLists().find("argument");
  if (list.empty() || program.isBackward(op) ||
      (list == "exponent" && isSmallExponent(operand.get())))
    return std::nullopt;
  return Reason{"argument", "the absolute error counts in " + consumer +
                                ", and the rounding error grows with the magnitude"};
}

/// Whether the error of an operand reaches an ill-conditioned result.
bool IllConditionedValues::passesThrough(Operation *op, Value result,
                                         Conditioning conditioning) const {
  Category category = cast<PrecisionOpInterface>(op).getCategory();
  bool isPointwise = isa<ScalarOpInterface>(op) &&
                     (category == Category::Promote || category == Category::Passthrough);
  bool keepsSize = isCancelled(result) || isAbsolute(result);
  return conditioning == Conditioning::Cancels || movesElements(op) || (isPointwise && keepsSize) ||
         (isAbsolute(result) && isCoordinate(result));
}

/// Marks inits of carried values, then operands of ops, the last op first; whether a mark is new.
bool IllConditionedValues::visitAll() {
  auto marks = [&] { return reasons.size() + cancelled.size() + absolute.size(); };
  size_t before = marks();
  for (Value copy : program.copies.all())
    if (isCarriedArgument(copy) && program.isReal(copy) && why(copy))
      passOn(copy, flowsFrom(copy).back());
  for (Operation *op : llvm::reverse(program.ops))
    if (program.isDecided(op))
      visit(op);
  return marks() != before;
}

/// Marks `to` with the marks of `from`.
void IllConditionedValues::passOn(Value from, Value to) {
  if (duplicable.contains(to))
    return;
  Value source = program.sourceOf(to);
  reasons.try_emplace(source, Reason(*why(from))); // copied, since try_emplace may move the entry
                                                   // of why()
  if (isCancelled(from))
    cancelled.insert(source);
  if (isAbsolute(from))
    absolute.insert(source);
}

void IllConditionedValues::visit(Operation *op) {
  auto isMagnified = [&](Value v) { return why(v) != nullptr; };
  auto results = op->getResults();
  auto found = llvm::find_if(results, isMagnified);
  Value result = found == results.end() ? Value() : Value(*found);
  for (OpOperand &operand : op->getOpOperands()) {
    Value v = operand.get();
    if (!program.isReal(v) || duplicable.contains(v))
      continue;
    auto conditioning = cast<PrecisionOpInterface>(op).getConditioning(operand.getOperandNumber());
    if (std::optional<Reason> own = whyOwn(operand)) {
      if (own->rule == "argument")
        absolute.insert(program.sourceOf(v));
      reasons.try_emplace(program.sourceOf(v), *own);
    }
    if (!result || !passesThrough(op, result, conditioning))
      continue;
    passOn(result, v);
    if (conditioning == Conditioning::Cancels)
      cancelled.insert(program.sourceOf(v));
  }
}
