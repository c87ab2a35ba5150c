// Reverse-mode differentiation, source to source: adjoints read saved values of the forward pass by
// plain SSA uses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Train/Autodiff/Reverse.h"
#include "lib/Train/Autodiff/ReversedLoop.h"
#include "mlir-dialects/Train/Build/Expansion.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir/IR/Iterators.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace ampc;

static bool isNarrow(Value v) {
  return isReal(v) && getElementTypeOrSelf(v).getIntOrFloatBitWidth() == 16;
}

static bool isVaried(Operation *op, const DenseSet<Value> &varied) {
  auto rule = dyn_cast<DifferentiableOpInterface>(op);
  return !(rule && rule.stopsGradient()) &&
         llvm::any_of(op->getOperands(), [&](Value v) { return varied.contains(v); });
}

/// Adds the values that depend on varied operands of the op. A carried value may vary from a later
/// round on, so loops are visited repeatedly.
static void markVaried(Operation *op, DenseSet<Value> &varied) {
  auto mark = [&](ValueRange values) {
    for (Value value : values)
      if (isReal(value))
        varied.insert(value);
  };
  if (!isLoopBoundary(op))
    return isVaried(op, varied) ? mark(op->getResults()) : void();
  for (OpOperand &operand : op->getOpOperands())
    if (varied.contains(operand.get()))
      mark(flowsTo(operand));
}

DenseSet<Value> ampc::variedValues(ArrayRef<Value> sources, Operation *end) {
  DenseSet<Value> varied(sources.begin(), sources.end());
  for (Operation *op = &end->getBlock()->front(); op != end; op = op->getNextNode())
    for (size_t known = varied.size() + 1; known != varied.size();) {
      known = varied.size();
      op->walk<WalkOrder::PreOrder>([&](Operation *inner) { markVaried(inner, varied); });
      if (op->getNumRegions() == 0)
        break;
    }
  return varied;
}

/// Composites without an adjoint that depend on the sources, loops included.
static SmallVector<CompositeOpInterface> activeComposites(Operation *end, ArrayRef<Value> sources) {
  SmallVector<CompositeOpInterface> active;
  DenseSet<Value> varied = variedValues(sources, end);
  for (Operation *op = &end->getBlock()->front(); op != end; op = op->getNextNode())
    op->walk([&](CompositeOpInterface composite) {
      bool hasAdjoint = isa<DifferentiableOpInterface>(*composite) && !composite.isComposite();
      if (!hasAdjoint && isVaried(composite, varied))
        active.push_back(composite);
    });
  return active;
}

void ampc::decomposeActive(Operation *end, ArrayRef<Value> sources) {
  // A decomposition may contain composite ops.
  for (bool changed = true; changed;) {
    changed = false;
    for (CompositeOpInterface composite : activeComposites(end, sources))
      changed |= replaceByDecomposition(composite);
  }
}

Reverse::Reverse(Operation *end, ArrayRef<Value> from, Purpose why)
    : end(end), builder(end), sources(from), purpose(std::move(why)) {
  for (Operation *op = &end->getBlock()->front(); op != end; op = op->getNextNode())
    forward.push_back(op);
  varied = variedValues(sources, end);
}

Reverse::~Reverse() {
  for (Operation *op : replaced)
    op->destroy();
}

/// Marks the varied operands of an op on whose results the target depends; inside of a loop, the
/// operands of its end that flow to such values.
void Reverse::markReaching(Operation *op) {
  auto reaches = [&](Value value) { return reaching.contains(value); };
  bool isBoundary = isLoopBoundary(op);
  if (!isBoundary && (!isVaried(op, varied) || llvm::none_of(op->getResults(), reaches)))
    return;
  for (OpOperand &operand : op->getOpOperands())
    if (varied.contains(operand.get()) && (!isBoundary || llvm::any_of(flowsTo(operand), reaches)))
      reaching.insert(operand.get());
}

/// Origin of a sum of seeds: the origin of the seed, or, if the seed is an argument of a loop's
/// block, the origin of the op that computes the value, else of the loop. Example: the state that a
/// loop passes on and keeps has two cotangents, whose sum belongs to "loss/lstm#0~grad".
static train::OriginAttr originOfSum(Value value, Value seed, train::Stage stage) {
  if (train::OriginAttr origin = originOf(seed))
    return origin;
  if (train::OriginAttr origin = originOf(value))
    return origin.differentiated().withStage(stage);
  return originOf(seed.getParentBlock()->getParentOp());
}

