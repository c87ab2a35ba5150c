// Hard constraints of the minimum cut: values that stay in f32 or in 16 bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_POLICIES_HARDCONSTRAINTS_H
#define LIB_PRECISION_POLICIES_HARDCONSTRAINTS_H

#include "lib/Precision/PrecisionAnalysis.h"

namespace ampc {
/// Values with a fixed storage type, and the reason. The policy chooses for all values in neither
/// map.
struct HardConstraints {
  llvm::DenseMap<mlir::Value, Reason> full, low;
  /// Constraints of the cut alone: f32, so that the error stays within the error of autocast.
  llvm::DenseMap<mlir::Value, Reason> sensitive;
  /// Values of `sensitive` for which the backward pass reads a 16-bit copy.
  llvm::DenseSet<mlir::Value> savedLow;
  /// Values of `savedLow` whose range f16 may not hold: the copy is bf16.
  llvm::DenseSet<mlir::Value> savedWide;
  /// `v` is the source of its copies.
  bool isFull(mlir::Value v) const { return full.contains(v) || sensitive.contains(v); }
};
HardConstraints findHardConstraints(const PrecisionAnalysis &facts);
/// Fills `sensitive`, `savedLow` and `savedWide`.
void findSensitive(const PrecisionAnalysis &facts, HardConstraints &hardConstraints);
/// Gradients: values that only a parameter's gradient reads, directly or through ops that move or
/// add values.
llvm::DenseSet<mlir::Value> gradientsOf(const PrecisionAnalysis &facts);
} // namespace ampc
#endif
