// Removal of provenance, for a shorter text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Train/Passes.h"
#include "mlir-dialects/Train/Program/Origin.h"

namespace ampc {
#define GEN_PASS_DEF_TRAINSTRIPORIGINS
#include "ampc/Train/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

namespace {
struct TrainStripOrigins : ampc::impl::TrainStripOriginsBase<TrainStripOrigins> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      op->removeDiscardableAttr(originKey);
      op->removeDiscardableAttr(originsKey);
    });
  }
};
} // namespace
