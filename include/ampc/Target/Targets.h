// The targets that this compiler has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TARGET_TARGETS_H
#define AMPC_TARGET_TARGETS_H

#include "ampc/Target/Target.h"

namespace ampc {
/// The first one is the default.
llvm::ArrayRef<const Target *> allTargets();
/// Makes them known to the kernel dialect, with the dialects that their code needs.
void registerTargets(mlir::DialectRegistry &registry);
} // namespace ampc
#endif
