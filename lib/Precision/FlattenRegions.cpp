// Pass amp-flatten-regions: autocast regions become part of the provenance of the ops inside.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Precision/Passes.h"
#include "mlir-dialects/Amp/Amp.h"
#include "mlir-dialects/Train/Program/Origin.h"

namespace ampc {
#define GEN_PASS_DEF_AMPFLATTENREGIONS
#include "ampc/Precision/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

static void flatten(amp::AutocastOp op) {
  Block &body = op.getBody().front();
  Attribute region =
      op.getType() ? Attribute(op.getTypeAttr()) : Attribute(UnitAttr::get(op.getContext()));
  // Ops of loops inside, too. Ops of an inner region already carry the inner type, because the
  // inner region was dissolved first.
  body.walk([&](Operation *inner) {
    if (train::OriginAttr origin = originOf(inner); origin && !origin.getRegion())
      setOrigin(inner, origin.withRegion(region));
  });
  for (Operation &inner : llvm::make_early_inc_range(body.without_terminator()))
    inner.moveBefore(op);
  op.replaceAllUsesWith(body.getTerminator()->getOperands());
  op.erase();
}

namespace {
struct AmpFlattenRegions : ampc::impl::AmpFlattenRegionsBase<AmpFlattenRegions> {
  // Post-order, inner regions first: an op belongs to the innermost region.
  void runOnOperation() override {
    bool isChanged = false;
    getOperation()->walk<WalkOrder::PostOrder>([&](amp::AutocastOp op) {
      flatten(op);
      isChanged = true;
    });
    if (!isChanged)
      markAllAnalysesPreserved(); // and needs no verification
  }
};
} // namespace
