// Pass amp-recompute: rematerializes cheap values in the backward pass, and recomputes the segments
// that a checkpoint names (Chen et al. 2016, Training Deep Nets with Sublinear Memory Cost), in
// place of keeping residuals.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Precision/ActivationBudget.h"
#include "ampc/Precision/Passes.h"
#include "lib/Precision/Casts.h"
#include "lib/Precision/Recomputation.h"
#include "mlir-dialects/Amp/Amp.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/TrainFlat.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

namespace ampc {
#define GEN_PASS_DEF_AMPRECOMPUTE
#include "ampc/Precision/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

bool ampc::isCheapToRecompute(Operation *op) {
  auto precision = dyn_cast<PrecisionOpInterface>(op);
  return op->getNumResults() == 1 && precision && (movesOnly(op) || isa<ScalarOpInterface>(op)) &&
         (precision.getCategory() == Category::Promote ||
          precision.getCategory() == Category::Passthrough) &&
         !op->hasTrait<OpTrait::ConstantLike>();
}

namespace {
class Recomputation {
public:
  explicit Recomputation(Block &body) : body(body), seed(firstSeed(body)) {}
  bool hasBackwardPass() const { return seed; }
  bool hasSegments() const {
    return llvm::any_of(body, [](Operation &op) {
      auto scan = dyn_cast<train::ScanOp>(op);
      return segmentOf(&op) || (scan && scan.getCheckpoint());
    });
  }
  /// Recomputes values inside checkpointed segments from the segments' inputs.
  void recomputeSegments();
  /// Rematerializes cheap ops whose operands take fewer bytes than the result.
  void rematerializeCheapOps();
  /// Recomputes with the least work until the step holds at most `budget`; changes nothing if no
  /// plan fits.
  BudgetCosts keepWithin(ActivationBudget budget);
  /// Bytes of residuals; of the first micro-batch, if there are several.
  int64_t savedBytes() const;
  /// Operations of the whole step, and of recomputed ops.
  std::pair<int64_t, int64_t> countFlops() const;

private:
  /// Name of a segment, and number of the micro-batch.
  using Segment = std::pair<StringAttr, int64_t>;
  using Readers = llvm::function_ref<bool(Operation *)>;

  static Segment placeOf(Operation *op) {
    train::OriginAttr origin = originOf(op);
    return origin ? Segment{origin.getSegment(), origin.getPart()} : Segment();
  }
  bool isBackward(Operation *op) const {
    return (!isForward(op) || op->hasAttr("amp.recompute")) && !isChunked(op);
  }
  bool isOriginal(Operation *op) const { return isForward(op) && !op->hasAttr("amp.recompute"); }
  bool isSaved(Value v) const {
    return llvm::any_of(v.getUsers(), [&](Operation *user) { return isBackward(user); });
  }
  bool pays(Operation *op) const;
  void repeatSegment(Segment segment, ArrayRef<Operation *> ops);
  void copyToBackward(Operation *op, Readers takesCopy);

  Block &body;
  Operation *seed;
};
} // namespace

int64_t Recomputation::savedBytes() const {
  int64_t bytes = 0;
  for (Operation *op = &body.front(); op != seed; op = op->getNextNode())
    for (Value result : op->getResults())
      if (isSaved(result) && !op->hasTrait<OpTrait::ConstantLike>())
        bytes += bytesOf(result);
  return bytes;
}

std::pair<int64_t, int64_t> Recomputation::countFlops() const {
  int64_t all = 0, again = 0;
  body.walk([&](PrecisionOpInterface op) {
    int64_t flops = op.getFlops() * runsOf(op);
    all += flops;
    again += op->hasAttr("amp.recompute") ? flops : 0;
  });
  return {all, again};
}

/// Position of a copy: directly in front of the first consumer, which gives the shortest live
/// range.
void Recomputation::copyToBackward(Operation *op, Readers takesCopy) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers())
    if (Operation *at = body.findAncestorOpInBlock(*user);
        takesCopy(user) && (!first || at->isBeforeInBlock(first)))
      first = at;
  Operation *copy = op->clone();
  body.getOperations().insert(first->getIterator(), copy);
  copy->walk([&](Operation *inner) { // with the ops of a loop
    setOrigin(inner, originOf(inner).withStage(train::Stage::Backward));
    if (!inner->hasTrait<OpTrait::IsTerminator>() && !inner->hasTrait<OpTrait::ConstantLike>())
      inner->setAttr("amp.recompute",
                     UnitAttr::get(op->getContext())); // keeps CSE from merging the copy with the
                                                       // original
    inner->removeAttr("amp.in_parts");
  });
  op->replaceUsesWithIf(copy->getResults(), [&](OpOperand &use) {
    return use.getOwner() != copy && takesCopy(use.getOwner());
  });
}

void Recomputation::recomputeSegments() {
  llvm::MapVector<Segment, SmallVector<Operation *>> segments;
  for (Operation &op : body)
    if (segmentOf(&op) && isOriginal(&op))
      segments[placeOf(&op)].push_back(&op);
  // Reverse order: a value that a later segment reads from an earlier segment is kept, and need not
  // be recomputed.
  for (auto &[segment, ops] : llvm::reverse(segments))
    repeatSegment(segment, ops);
}

/// Adjoints of a segment's ops read copies, unless an op outside of the segment in the backward
/// pass reads the value too: the value is then kept anyway, and a copy would take memory besides.
void Recomputation::repeatSegment(Segment segment, ArrayRef<Operation *> ops) {
  auto isInside = [&](Operation *user) { return isBackward(user) && placeOf(user) == segment; };
  auto isOutside = [&](Operation *user) { return isBackward(user) && placeOf(user) != segment; };
  for (Operation *op : llvm::reverse(ops))
    if (llvm::any_of(op->getResults(), [&](Value result) {
          return llvm::any_of(result.getUsers(), isInside) &&
                 llvm::none_of(result.getUsers(), isOutside);
        }))
      copyToBackward(op, isInside);
}

