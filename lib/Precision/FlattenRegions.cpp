// Autocast regions become locations of their ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Precision/Passes.h"

namespace ampc {
#define GEN_PASS_DEF_AMPFLATTENREGIONS
#include "ampc/Precision/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

static bool hasRegion(Location loc) {
  return loc
      ->walk([](Location at) {
        auto fused = dyn_cast<FusedLocWith<DictionaryAttr>>(at);
        return fused && fused.getMetadata().contains("amp.region") ? WalkResult::interrupt()
                                                                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The op's name stays outermost.
static Location insideRegion(Location loc, Attribute region) {
  MLIRContext *context = loc.getContext();
  Builder builder(context);
  auto note = builder.getDictionaryAttr(builder.getNamedAttr("amp.region", region));
  auto name = dyn_cast<NameLoc>(loc);
  Location inner = FusedLoc::get({name ? Location(name.getChildLoc()) : loc}, note, context);
  return name ? Location(NameLoc::get(name.getName(), inner)) : inner;
}

static void flatten(amp::AutocastOp op) {
  Block &body = op.getBody().front();
  Attribute region =
      op.getType() ? Attribute(op.getTypeAttr()) : Attribute(UnitAttr::get(op.getContext()));
  for (Operation &inner : body.without_terminator())
    if (!hasRegion(inner.getLoc())) // dissolved inner regions are part of the block by now
      inner.setLoc(insideRegion(inner.getLoc(), region));
  for (Operation &inner : llvm::make_early_inc_range(body.without_terminator()))
    inner.moveBefore(op);
  op.replaceAllUsesWith(body.getTerminator()->getOperands());
  op.erase();
}

namespace {
struct AmpFlattenRegions : ampc::impl::AmpFlattenRegionsBase<AmpFlattenRegions> {
  // Inner regions first: an op belongs to the innermost one.
  void runOnOperation() override {
    getOperation()->walk<WalkOrder::PostOrder>([](amp::AutocastOp op) { flatten(op); });
  }
};
} // namespace
