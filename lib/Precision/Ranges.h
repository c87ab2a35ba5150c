// Intervals of values, and whether a type holds an interval.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_RANGES_H
#define LIB_PRECISION_RANGES_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// Interval of a value's finite elements for all inputs; nothing if no bound is known. Example:
/// sigmoid(x) -> [0, 1].
Range rangeOf(mlir::Value v);
/// Largest finite number of a float type.
double largestOf(mlir::Type type);
/// Whether any element of a constant becomes infinite or 0 in the type; the text names the element.
std::optional<std::string> constantMisfit(mlir::Value v, mlir::Type type);
/// As above for the constants that an op reads, and for numbers in the op's attributes if the op
/// uses the attributes in the element type, e.g. `eps`.
std::optional<std::string> constantMisfit(mlir::Operation *op, mlir::Type type);
/// Whether a value is known to leave the type's range; the text gives the bound.
std::optional<std::string> rangeMisfit(mlir::Value v, mlir::Type type);
} // namespace ampc
#endif
