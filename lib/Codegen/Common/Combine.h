// Combining functions of reductions: sum, maximum, minimum.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_COMMON_COMBINE_H
#define LIB_CODEGEN_COMMON_COMBINE_H

#include "lib/Codegen/Common/LoopEmitter.h"
#include "mlir-dialects/Kernel/Kernel.h"

namespace ampc::target {

/// The neutral element as a constant of `type`, e.g. -inf for a maximum.
mlir::Value neutral(LoopEmitter &e, kernel::Combine kind, mlir::Type type);
/// Combines two scalars or vectors; a maximum or minimum with a NaN is NaN.
mlir::Value combine(LoopEmitter &e, kernel::Combine kind, mlir::Value x, mlir::Value y);

} // namespace ampc::target
#endif