LogicalResult Reverse::run(ArrayRef<std::pair<Value, Value>> seeds) {
  for (auto [value, seed] : seeds) {
    GradBuilder b(builder, value.getLoc(), originOfSum(value, seed, purpose.stage));
    reaching.insert(value);
    accumulate(value, seed, b);
  }
  for (Operation *op : llvm::reverse(forward)) {
    for (size_t known = reaching.size() + 1; known != reaching.size();) {
      known = reaching.size();
      op->walk<WalkOrder::PostOrder, ReverseIterator>(
          [&](Operation *inner) { markReaching(inner); });
      if (op->getNumRegions() == 0)
        break;
    }
    if (llvm::none_of(op->getResults(), [&](Value v) { return cotangents.contains(v); }))
      continue;
    auto scan = dyn_cast<train::ScanOp>(op);
    if (scan ? failed(applyLoop(scan)) : isVaried(op, varied) && failed(apply(op)))
      return failure();
  }
  return success();
}

LogicalResult Reverse::applyLoop(train::ScanOp scan) {
  GradBuilder b(builder, scan.getLoc(), originOf(scan).differentiated().withStage(purpose.stage));
  ReversedLoop loop(scan, varied, cotangents, purpose);
  if (!loop.isActive())
    return success();
  if (failed(loop.build(b)))
    return failure();
  scan->replaceAllUsesWith(loop.getForward()->getResults().take_front(scan->getNumResults()));
  for (auto [value, total] : loop.getTotals())
    cotangents[value] = total;
  for (auto [value, adjoint] : loop.getAdjoints())
    accumulate(value, adjoint, b);
  scan->remove();
  scan->dropAllReferences();
  replaced.push_back(scan);
  return success();
}

/// Whether the code of an adjoint, from `first` on, rounds an intermediate to 16 bits. Contractions
/// do not count: their 16-bit operands are intended.
static bool roundsInside(Operation *op, Operation *first, Operation *end,
                         ArrayRef<Value> adjoints) {
  auto precision = dyn_cast<PrecisionOpInterface>(op);
  if (precision && precision.getCategory() == Category::LowPrecision)
    return false;
  auto isSummed = [](Value operand, Value adjoint) {
    return cast<RankedTensorType>(adjoint.getType()).getShape() !=
           cast<RankedTensorType>(operand.getType()).getShape();
  };
  for (Operation *made = first; made != end; made = made->getNextNode()) {
    if (made->hasTrait<OpTrait::ConstantLike>() || movesOnly(made))
      continue;
    for (Value result : made->getResults()) {
      bool isInner = !result.use_empty();
      for (auto [operand, adjoint] : llvm::zip(op->getOperands(), adjoints))
        isInner |= adjoint == result && isSummed(operand, adjoint);
      if (isInner && isNarrow(result))
        return true;
    }
  }
  return false;
}

/// Adjoints of the op on operands widened to f32, so that intermediates are not rounded: bf16 ->
/// f32.
static SmallVector<Value> adjointsInF32(Operation *op, GradBuilder &b, ArrayRef<Value> given) {
  Type f32 = b.builder.getF32Type();
  auto widen = [&](Value v) { return v && isNarrow(v) ? b.castTo(v, f32) : v; };
  auto operands = llvm::map_to_vector(op->getOperands(), widen);
  auto results = llvm::map_to_vector(op->getResults(), widen);
  auto cotangents = llvm::map_to_vector(given, widen);
  Operation *wide = b.builder.clone(*op);
  wide->setOperands(operands);
  for (auto [from, to] : llvm::zip(results, wide->getResults()))
    to.setType(from.getType());
  SmallVector<Value> adjoints = cast<DifferentiableOpInterface>(wide).buildAdjoints(b, cotangents);
  wide->replaceAllUsesWith(results);
  wide->erase();
  return adjoints;
}

/// Rounds the f32 cotangent of a product with 16-bit operands to 16 bits, because both sides of a
/// product have the same type.
static Value roundToOperands(Operation *op, Value cotangent, GradBuilder &b) {
  auto precision = dyn_cast<PrecisionOpInterface>(op);
  bool isProduct = precision && precision.getCategory() == Category::LowPrecision;
  if (!cotangent || !isProduct || !isNarrow(op->getOperand(0)))
    return cotangent;
  return b.castTo(cotangent, getElementTypeOrSelf(op->getOperand(0)));
}

