// Expansion of parameter updates into the ops of their rules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Train/Passes.h"
#include "mlir-dialects/Train/Build/Expansion.h"
#include "mlir-dialects/Train/Optimizer/Update.h"
#include "mlir-dialects/Train/TrainFlat.h"

namespace ampc {
#define GEN_PASS_DEF_TRAINEXPANDUPDATES
#include "ampc/Train/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

namespace {
struct TrainExpandUpdates : ampc::impl::TrainExpandUpdatesBase<TrainExpandUpdates> {
  void runOnOperation() override {
    if (failed(checkHasOnlyLoops(getOperation(), getArgument())))
      return signalPassFailure();
    getOperation()->walk([](train::UpdateOp op) {
      // The precision pass assigns types to matrix products; until then a rule with products stays
      // an op.
      if (!op.getRule().multipliesMatrices(
              cast<RankedTensorType>(op.getParam().getType()).getShape()))
        replaceByDecomposition(cast<CompositeOpInterface>(*op));
    });
  }
};
} // namespace
