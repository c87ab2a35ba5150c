// Producer-consumer and sibling fusion: fewer passes over memory, with the same bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Codegen/Target.h"
#include "ampc/Kernel/Passes.h"
#include "lib/Kernel/Fusion/FusionMap.h"
#include "lib/Kernel/Fusion/Merge.h"
#include "lib/Kernel/Fusion/Views.h"
#include "lib/Kernel/Planning/MicroBatches.h"
#include "mlir-dialects/Train/Program/CommonSubexpressions.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Threading.h"
#include "llvm/ADT/SetVector.h"

namespace ampc {
#define GEN_PASS_DEF_KERNELFUSE
#include "ampc/Kernel/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;

// Limits of the search for ops between two kernels, so that fusion takes linear time.
static constexpr unsigned maxBetween = 256, maxSiblings = 64, maxDistance = 32;

static bool readsKernel(Operation *op) {
  return llvm::any_of(op->getOperands(), [](Value operand) {
    return kernel::throughViews(operand).getDefiningOp<KernelOpInterface>() != nullptr;
  });
}

/// Reads inputs, which are in memory anyway, and writes less than it reads: counts of labels,
/// `[64, 8] -> [8]`.
static bool needsNoMemory(Operation *op) { return !readsKernel(op) && isa<kernel::ReduceOp>(op); }

namespace {
class Fuser {
public:
  Fuser(Block &block, FusionLimits limits, bool isDevice, bool acrossGradients)
      : block(block), limits(limits), isDevice(isDevice), acrossGradients(acrossGradients),
        microBatches(block), rewriter(block.getParentOp()->getContext()) {
    rewriter.whenErased = [this](Operation *op) {
      microBatches.forget(op);
      provenance.forget(op);
      worklist.remove(op);
    };
  }
  void run();

private:
  void visit(FusedKernelOpInterface op);
  bool recompute(FusedKernelOpInterface consumer, unsigned input);
  bool join(FusedKernelOpInterface &anyConsumer, unsigned input);
  bool fuseSibling(FusedKernelOpInterface op);
  bool fuseSiblings(FusedKernelOpInterface first, FusedKernelOpInterface second);
  bool moveUsersBehind(Operation *producer, Operation *consumer);
  bool fits(FusedKernelOpInterface a, FusedKernelOpInterface b) const;
  /// Whether fusion leaves the order of micro-batches. A fused kernel runs with the later
  /// micro-batch, and all consumers of the earlier kernel would wait: the backward pass of
  /// micro-batch 0 for the forward pass of micro-batch 1. In a prologue the operands of the earlier
  /// kernel would wait in memory: the squares of micro-batch 0 for the squares of micro-batch 1.
  /// Reductions of inputs, such as counts of labels, may fuse: inputs are in memory anyway.
  bool areOfOneMicroBatch(Operation *a, Operation *b) const {
    return microBatches.placeOf(a) == microBatches.placeOf(b) ||
           (microBatches.of(a) == microBatches.of(b) && needsNoMemory(a) && needsNoMemory(b));
  }
  bool isFree(kernel::MapOp op) const;
  bool isBarrier(Operation *op) const { return !acrossGradients && op->hasAttr("kernel.barrier"); }
  void replaced(ArrayRef<Operation *> old, FusedKernelOpInterface merged);
  void enqueue(Operation *op) {
    if (isa<FusedKernelOpInterface>(op))
      worklist.insert(op);
  }
  kernel::MapOp reshapeQueued(kernel::MapOp op, ArrayRef<int64_t> space);

