// Values and types, as precision passes ask for them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_VALUES_H
#define LIB_PRECISION_VALUES_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
inline int64_t elements(mlir::Value v) {
  return mlir::cast<mlir::RankedTensorType>(v.getType()).getNumElements();
}

/// A constant without dimensions: what an op that computes in f32 reads as it is.
bool isNumber(mlir::Value v);

/// "f32", ...
std::string textOf(mlir::Type type);
/// Whether the op gives elements of its operand as they are: rounding before it and after it are
/// the same.
bool movesElements(mlir::Operation *op);
} // namespace ampc
#endif
