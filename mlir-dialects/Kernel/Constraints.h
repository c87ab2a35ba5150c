// Constraints that several verifiers of kernels share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_KERNEL_CONSTRAINTS_H
#define MLIR_DIALECTS_KERNEL_CONSTRAINTS_H

#include "mlir-dialects/Kernel/Kernel.h"

namespace ampc::kernel {
inline mlir::RankedTensorType tensorOf(mlir::Type type) {
  return mlir::cast<mlir::RankedTensorType>(type);
}
inline mlir::RankedTensorType tensorOf(mlir::Value value) { return tensorOf(value.getType()); }

/// Checks the accumulator: f32 for 16-bit values, else at least as wide as the type (f64 -> f64).
llvm::LogicalResult verifyAccumulator(mlir::Operation *op, mlir::Type in, mlir::Type acc);
/// Checks that `tensors` hold reals, with `acc` as a valid accumulator.
llvm::LogicalResult verifyRealSums(mlir::Operation *op, mlir::TypeRange tensors, mlir::Type acc);
/// Checks that a body is scalar code whose values depend only on the block arguments, element by
/// element.
llvm::LogicalResult verifyScalarCode(mlir::Operation *op, mlir::Block &body);
} // namespace ampc::kernel
#endif
