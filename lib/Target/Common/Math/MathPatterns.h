// Functions in code of scalars or vectors, the same on every processor with fused multiply-add.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_COMMON_MATH_MATHPATTERNS_H
#define LIB_TARGET_COMMON_MATH_MATHPATTERNS_H

#include "lib/Target/Common/FloatCode.h"

namespace ampc::target {
/// Patterns for all functions of f32. Logarithms below `root` get ready for theirs.
void addF32Functions(mlir::Operation *root, mlir::RewritePatternSet &patterns);

/// exp and tanh.
void addExponentialPatterns(mlir::RewritePatternSet &patterns);
/// sin, cos and pow.
void addFunctionPatterns(mlir::RewritePatternSet &patterns);

/// Functions of f64 within a few units in the last place, for processors without libm: exp, expm1,
/// log, log2, log1p, tanh, erf and pow; sin and cos.
void addF64Exponentials(mlir::RewritePatternSet &patterns);
void addF64Angles(mlir::RewritePatternSet &patterns);

/// A power of |x|, with its sign, and NaN where there is none; what is 1 whatever the other is.
mlir::Value signOfPower(FloatCode &c, mlir::Value x, mlir::Value y, mlir::Value result);
} // namespace ampc::target
#endif
