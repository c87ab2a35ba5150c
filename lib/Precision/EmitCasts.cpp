// Rewrites a program to the assigned types: shared casts, f32 accumulators, working copies of
// parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/EmitCasts.h"
#include "lib/Precision/Casts.h"
#include "lib/Precision/Ranges.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Program/Signature.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace ampc;

static bool isNarrow(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
}

static bool isRounding(Value v, Type type) {
  return isNarrow(type) && !isNarrow(getElementTypeOrSelf(v));
}

namespace {
class Emitter {
public:
  Emitter(const PrecisionAnalysis &facts, const Assignment &assignment, WorkingCopies &copies)
      : facts(facts), assignment(assignment), copies(copies), builder(facts.func.getContext()) {
    facts.func.walk<WalkOrder::PreOrder>([&](train::ScanOp scan) { loops.push_back(scan); });
  }
  void run();

private:
  void emit(Operation *op);
  /// Storage type of a copy of a value at the boundary of a loop.
  Type typeOfCopy(Value copy) const;
  bool keepsForBackward(Value copy) const;
  void setTypesOfLoops();
  void castAtBoundary(Operation *op);
  /// `v` converted to `type` for `consumer`. At most one conversion per value and type, and one per
  /// block for conversions in front of consumers.
  Value castTo(Value v, Type type, Operation *consumer);
  Value castOf(Value v, Type type, Operation *consumer);
  std::string whyCast(Type type, Operation *consumer);
  Value storageFreeForm(Value v, Type type, Operation *consumer);
  Value workingCopy(BlockArgument parameter, Type type);
  train::OriginAttr originOfCast(Value v, Operation *consumer) const;
  Value operandOf(Operation *op, Value v, Type type);
  Type computeOf(Operation *op);

