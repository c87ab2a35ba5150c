// Expansion of math ops to code without libm: replacements per tier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Codegen/CPU/Passes.h"
#include "lib/Codegen/CPU/Tier.h"
#include "lib/Codegen/Common/Math/MathPatterns.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace ampc {
#define GEN_PASS_DEF_CPUEXPANDMATH
#include "ampc/Codegen/CPU/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;
using namespace ampc::target;

namespace {
struct CPUExpandMathPass : ampc::impl::CPUExpandMathBase<CPUExpandMathPass> {
  void runOnOperation() override {
    auto name = getOperation()->getAttrOfType<StringAttr>("kernel.tier");
    const Tier *tier = name ? findTier(name) : nullptr;
    if (!tier) {
      getOperation()->emitError("expected a module with the attribute kernel.tier");
      return signalPassFailure();
    }
    RewritePatternSet functions(&getContext()), rest(&getContext());
    addF32Functions(getOperation(), functions);
    addLibmPatterns(functions);
    math::populateExpansionPatterns(functions, {"rsqrt", "exp2", "sinh", "cosh", "tan"});
    arith::populateCeilFloorDivExpandOpsPatterns(functions);
    addConversionPatterns(rest, /*hasF16=*/tier->hasFMA());
    addRoundingPatterns(rest, /*hasRoundingUnit=*/tier->hasFMA(), tier->hasFMA());
    // No folding: a function of a constant must have the bits of the emitted code, not of the
    // compiler's libm, because fusion decides which operands are constants.
    GreedyRewriteConfig config;
    config.enableFolding(false);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(applyPatternsGreedily(getOperation(), std::move(functions), config)) ||
        failed(applyPatternsGreedily(getOperation(), std::move(rest), config)))
      signalPassFailure();
  }
};
} // namespace