  Block &block;
  FusionLimits limits;
  bool isDevice, acrossGradients, fusesEpilogues = false;
  MicroBatches microBatches;
  MergedProvenance provenance;
  BlockRewriter rewriter;
  SetVector<Operation *> worklist;
};
} // namespace

static unsigned bodySize(FusedKernelOpInterface op) {
  return std::distance(op.getBody().front().begin(), op.getBody().front().end());
}
/// Instructions of the body per point. A math function is a polynomial of about twenty
/// instructions; LLVM's time for a block of a thousand instructions grows faster than linearly.
static unsigned codeSize(FusedKernelOpInterface op) {
  unsigned size = 0;
  for (Operation &inner : op.getBody().front())
    size += isa<math::MathDialect>(inner.getDialect()) &&
                    !isa<math::AbsFOp, math::CeilOp, math::CopySignOp, math::FloorOp, math::FmaOp,
                         math::RoundEvenOp, math::RsqrtOp, math::SqrtOp, math::TruncOp>(inner)
                ? 20
                : 1;
  return size;
}
static bool hasOnePoint(FusedKernelOpInterface op) {
  return isa<kernel::MapOp>(*op) && elements(op.getSpace()) == 1;
}
/// Limits of maps of one point on devices, where a launch takes longer than hundreds of scalar
/// operations: the norm of all gradients is one kernel. Parameters of a launch have 4 KB.
constexpr FusionLimits scalarLimits{400, 1000};
bool Fuser::fits(FusedKernelOpInterface a, FusedKernelOpInterface b) const {
  const FusionLimits &most = isDevice && hasOnePoint(a) && hasOnePoint(b) ? scalarLimits : limits;
  return a->getNumOperands() + a->getNumResults() + b->getNumOperands() + b->getNumResults() <=
             most.tensors &&
         codeSize(a) + codeSize(b) <= most.body;
}

/// Whether the body is cheap enough to be recomputed for each element that a consumer reads.
static bool isCheap(FusedKernelOpInterface op) {
  return llvm::none_of(op.getBody().front(), [](Operation &inner) {
    return isa<math::MathDialect>(inner.getDialect()) || isa<arith::DivFOp, arith::DivSIOp>(inner);
  });
}
/// Whether the result is computed from a few literals and the linear index alone.
static bool needsNoInput(FusedKernelOpInterface op) {
  return inputsOf(op).empty() && bodySize(op) <= 8 && isCheap(op);
}
/// Whether the result is computed from a few literals alone, so that there is no reason to store
/// the result.
static bool isLiteral(FusedKernelOpInterface op) {
  return needsNoInput(op) && !usesLinearIndex(op);
}

/// Whether the op recomputes a forward value for the backward pass. Fused with the original, the
/// result would be kept in memory after all.
static bool isRepeated(Operation *op) { return op->hasAttr("kernel.recompute"); }
/// Whether fusion would move a recomputed kernel into the forward pass. A recomputed epilogue may
/// join a recomputed GEMM; a recomputed map goes into its consumers.
static bool mustStayInBackwardPass(Operation *consumer, Operation *producer) {
  return isRepeated(consumer) && (!isRepeated(producer) || isa<kernel::MapOp>(producer));
}

/// Moves the ops between producer and reader that depend on the producer behind the reader. False
/// if the reader depends on an op that would have to move.
bool Fuser::moveUsersBehind(Operation *producer, Operation *consumer) {
  SetVector<Operation *> between;
  auto add = [&](Operation *op) {
    for (Operation *user : op->getUsers())
      if (user != consumer && rewriter.isBefore(user, consumer))
        between.insert(user);
  };
  add(producer);
  for (unsigned i = 0; i < between.size(); ++i) {
    if (between.size() > maxBetween)
      return false;
    add(between[i]);
  }
  for (Value operand : consumer->getOperands())
    if (between.contains(operand.getDefiningOp()))
      return false;
  SmallVector<Operation *> ops = between.takeVector();
  llvm::sort(ops, [&](Operation *a, Operation *b) { return rewriter.isBefore(a, b); });
  Operation *last = consumer;
  for (Operation *op : ops) {
    rewriter.moveBehind(op, last);
    last = op;
  }
  return true;
}

void Fuser::replaced(ArrayRef<Operation *> old, FusedKernelOpInterface merged) {
  if (llvm::any_of(old, [](Operation *op) { return op->hasAttr("kernel.barrier"); }))
    merged->setAttr("kernel.barrier", UnitAttr::get(merged->getContext()));
  for (Operation *op : old) {
    microBatches.replace(op, merged);
    rewriter.eraseOp(op);
  }
  llvm::SmallSetVector<Operation *, 4> consumers;
  for (Value result : merged->getResults())
    findConsumers(result, consumers);
  for (Operation *consumer : consumers)
    enqueue(consumer);
  enqueue(merged);
}

kernel::MapOp Fuser::reshapeQueued(kernel::MapOp op, ArrayRef<int64_t> space) {
  Operation *old = op;
  bool isQueued = worklist.contains(old);
  MicroBatches::SchedulePosition place = microBatches.placeOf(old);
  std::optional<unsigned> tree = provenance.treeOf(old);
  kernel::MapOp now =
      reshapeDomain(rewriter, op, space); // erases `old` if another op takes its place
  if (now && now != old) {
    microBatches.assign(now, place);
    if (tree)
      provenance.assign(now, *tree);
    if (isQueued)
      enqueue(now);
  }
  return now;
}

/// Whether consumers that recompute the value read no more bytes than the stored value has: a
/// widening cast, e.g. bf16 -> f32, or a gradient behind a barrier times a scalar.
bool Fuser::isFree(kernel::MapOp op) const {
  if (op->getNumResults() != 1 || bodySize(op) > 8 || !isCheap(op) || usesLinearIndex(op))
    return false;
  Value whole;
  for (OpOperand &input : inputsOf(op)) {
    if (elements(shapeOf(input.get())) == 1)
      continue;
    if (whole || elements(shapeOf(input.get())) != elements(shapeOf(op->getResult(0))))
      return false;
    whole = input.get();
  }
  if (!whole)
    return false;
  unsigned from = getElementTypeOrSelf(whole).getIntOrFloatBitWidth(),
           to = getElementTypeOrSelf(op->getResult(0)).getIntOrFloatBitWidth();
  Operation *source = kernel::throughViews(whole).getDefiningOp();
  return (from < to || (from == to && source && isBarrier(source))) &&
         isReadElementwise(op->getResult(0));
}

namespace {
/// A tensor as a kernel reads it.
struct Reading {
  AffineMap map;
  ArrayRef<int64_t> shape;

