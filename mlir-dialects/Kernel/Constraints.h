// What several verifiers of kernels check alike.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_KERNEL_CONSTRAINTS_H
#define MLIR_DIALECTS_KERNEL_CONSTRAINTS_H

#include "mlir-dialects/Kernel/Kernel.h"

namespace ampc::kernel {
inline mlir::RankedTensorType tensorOf(mlir::Type type) {
  return mlir::cast<mlir::RankedTensorType>(type);
}
inline mlir::RankedTensorType tensorOf(mlir::Value value) { return tensorOf(value.getType()); }

/// The accumulator of 16-bit values is f32, of others at least their type.
llvm::LogicalResult verifyAccumulator(mlir::Operation *op, mlir::Type in, mlir::Type acc);
/// That, for reals.
llvm::LogicalResult verifyRealSums(mlir::Operation *op, mlir::TypeRange tensors, mlir::Type acc);
/// A body holds scalars that depend on nothing but its arguments, element by element.
llvm::LogicalResult verifyScalarCode(mlir::Operation *op, mlir::Block &body);
} // namespace ampc::kernel
#endif
