// Rewrites a program to the assigned types: shared casts, f32 accumulators, working copies of
// parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/EmitCasts.h"
#include "lib/Precision/Casts.h"
#include "lib/Precision/Ranges.h"
#include "mlir-dialects/Train/Program/Signature.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace ampc;

static bool isNarrow(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
}

namespace {
class Emitter {
public:
  Emitter(const PrecisionAnalysis &facts, const Assignment &assignment, WorkingCopies &copies)
      : facts(facts), assignment(assignment), copies(copies), builder(facts.func.getContext()) {}
  void run();

private:
  void emit(Operation *op);
  /// `v` converted to `type` for `consumer`; at most one conversion per value and type.
  Value castTo(Value v, Type type, Operation *consumer);
  Value castOf(Value v, Type type, Operation *consumer);
  std::string whyCast(Type type, Operation *consumer);
  Value storageFreeForm(Value v, Type type, Operation *consumer);
  Value workingCopy(BlockArgument parameter, Type type);
  Value operandOf(Operation *op, Value v, Type type);
  Type computeOf(Operation *op);

  const PrecisionAnalysis &facts;
  const Assignment &assignment;
  WorkingCopies &copies;
  OpBuilder builder;
  DenseMap<std::pair<Value, Type>, Value> casts;
  DenseMap<Value, Value> stored; ///< value that consumers read in place of a rounded result
};
} // namespace

/// Function argument with the 16-bit working copy of a parameter, after the other state.
Value Emitter::workingCopy(BlockArgument parameter, Type type) {
  train::FuncOp func = facts.func;
  StringAttr name = Signature(func).stateArgument(parameter.getArgNumber());
  copies.insert({name, type});
  return Signature(func).addState(workingSlot(name, type),
                                  cast<RankedTensorType>(parameter.getType()).clone(type),
                                  parameter.getLoc());
}

Value Emitter::storageFreeForm(Value v, Type type, Operation *consumer) {
  if (BlockArgument parameter = programArgument(v))
    return workingCopy(parameter, type);
  Operation *op = v.getDefiningOp();
  if (!op->hasTrait<OpTrait::ConstantLike>()) {
    Value operand = castTo(op->getOperand(0), type, op);
    builder.setInsertionPointAfter(op);
    Operation *copy = builder.clone(*op);
    copy->setOperand(0, operand);
    copy->getResult(0).setType(cast<RankedTensorType>(v.getType()).clone(type));
    return copy->getResult(0);
  }
  auto elements = dyn_cast<DenseFPElementsAttr>(cast<train::ConstantOp>(op).getValue());
  if (!elements)
    return castOf(v, type, consumer);
  auto round = [&](const APFloat &x) {
    APFloat rounded = x;
    bool losesInfo;
    rounded.convert(cast<FloatType>(type).getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &losesInfo);
    return rounded.bitcastToAPInt();
  };
  builder.setInsertionPointAfter(op);
  return train::ConstantOp::create(builder, op->getLoc(),
                                   cast<ElementsAttr>(elements.mapValues(type, round)));
}

// Position: a rounding cast directly after the producer, so that the wide value dies early; a
// widening cast directly before the first consumer, so that the narrow value lives longer.
Value Emitter::castOf(Value v, Type type, Operation *consumer) {
  if (isNarrow(type) && !isNarrow(getElementTypeOrSelf(v)))
    builder.setInsertionPointAfterValue(v);
  else
    builder.setInsertionPoint(consumer);
  train::OriginAttr origin = originOf(v);
  if (!isNarrow(type) && !consumer->hasTrait<OpTrait::IsTerminator>())
    origin = origin.withStage(stageOf(consumer)).withSegment(segmentOf(consumer));
  return insertCast(builder, v, type, whyCast(type, consumer), origin);
}

/// Reason for a cast. Casts are shared; the reason is the first consumer's.
std::string Emitter::whyCast(Type type, Operation *consumer) {
  if (consumer->hasTrait<OpTrait::IsTerminator>())
    return "the program returns " + textOf(type);
  std::string who = consumer->getName().getStringRef().str();
  if (train::OriginAttr origin = originOf(consumer))
    who += " at " + origin.getText();
  if (assignment.entry.lookup(consumer) == type && assignment.compute.lookup(consumer) != type)
    return who + " takes " + textOf(type) + " and computes in f32";
  return who + " computes in " + textOf(type);
}

