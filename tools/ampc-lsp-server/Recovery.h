// The errors of a text behind its first one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_LSP_SERVER_RECOVERY_H
#define TOOLS_AMPC_LSP_SERVER_RECOVERY_H

#include "mlir/IR/OpImplementation.h"

namespace ampc {
/// MLIR's parser stops at the first error. The statement that has it is blanked, with what refers
/// to it, and the rest parsed again; what is wrong there is reported. `parser` has failed on an
/// outermost op.
void findMoreErrors(mlir::OpAsmParser &parser);
} // namespace ampc
#endif