  /// Elements between two points that are neighbours along a dimension of the space.
  int64_t strideAlong(unsigned dim) const {
    auto placeOf = [&](ArrayRef<int64_t> point) {
      int64_t place = 0;
      for (auto [size, index] : llvm::zip(shape, map.compose(point)))
        place = place * size + index;
      return place;
    };
    SmallVector<int64_t> point(map.getNumDims(), 0);
    int64_t origin = placeOf(point);
    point[dim] = 1;
    return placeOf(point) - origin;
  }
};
} // namespace

/// Whether sums over rows of [outer, reduced, 1] are made in the order of columns, because a tensor
/// is read across: neighbouring rows are neighbours in memory (target::ReduceOrder).
static bool sumsAsColumns(kernel::ReduceOp op, ArrayRef<Reading> readings) {
  ArrayRef<int64_t> space = op.getSpace();
  return space[2] == 1 && space[0] > 1 && llvm::any_of(readings, [](const Reading &each) {
           return each.strideAlong(0) == 1 && each.strideAlong(1) > 1;
         });
}

static SmallVector<Reading> readingsOf(FusedKernelOpInterface op) {
  SmallVector<Reading> readings;
  for (auto [i, operand] : llvm::enumerate(inputsOf(op)))
    readings.push_back({mapAt(op.getInputMaps(), i), shapeOf(operand.get())});
  return readings;
}

/// Terms up to which rows and columns are summed by one tree: target::order::blockRows.
static constexpr int64_t blockRows = 16;

/// Whether the order of the terms shows in results: sums of more reals than one tree adds.
static bool showsOrder(kernel::ReduceOp op) {
  return op.getKind() == kernel::Combine::sum && op.getSpace()[1] > blockRows &&
         llvm::any_of(op->getResultTypes(),
                      [](Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); });
}

/// Whether two kernels of one domain are sums in different orders: one kernel has one order.
static bool areOfTwoOrders(FusedKernelOpInterface a, FusedKernelOpInterface b) {
  auto first = dyn_cast<kernel::ReduceOp>(*a), second = dyn_cast<kernel::ReduceOp>(*b);
  return first && second && showsOrder(first) &&
         sumsAsColumns(first, readingsOf(a)) != sumsAsColumns(second, readingsOf(b));
}