Value Emitter::castTo(Value v, Type type, Operation *consumer) {
  if (Value replaced = stored.lookup(v))
    v = replaced;
  if (getElementTypeOrSelf(v) == type)
    return v;
  Value &known = casts[{v, type}];
  if (!known) {
    Value made = facts.isDuplicable(v) && isNarrow(type) ? storageFreeForm(v, type, consumer)
                                                         : castOf(v, type, consumer);
    casts[{v, type}] = made;
    return made;
  }
  return known;
}

Value Emitter::operandOf(Operation *op, Value v, Type type) {
  if (Type kept = facts.isBackward(op) ? assignment.saved.lookup(v) : Type(); kept && kept != type)
    return castTo(castTo(v, kept, op), type, op);
  Type entry = assignment.entry.lookup(op);
  if (entry && entry != type && !facts.isUnrounded(v) && !facts.illConditioned(v) && !isNumber(v) &&
      !constantMisfit(v, entry))
    return castTo(castTo(v, entry, op), type, op);
  return castTo(v, type, op);
}

/// Compute type: the assigned type, except that ops which compare for equality (adjoint of
/// reduce_max) compare in the 16-bit type if an operand is stored in 16 bits: a maximum rounded to
/// bf16 equals no unrounded f32 element.
Type Emitter::computeOf(Operation *op) {
  Type assigned = assignment.compute.lookup(op);
  auto precision = dyn_cast<PrecisionOpInterface>(op);
  if (!assigned || !precision || !precision.comparesEqual() ||
      llvm::any_of(op->getOperands(), isNumber))
    return assigned;
  for (Value v : op->getOperands())
    if (Type type = getElementTypeOrSelf(stored.lookup_or(v, v)); isNarrow(type))
      return type;
  return assigned;
}

void Emitter::emit(Operation *op) {
  Type compute = computeOf(op);
  auto precision = dyn_cast<PrecisionOpInterface>(op);
  for (OpOperand &operand : op->getOpOperands())
    if (facts.isReal(operand.get()) || stored.contains(operand.get())) {
      bool full = !compute || precision.operandStaysFull(operand.getOperandNumber());
      operand.set(full ? castTo(operand.get(), facts.f32, op)
                       : operandOf(op, operand.get(), compute));
    }
  if (!compute)
    return;
  bool accumulates = precision.getCategory() == Category::LowPrecision;
  for (OpResult result : op->getResults()) {
    if (!facts.isReal(result) || precision.resultStaysFull(result.getResultNumber()))
      continue;
    Type type = assignment.storageOf(result);
    if (!accumulates)
      result.setType(cast<RankedTensorType>(result.getType()).clone(compute));
    if (getElementTypeOrSelf(result) == type || result.use_empty())
      continue;
    builder.setInsertionPointAfter(op);
    stored[result] = insertCast(builder, result, type, "the result is stored in " + textOf(type));
  }
  if (auto reason = assignment.reasons.find(op); reason != assignment.reasons.end())
    setDecision(op, reason->second.rule, reason->second.text);
}

void Emitter::run() {
  // Undecided ops read operands in the types with which the model's author wrote the op.
  auto isChanged = [&](Value v) {
    return stored.contains(v) || (facts.isReal(v) && getElementTypeOrSelf(v) != facts.f32);
  };
  for (Operation *op : facts.ops)
    if (facts.isDecided(op) || llvm::any_of(op->getOperands(), isChanged))
      if (llvm::none_of(op->getResults(), [&](Value v) { return facts.isDuplicable(v); }))
        emit(op);
  Block &body = facts.func.getBody().front();
  for (OpOperand &operand : body.getTerminator()->getOpOperands())
    operand.set(
        castTo(operand.get(),
               getElementTypeOrSelf(facts.func.getResultTypes()[operand.getOperandNumber()]),
               body.getTerminator()));
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

void ampc::emitAssignment(const PrecisionAnalysis &facts, const Assignment &assignment,
                          WorkingCopies &copies) {
  Emitter(facts, assignment, copies).run();
}