LogicalResult Reverse::apply(Operation *op) {
  auto rule = dyn_cast<DifferentiableOpInterface>(op);
  if (!rule || !rule.isDifferentiable())
    return reportPath(op);
  GradBuilder b(builder, op->getLoc(), originOf(op).differentiated().withStage(purpose.stage));
  SmallVector<Value> given = llvm::map_to_vector(
      op->getResults(), [&](Value v) { return roundToOperands(op, cotangents.lookup(v), b); });
  Operation *last = end->getPrevNode();
  SmallVector<Value> adjoints = rule.buildAdjoints(b, given);
  Operation *first = last->getNextNode();
  if (failed(checkSaves(rule, first, given)))
    return failure();
  if (roundsInside(op, first, end, adjoints)) {
    while (end->getPrevNode() != last)
      end->getPrevNode()->erase();
    adjoints = adjointsInF32(op, b, given);
  }
  for (auto [operand, adjoint] : llvm::zip(op->getOperands(), adjoints))
    if (adjoint && varied.contains(operand))
      accumulate(operand, adjoint, b);
  return success();
}

void Reverse::accumulate(Value operand, Value adjoint, GradBuilder &b) {
  adjoint = b.reduceTo(adjoint, operand.getType());
  adjoint = b.castTo(adjoint, getElementTypeOrSelf(operand));
  Value &sum = cotangents[operand];
  if (!sum) {
    sum = adjoint;
    return;
  }
  sum = b.add(sum, adjoint);
  sum.getDefiningOp()->setAttr("train.fan_in",
                               b.builder.getUnitAttr()); // partial sums are not rounded
}

/// Checks that an adjoint uses only its cotangents, ops of its own, and declared saved values.
LogicalResult Reverse::checkSaves(DifferentiableOpInterface op, Operation *firstNew,
                                  ArrayRef<Value> given) {
  Saves saves = op.getSaves();
  // a set, because isBeforeInBlock would number the whole block
  llvm::SmallPtrSet<Operation *, 16> news;
  for (Operation *made = firstNew; made != end; made = made->getNextNode()) {
    news.insert(made);
    for (Value used : made->getOperands()) {
      if (news.contains(used.getDefiningOp()) || llvm::is_contained(given, used))
        continue;
      bool allowed = saves.result() && used.getDefiningOp() == op.getOperation();
      for (auto [i, operand] : llvm::enumerate(op->getOperands()))
        allowed |= used == operand && saves.operand(i);
      if (!allowed)
        return op->emitOpError()
               << "expected the adjoint to use only declared saves, but the adjoint uses " << used;
    }
  }
  return success();
}

std::string ampc::nameOfSource(Value source) {
  if (Operation *op = source.getDefiningOp())
    return nameOf(op);
  BlockArgument argument = programArgument(source);
  if (!argument)
    return "argument of " + nameOf(source.getParentBlock()->getParentOp());
  Signature signature(cast<FunctionOpInterface>(argument.getOwner()->getParentOp()));
  if (StringAttr state = signature.stateArgument(argument.getArgNumber()))
    return "@" + state.str();
  auto input = signature.argument<train::InputAttr>(argument);
  return input ? "%" + input.getName().str()
               : "argument " + std::to_string(argument.getArgNumber());
}

/// Reports an op without derivative with the path from a source to the op, e.g. "@w -> %h -> %y".
LogicalResult Reverse::reportPath(Operation *op) {
  SmallVector<std::string> path{nameOf(op)};
  auto cause = [&](Operation *of) {
    auto found = llvm::find_if(of->getOperands(), [&](Value v) { return varied.contains(v); });
    return found == of->operand_end() ? Value() : *found;
  };
  Value at = cause(op);
  // A loop may depend on a source by a value that its block reads.
  for (; at && !llvm::is_contained(sources, at); at = cause(at.getDefiningOp()))
    path.push_back(nameOf(at.getDefiningOp()));
  if (at)
    path.push_back(nameOfSource(at));
  path.erase(llvm::unique(path), path.end()); // an adjoint is several ops of equal name
  InFlightDiagnostic error = op->emitOpError();
  error << "expected a differentiable op on an active path, but "
        << llvm::join(llvm::reverse(path), " -> ") << " reaches " << purpose.target
        << " (use train.stop_gradient to cut it)";
  if (purpose.place)
    error.attachNote(*purpose.place) << "differentiated here";
  return error;
}
