// Sums, maxima and minima, as kernels declare them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_COMMON_COMBINE_H
#define LIB_TARGET_COMMON_COMBINE_H

#include "lib/Target/Common/LoopEmitter.h"
#include "mlir-dialects/Kernel/Kernel.h"

namespace ampc::target {

/// The value that changes nothing, as a constant of `type`.
mlir::Value neutral(LoopEmitter &e, kernel::Combine kind, mlir::Type type);
/// Of two scalars or vectors; NaN wins in maxima and minima.
mlir::Value combine(LoopEmitter &e, kernel::Combine kind, mlir::Value x, mlir::Value y);

} // namespace ampc::target
#endif
