// Math without a library: which replacements a tier needs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Target/CPU/Passes.h"
#include "lib/Target/CPU/Math/MathPatterns.h"
#include "lib/Target/CPU/Tier.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include <cmath>

namespace ampc {
#define GEN_PASS_DEF_CPUEXPANDMATH
#include "ampc/Target/CPU/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;
using namespace ampc::target;

// MLIR's polynomials are within about 4 ulp of these in f32. Those of sin and cos lose
// accuracy away from zero, pow is exp(y log x), exp has no denormal results, and tanh ends below 1
// without fused multiply-add: FunctionPatterns.cpp and ExponentialPatterns.cpp have better ones.
static bool hasGoodPolynomial(StringRef op) {
  return llvm::is_contained(
      {"math.log", "math.log2", "math.log1p", "math.expm1", "math.erf", "math.atan", "math.atan2"},
      op);
}

// The polynomials for logarithms take denormals for the smallest normal number.
static void scaleDenormals(Operation *log) {
  Value x = log->getOperand(0);
  if (!getElementTypeOrSelf(x).isF32())
    return;
  OpBuilder b(log);
  FloatCode c(b, log->getLoc());
  Value isTiny = c.compare(arith::CmpFPredicate::OLT, x, 0x1p-126);
  log->setOperand(0, c.select(isTiny, c.mul(x, 0x1p24), x));
  b.setInsertionPointAfter(log);
  double shift = isa<math::LogOp>(log) ? -24 * M_LN2 : -24;
  Value result = log->getResult(0), less = c.add(result, shift);
  Value selected = c.select(isTiny, less, result);
  SmallPtrSet<Operation *, 2> own{less.getDefiningOp(), selected.getDefiningOp()};
  result.replaceAllUsesExcept(selected, own);
}

namespace {
struct CPUExpandMathPass : ampc::impl::CPUExpandMathBase<CPUExpandMathPass> {
  void runOnOperation() override {
    auto name = getOperation()->getAttrOfType<StringAttr>("kernel.tier");
    const Tier *tier = name ? findTier(name) : nullptr;
    if (!tier) {
      getOperation()->emitError("expected a module with the attribute kernel.tier");
      return signalPassFailure();
    }
    getOperation().walk([](Operation *op) {
      if (isa<math::LogOp, math::Log2Op>(op))
        scaleDenormals(op);
    });
    RewritePatternSet functions(&getContext()), rest(&getContext());
    populateMathPolynomialApproximationPatterns(functions, hasGoodPolynomial);
    addExponentialPatterns(functions);
    addFunctionPatterns(functions);
    addLibmPatterns(functions);
    math::populateExpansionPatterns(functions, {"rsqrt", "exp2", "sinh", "cosh", "tan"});
    arith::populateCeilFloorDivExpandOpsPatterns(functions);
    addConversionPatterns(rest, /*hasF16=*/tier->hasFMA());
    addRoundingPatterns(rest, /*hasRoundingUnit=*/tier->hasFMA(), tier->hasFMA());
    // A function of a constant is what the code gives, not what the compiler's C library gives:
    // which operands are constants depends on what is fused.
    GreedyRewriteConfig config;
    config.enableFolding(false);
    if (failed(applyPatternsGreedily(getOperation(), std::move(functions), config)) ||
        failed(applyPatternsGreedily(getOperation(), std::move(rest), config)))
      signalPassFailure();
  }
};
} // namespace
