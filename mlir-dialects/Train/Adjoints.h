// What the adjoints of several op entries share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_ADJOINTS_H
#define MLIR_DIALECTS_TRAIN_ADJOINTS_H

#include "mlir-dialects/Train/GradBuilder.h"

namespace ampc {
/// `product` of a cotangent `g` and a slope, but 0 where `g` is 0: a selection gives the cotangent
/// 0 to the values that it leaves out, where the slope may be infinite, and 0 * inf is NaN.
mlir::Value unlessZero(GradBuilder &b, mlir::Value g, mlir::Value product);
/// The cotangent of one factor of a product from the other, which is infinite where it is the
/// logarithm of 0: behind a selection, as of p log p.
mlir::Value timesFactor(GradBuilder &b, mlir::Value g, mlir::Value other);
} // namespace ampc
#endif
