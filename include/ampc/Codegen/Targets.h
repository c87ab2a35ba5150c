// Targets built into this compiler.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_CODEGEN_TARGETS_H
#define AMPC_CODEGEN_TARGETS_H

#include "ampc/Codegen/Target.h"

namespace ampc {
/// All targets; the first is the default.
llvm::ArrayRef<const Target *> allTargets();
/// Registers all targets with the kernel dialect, and the dialects of their emitted code.
void registerTargets(mlir::DialectRegistry &registry);
} // namespace ampc
#endif
