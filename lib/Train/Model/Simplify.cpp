// Canonical forms and one op in place of equal ones, without losing where ops come from.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Train/Passes.h"
#include "mlir-dialects/Train/Origin.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace ampc {
#define GEN_PASS_DEF_TRAINSIMPLIFY
#include "ampc/Train/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

namespace {
/// What a pattern makes comes from where the op does that it was applied to.
class OriginsFollow : public RewriterBase::Listener {
public:
  void notifyPatternBegin(const Pattern &, Operation *op) override { root = originOf(op); }
  void notifyPatternEnd(const Pattern &, LogicalResult) override { root = {}; }
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    if (!originOf(op))
      setOrigin(op, root);
  }

private:
  train::OriginAttr root;
};

struct TrainSimplify : ampc::impl::TrainSimplifyBase<TrainSimplify> {
  using TrainSimplifyBase::TrainSimplifyBase;
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet all(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(all);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(all, context);
    patterns = std::move(all);
    return success();
  }

  void runOnOperation() override {
    OriginsFollow listener;
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal()
        .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
        .setListener(&listener);
    // Forms that are canonical but for what the last iteration could still do are fine.
    if (canonical)
      (void)applyPatternsGreedily(getOperation(), patterns, config);
    AnnotationsAside aside(getOperation());
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
  }

private:
  FrozenRewritePatternSet patterns;
};
} // namespace
