// Expands math ops to calls of libm.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Codegen/Reference/Passes.h"
#include "lib/Codegen/Common/FloatCode.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace ampc {
#define GEN_PASS_DEF_REFERENCEEXPANDMATH
#include "ampc/Codegen/Reference/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;

namespace {
struct ReferenceExpandMath : ampc::impl::ReferenceExpandMathBase<ReferenceExpandMath> {
  void runOnOperation() override {
    RewritePatternSet functions(&getContext()), rest(&getContext());
    target::addWidenedFunctionPatterns(functions);
    target::addLibmPatterns(functions);
    math::populateExpansionPatterns(functions, {"rsqrt", "sinh", "cosh", "tan"});
    arith::populateCeilFloorDivExpandOpsPatterns(functions);
    target::addConversionPatterns(rest, /*hasF16=*/false);
    target::addRoundingPatterns(rest, /*hasRoundingUnit=*/false, /*hasFMA=*/false);
    GreedyRewriteConfig config;
    config.enableFolding(false);
    if (failed(applyPatternsGreedily(getOperation(), std::move(functions), config)) ||
        failed(applyPatternsGreedily(getOperation(), std::move(rest), config)))
      signalPassFailure();
  }
};
} // namespace
