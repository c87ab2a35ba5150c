// Values that must not be rounded.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_POLICIES_PINS_H
#define LIB_PRECISION_POLICIES_PINS_H

#include "lib/Precision/PrecisionFacts.h"

namespace ampc {
/// Values that must stay in f32, with the reason; what is in neither list is for the policy to
/// choose.
struct Pins {
  llvm::DenseMap<mlir::Value, Reason> full, low;
  /// The cut's own: f32 so that its error stays within that of autocast.
  llvm::DenseMap<mlir::Value, Reason> sensitive;
  /// Of those: the backward pass reads a copy in 16 bits.
  llvm::DenseSet<mlir::Value> savedLow;
  /// Saved values that f16 may not hold: their copy is in bf16.
  llvm::DenseSet<mlir::Value> savedWide;
  bool isFull(mlir::Value v) const { return full.contains(v) || sensitive.contains(v); }
};
Pins findPins(const PrecisionFacts &facts);
/// Adds `sensitive`, `savedLow` and `savedWide`.
void findSensitive(const PrecisionFacts &facts, Pins &pins);
/// Values that only a parameter's gradient reads, directly or through ops that move or add them.
llvm::DenseSet<mlir::Value> gradientsOf(const PrecisionFacts &facts);
} // namespace ampc
#endif
