// Functions of f32 in code of vectors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_MATH_MATHPATTERNS_H
#define LIB_TARGET_CPU_MATH_MATHPATTERNS_H

#include "lib/Target/Common/FloatCode.h"

namespace ampc::cpu {
void addExponentialPatterns(mlir::RewritePatternSet &patterns);
void addFunctionPatterns(mlir::RewritePatternSet &patterns);
} // namespace ampc::cpu
#endif
