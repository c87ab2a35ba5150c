// Helpers shared by the adjoints of several ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_OPS_ADJOINTS_H
#define MLIR_DIALECTS_TRAIN_OPS_ADJOINTS_H

#include "mlir-dialects/Train/Build/GradBuilder.h"

namespace ampc {
/// Masks a product of cotangent `g` and slope to 0 where `g` is 0: a selection has cotangent 0 for
/// unselected values, where the slope may be infinite, and 0 * inf is NaN.
mlir::Value unlessZero(GradBuilder &b, mlir::Value g, mlir::Value product);
/// Cotangent of one factor of a product, g * other, masked where `g` is 0. The other factor may be
/// the logarithm of 0, e.g. in p log p behind a selection.
mlir::Value timesFactor(GradBuilder &b, mlir::Value g, mlir::Value other);
} // namespace ampc
#endif
