// Functions as code on scalars or vectors, with equal results on every processor with fused
// multiply-add.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_COMMON_MATH_MATHPATTERNS_H
#define LIB_CODEGEN_COMMON_MATH_MATHPATTERNS_H

#include "lib/Codegen/Common/FloatCode.h"

namespace ampc::target {
/// Patterns for all functions of f32. Scales denormal operands of logarithms below `root` first.
void addF32Functions(mlir::Operation *root, mlir::RewritePatternSet &patterns);

/// exp and tanh.
void addExponentialPatterns(mlir::RewritePatternSet &patterns);
/// sin, cos and pow.
void addFunctionPatterns(mlir::RewritePatternSet &patterns);

/// Functions of f64 within a few units in the last place, for processors without libm: exp, expm1,
/// log, log2, log1p, tanh, erf and pow; sin and cos.
void addF64Exponentials(mlir::RewritePatternSet &patterns);
void addF64Angles(mlir::RewritePatternSet &patterns);

/// Completes |x|^y to x^y: sign of odd powers, NaN for fractional powers of negative bases, and the
/// cases with result 1.
mlir::Value signOfPower(FloatCode &c, mlir::Value x, mlir::Value y, mlir::Value result);
} // namespace ampc::target
#endif
