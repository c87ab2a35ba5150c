// Pass nvptx-expand-math: math functions without a device library.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Codegen/NVPTX/Passes.h"
#include "lib/Codegen/Common/Math/MathPatterns.h"
#include "lib/Codegen/NVPTX/Chip.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace ampc {
#define GEN_PASS_DEF_NVPTXEXPANDMATH
#include "ampc/Codegen/NVPTX/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;
using namespace ampc::target;

/// Rejects functions without an instruction: LLVM would emit a library call, or abort.
static LogicalResult checkFunctions(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) -> WalkResult {
    if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
        isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp, math::CountLeadingZerosOp,
            math::CountTrailingZerosOp, math::CtPopOp, math::FloorOp, math::FmaOp,
            math::RoundEvenOp, math::SqrtOp, math::TruncOp>(op))
      return WalkResult::advance();
    return op->emitError() << "expected a function that GPUs have code for, but got "
                           << op->getName() << " of " << op->getResult(0).getType();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct NVPTXExpandMathPass : ampc::impl::NVPTXExpandMathBase<NVPTXExpandMathPass> {
  void runOnOperation() override {
    auto name = getOperation()->getAttrOfType<StringAttr>("kernel.tier");
    const nvptx::Chip *chip = name ? nvptx::findChip(name) : nullptr;
    if (!chip) {
      getOperation()->emitError("expected a module with the attribute kernel.tier of a chip");
      return signalPassFailure();
    }
    RewritePatternSet functions(&getContext()), rest(&getContext());
    addF32Functions(getOperation(), functions);
    addF64Exponentials(functions);
    addF64Angles(functions);
    math::populateExpansionPatterns(functions, {"rsqrt", "exp2", "sinh", "cosh", "tan"});
    arith::populateCeilFloorDivExpandOpsPatterns(functions);
    addConversionPatterns(rest, /*hasF16=*/true, chip->hasBF16());
    addRoundingPatterns(rest, /*hasRoundingUnit=*/true, /*hasFMA=*/true);
    // No constant folding: a function of a constant must give the bits of the device code, not of
    // the compiler's C library.
    GreedyRewriteConfig config;
    config.enableFolding(false);
    if (failed(applyPatternsGreedily(getOperation(), std::move(functions), config)) ||
        failed(applyPatternsGreedily(getOperation(), std::move(rest), config)) ||
        failed(checkFunctions(getOperation())))
      signalPassFailure();
  }
};
} // namespace
