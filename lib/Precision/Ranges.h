// Which numbers a value can hold, and whether a type holds them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_RANGES_H
#define LIB_PRECISION_RANGES_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// What holds a value's finite elements whatever the inputs are.
Range rangeOf(mlir::Value v);
/// The largest finite number of a float type.
double largestOf(mlir::Type type);
/// Whether some element of a constant becomes infinite or 0 in the type; the text says which.
std::optional<std::string> constantMisfit(mlir::Value v, mlir::Type type);
/// The same for the constants that an op reads, and for the numbers in its attributes if it works
/// with those in the type of its elements.
std::optional<std::string> constantMisfit(mlir::Operation *op, mlir::Type type);
/// Whether a value is known to leave the type's range.
std::optional<std::string> rangeMisfit(mlir::Value v, mlir::Type type);
} // namespace ampc
#endif
