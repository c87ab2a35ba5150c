// What the backward pass can make again from less is not kept for it, and neither is what a
// checkpoint says it is to make again (Chen et al. 2016, Training Deep Nets with Sublinear Memory
// Cost).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Precision/Passes.h"
#include "lib/Precision/Casts.h"
#include "mlir-dialects/Amp/Amp.h"
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

static int64_t bytesOf(Value v) {
  auto type = cast<RankedTensorType>(v.getType());
  return type.getNumElements() * std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
}

/// One element from one element per operand: casts, masks, additions. No sums, no exponentials.
static bool isCheap(Operation *op) {
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
    return llvm::any_of(body, [](Operation &op) { return bool(segmentOf(&op)); });
  }
  /// Values inside of checkpoints, from what goes into these.
  void repeatSegments();
  /// What single cheap ops make of less.
  void repeatCheapOps();
  /// Of the first micro-batch, if there are several.
  int64_t savedBytes() const;
  /// All, and what is done again.
  std::pair<int64_t, int64_t> countFlops() const;

private:
  /// A segment's name, and the micro-batch.
  using Segment = std::pair<StringAttr, int64_t>;
  using Readers = llvm::function_ref<bool(Operation *)>;

  static Segment placeOf(Operation *op) {
    train::OriginAttr origin = originOf(op);
    return origin ? Segment{origin.getSegment(), origin.getPart()} : Segment();
  }
  bool isBackward(Operation *op) const { return !isForward(op) || op->hasAttr("amp.recompute"); }
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
  for (auto op : body.getOps<PrecisionOpInterface>()) {
    all += op.getFlops();
    again += op->hasAttr("amp.recompute") ? op.getFlops() : 0;
  }
  return {all, again};
}

/// A copy stands as late as it can, so that it lives as short as possible.
void Recomputation::copyToBackward(Operation *op, Readers takesCopy) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers())
    if (takesCopy(user) && (!first || user->isBeforeInBlock(first)))
      first = user;
  Operation *copy = op->clone();
  body.getOperations().insert(first->getIterator(), copy);
  setOrigin(copy, originOf(op).withStage(train::Stage::Backward));
  copy->setAttr("amp.recompute",
                UnitAttr::get(op->getContext())); // or it would be merged with the original
  op->replaceUsesWithIf(copy->getResults(), [&](OpOperand &use) {
    return use.getOwner() != copy && takesCopy(use.getOwner());
  });
}

void Recomputation::repeatSegments() {
  llvm::MapVector<Segment, SmallVector<Operation *>> segments;
  for (Operation &op : body)
    if (segmentOf(&op) && !isBackward(&op))
      segments[placeOf(&op)].push_back(&op);
  // Backwards: what a later segment reads of an earlier one is kept, and need not be made again.
  for (auto &[segment, ops] : llvm::reverse(segments))
    repeatSegment(segment, ops);
}

/// The adjoints of a segment's ops read copies, unless something else in the backward pass reads
/// the value too: a copy of the segment would then have to live beside it.
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

void Recomputation::repeatCheapOps() {
  SmallVector<Operation *> forward;
  for (Operation &op : body.without_terminator())
    if (!isBackward(&op))
      forward.push_back(&op);
  // Backwards: a copy reads operands that may be made again themselves.
  for (Operation *op : llvm::reverse(forward))
    if (isCheap(op) && isSaved(op->getResult(0)) && pays(op))
      copyToBackward(op, [&](Operation *user) { return isBackward(user); });
}

namespace {
/// Other casts have been explained when they were made.
void explainCopies(train::FuncOp func) {
  for (auto cast : func.getBody().front().getOps<train::CastOp>())
    if (cast->hasAttr("amp.recompute"))
      explainCast(func, cast);
}

struct AmpRecompute : ampc::impl::AmpRecomputeBase<AmpRecompute> {
  using AmpRecomputeBase::AmpRecomputeBase;
  void runOnOperation() override {
    if (failed(checkIsFlat(getOperation(), getArgument())))
      return signalPassFailure();
    if (budget != 0) {
      getOperation()->emitError() << "expected no byte budget for saved activations: choosing what "
                                     "to recompute under a budget "
                                     "is not supported; cheap ops are always recomputed";
      return signalPassFailure();
    }
    getOperation()->walk([&](train::FuncOp func) {
      if (firstSeed(func.getBody().front()))
        repeatOps(func);
      if (explain)
        explainCopies(func);
    });
  }

private:
  void repeatOps(train::FuncOp func) {
    Recomputation recomputation(func.getBody().front());
    bool hasSegments = recomputation.hasSegments();
    int64_t bytesWithout = hasSegments ? savedBytesWithoutSegments(func) : 0;
    recomputation.repeatSegments();
    auto [flops, again] = recomputation.countFlops();
    int64_t before = recomputation.savedBytes();
    if (repeat)
      recomputation.repeatCheapOps();
    int64_t bytes = recomputation.savedBytes();
    if (explain && bytes < before)
      func.emitRemark() << "the backward pass of @" << func.getSymName() << " keeps "
                        << before - bytes << " bytes less";
    if (!func.getStep())
      return;
    func->setAttr("amp.saved_bytes", Builder(&getContext()).getI64IntegerAttr(bytes));
    if (!hasSegments)
      return;
    CheckpointCosts costs{bytesWithout, flops, again};
    costs.attachTo(func);
    if (explain)
      func.emitRemark() << "with checkpoints the backward pass of @" << func.getSymName()
                        << " keeps " << bytes << " bytes in place of " << bytesWithout
                        << ", and computes "
                        << llvm::formatv("{0:F1}", 100 * costs.shareAgain()).str()
                        << " % of the step's operations again";
  }
  /// What would be kept if the model had no checkpoints.
  int64_t savedBytesWithoutSegments(train::FuncOp func) {
    OwningOpRef<train::FuncOp> copy(func.clone());
    Recomputation recomputation(copy->getBody().front());
    if (repeat)
      recomputation.repeatCheapOps();
    return recomputation.savedBytes();
  }
};
} // namespace
