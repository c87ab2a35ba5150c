// What the backward pass can make again from less is not kept for it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Precision/Passes.h"
#include "lib/Precision/Casts.h"
#include "mlir-dialects/Train/TrainFlat.h"
#include "llvm/ADT/SetVector.h"

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
  /// Bytes that the backward pass no longer keeps.
  int64_t run() {
    if (!seed)
      return 0;
    int64_t before = savedBytes();
    SmallVector<Operation *> forward;
    for (Operation &op : body.without_terminator())
      if (!isBackward(&op))
        forward.push_back(&op);
    // Backwards: a copy reads operands that may be made again themselves.
    for (Operation *op : llvm::reverse(forward))
      if (isCheap(op) && isSaved(op->getResult(0)) && pays(op))
        copyToBackward(op);
    return before - savedBytes();
  }
  /// Of the first micro-batch, if there are several.
  int64_t savedBytes() const {
    int64_t bytes = 0;
    for (Operation *op = &body.front(); op != seed; op = op->getNextNode())
      for (Value result : op->getResults())
        if (isSaved(result) && !op->hasTrait<OpTrait::ConstantLike>())
          bytes += bytesOf(result);
    return bytes;
  }

private:
  bool isBackward(Operation *op) const { return !isForward(op) || op->hasAttr("amp.recompute"); }
  bool isSaved(Value v) const {
    return llvm::any_of(v.getUsers(), [&](Operation *user) { return isBackward(user); });
  }
  bool pays(Operation *op) const {
    int64_t more = 0;
    for (Value operand : SetVector<Value>(op->operand_begin(), op->operand_end()))
      if (Operation *source = operand.getDefiningOp())
        if (!source->hasTrait<OpTrait::ConstantLike>() && !isSaved(operand))
          more += bytesOf(operand);
    return more < bytesOf(op->getResult(0));
  }
  void copyToBackward(Operation *op) {
    Operation *first = nullptr;
    for (Operation *user : op->getResult(0).getUsers())
      if (isBackward(user) && (!first || user->isBeforeInBlock(first)))
        first = user;
    Operation *copy = op->clone();
    body.getOperations().insert(first->getIterator(), copy);
    setOrigin(copy, originOf(op).withStage(train::Stage::Backward));
    copy->setAttr("amp.recompute",
                  UnitAttr::get(op->getContext())); // or it would be merged with the original
    op->getResult(0).replaceUsesWithIf(copy->getResult(0), [&](OpOperand &use) {
      return use.getOwner() != copy && isBackward(use.getOwner());
    });
  }

  Block &body;
  Operation *seed;
};

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
      Recomputation recomputation(func.getBody().front());
      int64_t bytes = repeat ? recomputation.run() : 0;
      Builder b(&getContext());
      if (func.getStep() && !func.getBody().front().getOps<train::SeedOp>().empty())
        func->setAttr("amp.saved_bytes", b.getI64IntegerAttr(recomputation.savedBytes()));
      if (explain)
        explainCopies(func);
      if (explain && bytes > 0)
        func.emitRemark() << "the backward pass of @" << func.getSymName() << " keeps " << bytes
                          << " bytes less";
    });
  }
};
} // namespace
