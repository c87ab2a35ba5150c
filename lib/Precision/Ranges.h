// Which numbers a value can hold, and whether a type holds them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_RANGES_H
#define LIB_PRECISION_RANGES_H

#include "mlir-dialects/Train/Train.h"
#include <cmath>

namespace ampc {
/// Interval of a value's finite elements that holds whatever the inputs are.
struct Interval {
  double low, high;
  double magnitude() const { return std::max(std::abs(low), std::abs(high)); }
};
std::optional<Interval> rangeOf(mlir::Value v);
/// The largest finite number of a float type.
double largestOf(mlir::Type type);
/// Whether some element of a constant becomes infinite or 0 in the type; the text says which.
std::optional<std::string> constantMisfit(mlir::Value v, mlir::Type type);
/// The same for the constants that an op reads, and for the numbers in its attributes if it works
/// with those in the type of its elements.
std::optional<std::string> constantMisfit(mlir::Operation *op, mlir::Type type);
/// Whether a value is known to leave the type's range.
std::optional<std::string> rangeMisfit(mlir::Value v, mlir::Type type);

/// The largest magnitude that a norm of rows gives before gain and bias; nothing for other ops.
std::optional<double> normalizedBound(mlir::Operation *norm);
} // namespace ampc
#endif