/// Whether a sum of more terms than a block has would get another order by reading the inputs of
/// the producer in place of the producer's result: results would depend on fusion. Example: rows
/// [17, 31] of a product of transposed tensors. `reads`: inputs of the sum by the producer.
static bool changesOrder(FusedKernelOpInterface consumer, FusedKernelOpInterface producer,
                         ArrayRef<std::pair<unsigned, AffineMap>> reads) {
  auto reduce = dyn_cast<kernel::ReduceOp>(*consumer);
  if (!reduce || !showsOrder(reduce))
    return false;
  SmallVector<Reading> before = readingsOf(consumer), after;
  for (auto [i, reading] : llvm::enumerate(before))
    if (llvm::none_of(reads, [i = i](const auto &read) { return read.first == i; }))
      after.push_back(reading);
  for (const auto &read : reads)
    for (auto [j, source] : llvm::enumerate(inputsOf(producer)))
      after.push_back(
          {composed(mapAt(producer.getInputMaps(), j), read.second), shapeOf(source.get())});
  return sumsAsColumns(reduce, before) != sumsAsColumns(reduce, after);
}

/// Inlines a pointwise producer into the only consumer, or into each consumer if recomputing is
/// free. Indexing maps compose: a producer's input map (i) -> (i, 0), read by the consumer at
/// (i, j) -> (i), becomes (i, j) -> (i, 0).
bool Fuser::recompute(FusedKernelOpInterface consumer, unsigned input) {
  Value given = inputsOf(consumer)[input].get();
  auto producer = kernel::throughViews(given).getDefiningOp<kernel::MapOp>();
  if (!producer || !isPointwise(producer) || isBarrier(producer) || !fits(producer, consumer) ||
      !(isLiteral(producer) || (areOfOneMicroBatch(producer, consumer)
                                    ? isOnlyConsumer(producer, consumer) || isFree(producer)
                                    : needsNoInput(producer))))
    return false;
  int64_t from = elements(producer.getSpace()), to = elements(consumer.getSpace());
  // Uniform scalars are computed once per program, not once per element.
  if (!isLiteral(producer) && from < to && (from == 1 || !isCheap(producer)))
    return false;
  bool isView = given.getDefiningOp<kernel::ViewOp>() != nullptr;
  if (isView) {
    producer = reshapeQueued(producer, shapeOf(given));
    if (!producer)
      return false;
    readThroughUnitViews(rewriter, consumer); // the remaining views
  }
  // consumer inputs that are results of the producer
  SmallVector<std::pair<unsigned, AffineMap>> reads;
  for (auto [i, operand] : llvm::enumerate(inputsOf(consumer))) {
    if (operand.get().getDefiningOp() != producer)
      continue;
    unsigned result = cast<OpResult>(operand.get()).getResultNumber();
    AffineMap inverse = inverseOf(mapAt(producer.getResultMaps(), result), producer.getSpace(),
                                  shapeOf(operand.get()));
    if (!inverse)
      return false;
    AffineMap via = composed(inverse, mapAt(consumer.getInputMaps(), i));
    if (usesLinearIndex(producer) &&
        (consumer.getSpace() != producer.getSpace() || !isIdentityOn(via, consumer.getSpace())))
      return false;
    for (auto [j, source] : llvm::enumerate(inputsOf(producer)))
      if (!mayAccess(consumer, composed(mapAt(producer.getInputMaps(), j), via),
                     shapeOf(source.get())))
        return false;
    reads.emplace_back(i, via);
  }
  if (reads.empty() || changesOrder(consumer, producer, reads))
    return false;
  bool isLast = producer->hasOneUse();
  Merge merge(consumer);
  Merge::Known known;
  for (auto [i, via] : reads) {
    SmallVector<Value> made = isLast ? merge.take(producer, via) : merge.append(producer, via);
    known[i] = made[cast<OpResult>(inputsOf(consumer)[i].get()).getResultNumber()];
  }
  AffineMap all =
      AffineMap::getMultiDimIdentityMap(consumer.getSpace().size(), consumer->getContext());
  SmallVector<Value> yields = merge.take(consumer, all, known);
  for (auto [i, value] : llvm::enumerate(yields))
    merge.addResult(value, consumer->getResult(i), mapAt(consumer.getResultMaps(), i));
  FusedKernelOpInterface merged = merge.finish(consumer);
  provenance.join(merged, consumer, producer);
  if (isRepeated(producer) && known.size() == inputsOf(consumer).size()) // so are all operands
    merged->setAttr("kernel.recompute", UnitAttr::get(merged->getContext()));
  replaced({consumer}, merged);
  if (isView)
    dropDeadViews(rewriter, producer);
  if (producer->use_empty())
    rewriter.eraseOp(producer);
  return true;
}

