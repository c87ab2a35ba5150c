// Pass nvptx-expand-math: math functions without a device library.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Codegen/NVPTX/Passes.h"
#include "lib/Codegen/Common/Math/MathPatterns.h"
#include "lib/Codegen/NVPTX/ApproximateFunctions.h"
#include "lib/Codegen/NVPTX/Chip.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
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
/// A number of f32 rounded to bf16 and widened again, as a fused kernel computes with a value that
/// it also stores: the pair (x, 0) of bf16 has the bits of the rounded f32. One instruction in
/// place of a conversion, an extension to 32 bits and a shift.
struct RoundToBF16 : OpRewritePattern<arith::ExtFOp> {
  explicit RoundToBF16(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/10) {}
  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    auto rounded = op.getIn().getDefiningOp<arith::TruncFOp>();
    if (!rounded || !op.getType().isF32() || !rounded.getType().isBF16() ||
        !rounded.getIn().getType().isF32())
      return failure();
    Location loc = op.getLoc();
    Value zero = arith::ConstantOp::create(rewriter, loc, rewriter.getF32FloatAttr(0));
    auto pair = LLVM::CallIntrinsicOp::create(
        rewriter, loc, VectorType::get(2, rewriter.getBF16Type()),
        rewriter.getStringAttr("llvm.nvvm.ff2bf16x2.rn"), ValueRange{rounded.getIn(), zero});
    rewriter.replaceOpWithNewOp<LLVM::BitcastOp>(op, rewriter.getF32Type(), pair.getResult(0));
    return success();
  }
};

struct NVPTXExpandMathPass : ampc::impl::NVPTXExpandMathBase<NVPTXExpandMathPass> {
  void runOnOperation() override {
    auto name = getOperation()->getAttrOfType<StringAttr>("kernel.tier");
    const nvptx::Chip *chip = name ? nvptx::findChip(name) : nullptr;
    if (!chip) {
      getOperation()->emitError("expected a module with the attribute kernel.tier of a chip");
      return signalPassFailure();
    }
    RewritePatternSet functions(&getContext()), rest(&getContext());
    nvptx::addApproximateFunctions(functions);
    addF32Functions(getOperation(), functions);
    addF64Exponentials(functions);
    addF64Angles(functions);
    math::populateExpansionPatterns(functions, {"rsqrt", "exp2", "sinh", "cosh", "tan"});
    arith::populateCeilFloorDivExpandOpsPatterns(functions);
    addConversionPatterns(rest, /*hasF16=*/true, chip->hasBF16());
    if (chip->hasBF16())
      rest.add<RoundToBF16>(&getContext());
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