bool Recomputation::pays(Operation *op) const {
  int64_t more = 0;
  for (Value operand : SetVector<Value>(op->operand_begin(), op->operand_end()))
    if (Operation *source = operand.getDefiningOp())
      if (!source->hasTrait<OpTrait::ConstantLike>() && !isSaved(operand))
        more += bytesOf(operand);
  return more < bytesOf(op->getResult(0));
}

void Recomputation::rematerializeCheapOps() {
  SmallVector<Operation *> forward;
  for (Operation &op : body.without_terminator())
    if (isOriginal(&op))
      forward.push_back(&op);
  // Reverse order: a copy's operands may be rematerialized in turn.
  for (Operation *op : llvm::reverse(forward))
    if (isCheapToRecompute(op) && isSaved(op->getResult(0)) && pays(op))
      copyToBackward(op, [&](Operation *user) { return isBackward(user); });
}

BudgetCosts Recomputation::keepWithin(ActivationBudget budget) {
  auto readsKept = [&](Operation *op) { return isBackward(op); };
  RecomputationPlanner planner(body, readsKept);
  int64_t without = planner.withoutBudget().peak;
  RecomputationPlan plan = planner.withBudget(budget.bytesOf(without));
  BudgetCosts costs{budget.bytesOf(without), plan.peak, without};
  if (costs.held <= costs.budget)
    for (Operation *op : llvm::reverse(plan.ops))
      copyToBackward(op, readsKept);
  return costs;
}

namespace {
/// Remarks on the casts that the pass copied, in loops as well; casts of other passes were
/// explained when inserted.
void explainCopies(train::FuncOp func) {
  func.walk([&](train::CastOp cast) {
    if (cast->hasAttr("amp.recompute"))
      explainCast(func, cast);
  });
}

struct AmpRecompute : ampc::impl::AmpRecomputeBase<AmpRecompute> {
  using AmpRecomputeBase::AmpRecomputeBase;
  void runOnOperation() override {
    if (failed(checkHasOnlyLoops(getOperation(), getArgument())))
      return signalPassFailure();
    std::optional<ActivationBudget> limit;
    if (!budget.empty()) {
      llvm::Expected<ActivationBudget> parsed = ActivationBudget::parse(budget);
      if (!parsed) {
        getOperation()->emitError(llvm::toString(parsed.takeError()));
        return signalPassFailure();
      }
      limit = *parsed;
    }
    WalkResult result = getOperation()->walk([&](train::FuncOp func) {
      if (firstSeed(func.getBody().front()) && failed(repeatOps(func, limit)))
        return WalkResult::interrupt();
      if (explain)
        explainCopies(func);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult repeatOps(train::FuncOp func, std::optional<ActivationBudget> limit) {
    Recomputation recomputation(func.getBody().front());
    bool hasSegments = recomputation.hasSegments();
    int64_t bytesWithout = hasSegments || limit ? savedBytesWithout(func) : 0;
    recomputation.recomputeSegments();
    recomputeRounds(func.getBody().front(), /*cheap=*/false);
    if (limit && func.getStep() && failed(holdWithin(func, recomputation, *limit)))
      return failure();
    auto [flops, again] = recomputation.countFlops();
    int64_t before = recomputation.savedBytes();
    if (repeat && !limit) {
      recomputeRounds(func.getBody().front(), /*cheap=*/true);
      recomputation.rematerializeCheapOps();
    }
    int64_t bytes = recomputation.savedBytes();
    if (explain && bytes < before)
      func.emitRemark() << "the backward pass of @" << func.getSymName() << " keeps "
                        << before - bytes << " bytes less";
    if (!func.getStep())
      return success();
    func->setAttr("amp.saved_bytes", Builder(&getContext()).getI64IntegerAttr(bytes));
    if (!hasSegments && !limit)
      return success();
    CheckpointCosts costs{bytesWithout, flops, again};
    costs.attachTo(func);
    if (explain)
      func.emitRemark() << "with " << (limit ? "a budget" : "checkpoints")
                        << " the backward pass of @" << func.getSymName() << " keeps " << bytes
                        << " bytes in place of " << bytesWithout << ", and computes "
                        << llvm::formatv("{0:F1}", 100 * costs.shareAgain()).str()
                        << " % of the step's operations again";
    return success();
  }
  LogicalResult holdWithin(train::FuncOp func, Recomputation &recomputation,
                           ActivationBudget limit) {
    BudgetCosts costs = recomputation.keepWithin(limit);
    if (costs.held <= costs.budget) {
      costs.attachTo(func);
      return success();
    }
    return func.emitError() << "expected a budget of at least " << costs.held
                            << " bytes for the residuals of step '" << func.getStepName()
                            << "', but got " << costs.budget
                            << "; residuals without a budget: " << costs.without;
  }
  /// Bytes of residuals without checkpoints and without a budget.
  int64_t savedBytesWithout(train::FuncOp func) {
    OwningOpRef<train::FuncOp> copy(func.clone());
    copy->walk([](train::ScanOp scan) { scan.removeCheckpointAttr(); });
    Recomputation recomputation(copy->getBody().front());
    if (repeat) {
      recomputeRounds(copy->getBody().front(), /*cheap=*/true);
      recomputation.rematerializeCheapOps();
    }
    return recomputation.savedBytes();
  }
};
} // namespace
