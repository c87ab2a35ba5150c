// Queries on values and types for the precision passes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_VALUES_H
#define LIB_PRECISION_VALUES_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
inline int64_t elements(mlir::Value v) {
  return mlir::cast<mlir::RankedTensorType>(v.getType()).getNumElements();
}

/// Whether `v` is a constant of rank 0, which an op with compute type f32 reads unrounded.
bool isNumber(mlir::Value v);

/// Name of a type, for example "bf16".
std::string textOf(mlir::Type type);
/// Whether the op only moves elements of the operand, so that rounding commutes with the op.
/// Example: transpose [2, 3] -> [3, 2].
bool movesElements(mlir::Operation *op);
} // namespace ampc
#endif