static bool isSummed(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return isa<kernel::ViewOp>(user) ? isSummed(user->getResult(0)) : isSum(user);
  });
}

/// Whether the fused kernel would hide an ordered sum: a sum over a value beside a gradient in one
/// kernel would pass for a sum over a gradient, which becomes a fused reduction in another order.
static bool hidesSum(Operation *first, Operation *second) {
  auto isGradient = [](Operation *op) { return op->hasAttr("kernel.barrier"); };
  auto isOther = [&](Operation *op) {
    return !isGradient(op) && llvm::any_of(op->getResults(), isSummed);
  };
  return (isGradient(first) && isOther(second)) || (isGradient(second) && isOther(first));
}

/// Fuses a consumer into the kernel of the producer, as epilogue. The iteration domain of the
/// consumer may change even if fusion then fails.
bool Fuser::join(FusedKernelOpInterface &anyConsumer, unsigned input) {
  auto consumer = dyn_cast<kernel::MapOp>(*anyConsumer);
  Value given = inputsOf(anyConsumer)[input].get();
  auto producer = kernel::throughViews(given).getDefiningOp<FusedKernelOpInterface>();
  if (!consumer || !producer || isa<kernel::ReduceOp>(producer) || isBarrier(producer) ||
      mustStayInBackwardPass(consumer, producer) || !areOfOneMicroBatch(producer, consumer) ||
      !fits(producer, consumer) || GradientReduction::of(rewriter, consumer) ||
      GradientReduction::of(rewriter, producer) || hidesSum(producer, consumer))
    return false;
  bool isView = given.getDefiningOp<kernel::ViewOp>() != nullptr;
  if (isView) {
    if (delaysFusedReductions(rewriter, producer, consumer))
      return false;
    consumer = reshapeQueued(consumer, producer.getSpace());
    if (!consumer)
      return false;
    anyConsumer = consumer;
  }
  AffineMap via = fusionMap(producer, consumer);
  // The search for sums visits all consumers of the producer, so it comes last.
  if (!via || !canFuse(producer, consumer, via) ||
      (!isView && delaysFusedReductions(rewriter, producer, consumer)))
    return false;
  dropDeadViews(rewriter, producer);
  if (!moveUsersBehind(producer, consumer))
    return false;
  Merge merge(producer);
  AffineMap all =
      AffineMap::getMultiDimIdentityMap(producer.getSpace().size(), consumer->getContext());
  SmallVector<Value> made = merge.take(producer, all);
  Merge::Known known;
  for (auto [i, operand] : llvm::enumerate(inputsOf(consumer)))
    if (operand.get().getDefiningOp() == producer)
      known[i] = made[cast<OpResult>(operand.get()).getResultNumber()];
  SmallVector<Value> more = merge.take(consumer, via, known);
  for (auto [i, value] : llvm::enumerate(made))
    if (llvm::any_of(producer->getResult(i).getUsers(),
                     [&](Operation *user) { return user != consumer; }))
      merge.addResult(value, producer->getResult(i), mapAt(producer.getResultMaps(), i));
  for (auto [i, value] : llvm::enumerate(more))
    merge.addResult(
        value, consumer->getResult(i),
        normalized(composed(mapAt(consumer.getResultMaps(), i), via), producer.getSpace()));
  FusedKernelOpInterface merged = merge.finish(consumer);
  provenance.join(merged, producer, consumer);
  replaced({consumer, producer}, merged);
  return true;
}

/// Fuses two siblings of equal iteration domain; fails if the second depends on the first.
bool Fuser::fuseSiblings(FusedKernelOpInterface first, FusedKernelOpInterface second) {
  bool depends =
      llvm::any_of(second->getOperands(), [&](Value v) { return v.getDefiningOp() == first; });
  if (depends || !fits(first, second) || hidesSum(first, second) || areOfTwoOrders(first, second) ||
      delaysFusedReductions(rewriter, first, second) || !moveUsersBehind(first, second))
    return false;
  Merge merge(first);
  AffineMap all = AffineMap::getMultiDimIdentityMap(first.getSpace().size(), first->getContext());
  for (FusedKernelOpInterface op : {first, second})
    for (auto [i, value] : llvm::enumerate(merge.take(op, all)))
      merge.addResult(value, op->getResult(i), mapAt(op.getResultMaps(), i));
  FusedKernelOpInterface merged = merge.finish(second);
  provenance.join(merged, first, second);
  replaced({second, first}, merged);
  return true;
}

