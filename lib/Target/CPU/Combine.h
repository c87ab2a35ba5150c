// Sums, maxima and minima of vectors, as kernels declare them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_COMBINE_H
#define LIB_TARGET_CPU_COMBINE_H

#include "lib/Target/CPU/KernelEmitter.h"
#include "mlir-dialects/Kernel/Kernel.h"

namespace ampc::cpu {

/// The value that changes nothing, as a constant of `type`.
mlir::Value neutral(KernelEmitter &e, kernel::Combine kind, mlir::Type type);
/// Of two scalars or vectors; NaN wins in maxima and minima.
mlir::Value combine(KernelEmitter &e, kernel::Combine kind, mlir::Value x, mlir::Value y);
/// `x`, with `instead` in the lanes that are not active.
mlir::Value keepActive(KernelEmitter &e, mlir::Value x, mlir::Value instead, int64_t active);
/// Combines the lanes in a fixed order: halves, then quarters, and so on.
mlir::Value combineLanes(KernelEmitter &e, kernel::Combine kind, mlir::Value vector);

} // namespace ampc::cpu
#endif
