// Pass train-set-ranks: the number of processes that train a model together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Train/Passes.h"
#include "ampc/Train/Ranks.h"
#include "lib/Train/Step/Ranks.h"

namespace ampc {
#define GEN_PASS_DEF_TRAINSETRANKS
#include "ampc/Train/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

int64_t ampc::ranksOf(Operation *op) {
  auto model =
      isa<train::ModelOp>(op) ? cast<train::ModelOp>(op) : op->getParentOfType<train::ModelOp>();
  auto ranks = model ? model->getAttrOfType<IntegerAttr>(ranksKey) : IntegerAttr();
  return ranks ? ranks.getInt() : 1;
}

int64_t ampc::partsOf(train::StepOp step) {
  return int64_t(step.getMicroBatches().value_or(1)) * ranksOf(step);
}

namespace {
struct TrainSetRanks : ampc::impl::TrainSetRanksBase<TrainSetRanks> {
  using TrainSetRanksBase::TrainSetRanksBase;
  void runOnOperation() override {
    if (ranks < 1 || ranks > mostRanks) {
      getOperation()->emitError() << "expected 1 to " << mostRanks << " ranks, but got " << ranks;
      return signalPassFailure();
    }
    Builder builder(&getContext());
    for (auto model : getOperation().getOps<train::ModelOp>())
      if (ranks > 1)
        model->setAttr(ranksKey, builder.getI64IntegerAttr(ranks));
  }
};
} // namespace