/// Whether at most `maxDistance` ops lie between the two.
static bool areClose(Operation *first, Operation *second) {
  for (unsigned i = 0; i < maxDistance && first; ++i, first = first->getNextNode())
    if (first == second)
      return true;
  return false;
}

/// Whether all operands of `op` are defined before `position`.
static bool isReady(BlockRewriter &order, Operation *op, Operation *position) {
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    Operation *source = operand.getDefiningOp();
    return !source || order.isBefore(source, position);
  });
}

/// Sibling fusion: maps, or reductions of equal kind, that read the same elements (or the same
/// scalar) in the same order.
bool Fuser::fuseSibling(FusedKernelOpInterface op) {
  auto reduce = dyn_cast<kernel::ReduceOp>(*op);
  if ((!reduce && !isa<kernel::MapOp>(op)) || GradientReduction::of(rewriter, op))
    return false;
  for (auto [i, operand] : llvm::enumerate(inputsOf(op))) {
    unsigned seen = 0;
    // Fusion of broadcast or barely read operands saves no pass over memory.
    if (elements(shapeOf(operand.get())) != elements(op.getSpace()))
      continue;
    shareView(rewriter, operand.get());
    for (OpOperand &use : operand.get().getUses()) {
      auto other = dyn_cast<FusedKernelOpInterface>(use.getOwner());
      if (++seen > maxSiblings)
        break;
      if (!other || other == op || other->getName() != op->getName() ||
          other.getSpace() != op.getSpace() || GradientReduction::of(rewriter, other) ||
          isRepeated(other) != isRepeated(op) || !areOfOneMicroBatch(other, op) ||
          (reduce && cast<kernel::ReduceOp>(*other).getKind() != reduce.getKind()))
        continue;
      int64_t input = int64_t(use.getOperandNumber()) - inputsOf(other).front().getOperandNumber();
      if (input < 0 || other.getInputMaps()[input] != op.getInputMaps()[i])
        continue;
      bool follows = areClose(op, other), isClose = follows || areClose(other, op);
      if (!isClose && !reduce)
        continue;
      bool inOrder = isClose ? follows : rewriter.isBefore(op, other);
      FusedKernelOpInterface first = inOrder ? op : other, second = inOrder ? other : op;
      if (!isClose) {
        if (!isReady(rewriter, second, first))
          continue;
        rewriter.moveBehind(second, first);
      }
      if (fuseSiblings(first, second))
        return true;
    }
  }
  return false;
}

void Fuser::visit(FusedKernelOpInterface op) {
  readThroughUnitViews(rewriter, op);
  for (unsigned i = 0, e = inputsOf(op).size(); i < e; ++i)
    if (recompute(op, i) || (fusesEpilogues && join(op, i)))
      return;
  if (fusesEpilogues)
    fuseSibling(op);
}

void Fuser::run() {
  // Recomputation first: a value that a consumer can recompute is better not stored by an epilogue.
  for (bool phase : {false, true}) {
    fusesEpilogues = phase;
    for (Operation &op : llvm::reverse(block))
      enqueue(&op);
    while (!worklist.empty())
      visit(cast<FusedKernelOpInterface>(worklist.pop_back_val()));
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      rewriter.eraseOp(&op);
  provenance.write();
}

namespace {
struct KernelFuse : ampc::impl::KernelFuseBase<KernelFuse> {
  using KernelFuseBase::KernelFuseBase;
  void runOnOperation() override {
    const Target *target = targetOf(getOperation());
    if (!target)
      return signalPassFailure();
    std::optional<FusionLimits> limits = target->getFusionLimits();
    if (!limits)
      return;
    auto programs = llvm::to_vector(getOperation().getOps<kernel::ProgramOp>());
    parallelForEach(&getContext(), programs, [&](kernel::ProgramOp program) {
      Fuser(program.getBody().front(), *limits, target->isDevice(), acrossGradients).run();
      IRRewriter rewriter(program.getContext());
      // Fused bodies repeat casts of the same arguments.
      removeCommonSubexpressions(rewriter, program);
    });
  }
};
} // namespace
