// Replacement of every function of f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Common/Math/MathPatterns.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include <cmath>

using namespace mlir;
using namespace ampc;
using namespace ampc::target;

// MLIR's polynomials for the listed functions are within about 4 ulp in f32. For other functions
// FunctionPatterns.cpp and ExponentialPatterns.cpp are better: MLIR's sin and cos lose accuracy
// away from zero, pow is exp(y log x), exp has no denormal results, and tanh ends below 1 without
// fused multiply-add.
static bool hasGoodPolynomial(StringRef op) {
  return llvm::is_contained(
      {"math.log", "math.log2", "math.log1p", "math.expm1", "math.erf", "math.atan", "math.atan2"},
      op);
}

// Scales denormals by 2^24, since the logarithms' polynomials treat denormals as the smallest
// normal number.
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

void target::addF32Functions(Operation *root, RewritePatternSet &patterns) {
  root->walk([](Operation *op) {
    if (isa<math::LogOp, math::Log2Op>(op))
      scaleDenormals(op);
  });
  populateMathPolynomialApproximationPatterns(patterns, hasGoodPolynomial);
  addExponentialPatterns(patterns);
  addFunctionPatterns(patterns);
}