  const PrecisionAnalysis &facts;
  const Assignment &assignment;
  WorkingCopies &copies;
  OpBuilder builder;
  SmallVector<train::ScanOp> loops;                        ///< outer loops first
  DenseMap<std::tuple<Value, Type, Block *>, Value> casts; ///< the block of consumers, or null
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

/// Row of a further sequence of a loop.
static Value addRow(train::ScanOp scan, Value sequence) {
  scan.getSequencesMutable().append(sequence);
  return scan.getBody().addArgument(rowOf(sequence.getType()), sequence.getLoc());
}

Value Emitter::storageFreeForm(Value v, Type type, Operation *consumer) {
  if (BlockArgument parameter = programArgument(v))
    return workingCopy(parameter, type);
  if (isRow(v)) { // the loop goes over the sequence in `type`, too
    auto scan = cast<train::ScanOp>(cast<BlockArgument>(v).getOwner()->getParentOp());
    return addRow(scan, castTo(flowsFrom(v).front(), type, scan));
  }
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

/// Origin of a value. The argument of a loop's block has the origin of the op that computes the
/// value, else of the consumer, in the stage of the loop.
train::OriginAttr Emitter::originOfCast(Value v, Operation *consumer) const {
  auto argument = dyn_cast<BlockArgument>(v);
  if (!argument || programArgument(v))
    return originOf(v);
  Operation *producer = facts.producerOf(v);
  train::OriginAttr origin = originOf(producer ? producer : consumer);
  return origin.withStage(stageOf(argument.getOwner()->getParentOp()));
}

// Position: a rounding cast directly after the producer, so that the wide value dies early; a
// widening cast directly before the first consumer, so that the narrow value lives longer.
Value Emitter::castOf(Value v, Type type, Operation *consumer) {
  if (isRounding(v, type))
    builder.setInsertionPointAfterValue(v);
  else
    builder.setInsertionPoint(consumer);
  train::OriginAttr origin = originOfCast(v, consumer);
  if (!isNarrow(type) && !consumer->hasTrait<OpTrait::IsTerminator>())
    origin = origin.withStage(stageOf(consumer)).withSegment(segmentOf(consumer));
  return insertCast(builder, v, type, whyCast(type, consumer), origin);
}

/// Reason for a cast. Casts are shared; the reason is the first consumer's.
std::string Emitter::whyCast(Type type, Operation *consumer) {
  if (isLoopBoundary(consumer))
    return "rounds of a loop pass " + textOf(type) + " on";
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
  std::tuple key(v, type, isRounding(v, type) ? nullptr : consumer->getBlock());
  if (Value known = casts.lookup(key))
    return known;
  Value made = facts.isDuplicable(v) && isNarrow(type) ? storageFreeForm(v, type, consumer)
                                                       : castOf(v, type, consumer);
  casts[key] = made;
  return made;
}

Value Emitter::operandOf(Operation *op, Value v, Type type) {
  if (Type kept = facts.isBackward(op) ? assignment.saved.lookup(facts.sourceOf(v)) : Type();
      kept && kept != type)
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

/// Whether only the backward pass reads the copy, through other loops too, and reads a 16-bit copy.
bool Emitter::keepsForBackward(Value copy) const {
  SmallVector<Value> open{copy};
  for (size_t i = 0; i < open.size(); ++i) // grows
    for (OpOperand &use : open[i].getUses()) {
      if (!isLoopBoundary(use.getOwner())) {
        if (!facts.isDecided(use.getOwner()) || !facts.isBackward(use.getOwner()))
          return false;
        continue;
      }
      for (Value to : flowsTo(use)) {
        if (!isRow(to))
          return false;
        open.push_back(to);
      }
    }
  return true;
}

Type Emitter::typeOfCopy(Value copy) const {
  Value source = facts.sourceOf(copy);
  Type kept = assignment.saved.lookup(source), own = assignment.storage.lookup(copy);
  auto result = dyn_cast<OpResult>(source);
  auto precision = result ? dyn_cast<PrecisionOpInterface>(result.getOwner()) : nullptr;
  if (precision && precision.resultStaysFull(result.getResultNumber()))
    return facts.f32;
  if (kept && !isCarriedArgument(copy) && keepsForBackward(copy))
    return kept;
  return own || facts.isDuplicable(source) ? assignment.storageOf(copy)
                                           : assignment.storageOf(source);
}

/// Sets the types of blocks' arguments and of results, while all other values are f32.
void Emitter::setTypesOfLoops() {
  auto set = [&](Value v, Type type) {
    v.setType(cast<RankedTensorType>(v.getType()).clone(type));
  };
  SmallVector<std::pair<Value, Type>> types;
  for (Value copy : facts.copies.all())
    if (facts.isReal(copy))
      types.emplace_back(copy, typeOfCopy(copy));
  for (auto [copy, type] : types)
    set(copy, type);
  for (train::ScanOp scan : loops)
    for (auto [argument, result] : llvm::zip(scan.getCarried(), scan.getResults()))
      if (facts.isReal(result))
        set(result, getElementTypeOrSelf(argument));
}

/// Casts the operands of a loop, or of the end of a loop, to the types of their copies.
void Emitter::castAtBoundary(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (facts.isReal(operand.get()))
      operand.set(castTo(operand.get(), getElementTypeOrSelf(flowsTo(operand).front()), op));
}

/// Erases ops without readers, inside loops too.
static void eraseDead(train::FuncOp func) {
  SmallVector<Operation *> ops;
  func.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}

void Emitter::run() {
  setTypesOfLoops();
  // Undecided ops read operands in the types with which the model's author wrote the op.
  auto isChanged = [&](Value v) {
    return stored.contains(v) || (facts.isReal(v) && getElementTypeOrSelf(v) != facts.f32);
  };
  SmallVector<Operation *> ops;
  facts.func.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) // in program order, so that casts in front of consumers can be shared
    if (isLoopBoundary(op))
      castAtBoundary(op);
    else if (!isa<train::ReturnOp>(op) &&
             (facts.isDecided(op) || llvm::any_of(op->getOperands(), isChanged)) &&
             llvm::none_of(op->getResults(), [&](Value v) { return facts.isDuplicable(v); }))
      emit(op);
  Block &body = facts.func.getBody().front();
  for (OpOperand &operand : body.getTerminator()->getOpOperands())
    operand.set(
        castTo(operand.get(),
               getElementTypeOrSelf(facts.func.getResultTypes()[operand.getOperandNumber()]),
               body.getTerminator()));
  eraseDead(facts.func);
}

void ampc::emitAssignment(const PrecisionAnalysis &facts, const Assignment &assignment,
                          WorkingCopies &copies) {
  Emitter(facts, assignment, copies).run();
}
